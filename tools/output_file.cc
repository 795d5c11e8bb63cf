#include "tools/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "tools/new_file.h"
#include "tools/output_path.h"

namespace aclimb::tools {
namespace {

// Out of the way of programs that close the low descriptors, and of the numbers that they get next.
int MovedUp(int descriptor) {
  constexpr int kHigh = 512;
  const int moved = fcntl(descriptor, F_DUPFD_CLOEXEC, kHigh);
  if (moved < 0) return descriptor;
  close(descriptor);
  return moved;
}

}  // namespace

OutputFile::OutputFile(const char* variable)
    : variable_(variable), descriptor_(OpenOutput(variable)) {
  if (descriptor_ < 0) return;
  descriptor_ = MovedUp(descriptor_);
  struct stat file = {};
  fstat(descriptor_, &file);
  device_ = file.st_dev;
  number_ = file.st_ino;
}

void OutputFile::Write(std::string_view first, std::string_view second) noexcept {
  if (!IsOurs()) return;
  const iovec parts[] = {{const_cast<char*>(first.data()), first.size()},
                         {const_cast<char*>(second.data()), second.size()}};
  const ssize_t begun = writev(descriptor_, parts, 2);
  const size_t written = begun < 0 ? 0 : static_cast<size_t>(begun);
  const size_t of_first = std::min(written, first.size());
  first.remove_prefix(of_first);
  second.remove_prefix(written - of_first);
  // The rest after a short write, or the reason why nothing more can be written.
  if (WriteAll(descriptor_, first) && WriteAll(descriptor_, second)) return;
  const int error = errno;
  close(descriptor_);
  Fail(std::strerror(error));
}

void OutputFile::Close() noexcept {
  if (!IsOurs()) return;
  close(descriptor_);
  descriptor_ = -1;
}

bool OutputFile::IsOurs() noexcept {
  if (descriptor_ < 0) return false;
  struct stat file = {};
  if (fstat(descriptor_, &file) == 0 && file.st_dev == device_ && file.st_ino == number_) {
    return true;
  }
  Fail("the program has closed its descriptor");
  return false;
}

void OutputFile::Fail(const char* why) noexcept {
  descriptor_ = -1;
  std::fprintf(stderr, "aclimb: the file of %s ends early: %s.\n", variable_, why);
}

}  // namespace aclimb::tools
