#include "tools/trace/json_file.h"

#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "aclimb/core/text.h"
#include "tools/new_file.h"
#include "tools/output_path.h"

namespace aclimb::tools {
namespace {

// Open files, which the end of the process completes.
std::vector<JsonFile*>& OpenFiles() {
  static auto* const files = new std::vector<JsonFile*>;
  return *files;
}

std::string CannotWrite(const char* variable, const std::string& path, int error) {
  return Cat(variable, " is \"", path, "\"; expected ",
             ExpectedNewFile(error, "set ACLIMB_FORCE=1"));
}

}  // namespace

std::optional<std::string> JsonFile::ProblemOf(const char* variable, std::string path) {
  path = WithProcessNumber(std::move(path));
  int error = 0;
  struct stat found = {};
  if (stat(path.c_str(), &found) == 0) {
    error = S_ISDIR(found.st_mode)            ? EISDIR
            : !MayReplace()                   ? EEXIST
            : access(path.c_str(), W_OK) != 0 ? errno
                                              : 0;
  } else {
    const size_t slash = path.rfind('/');
    const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
    if (access(folder.c_str(), W_OK | X_OK) != 0) error = errno;
  }
  if (error == 0) return std::nullopt;
  return CannotWrite(variable, path, error);
}

JsonFile* JsonFile::Open(const char* variable, std::string path, bool at_exit) {
  path = WithProcessNumber(std::move(path));
  const int descriptor = OpenNewFile(path, MayReplace());
  if (descriptor < 0) {
    std::fprintf(stderr, "aclimb: %s\n", CannotWrite(variable, path, errno).c_str());
    return nullptr;
  }
  auto* file = new JsonFile(descriptor);
  WatchForks();
  if (!at_exit) return file;
  if (OpenFiles().empty()) {
    std::atexit([] {
      for (JsonFile* open : OpenFiles()) open->Finish();
    });
  }
  OpenFiles().push_back(file);
  return file;
}

void JsonFile::Append(std::string_view value) noexcept {
  if (InForkedChild()) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  Write(first_ ? "[\n" : ",\n", value);
  first_ = false;
}

void JsonFile::Finish() noexcept {
  if (InForkedChild()) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  Write(first_ ? "[\n]\n" : "\n]\n", "");
  if (descriptor_ >= 0) close(descriptor_);
  descriptor_ = -1;
}

void JsonFile::Write(std::string_view before, std::string_view value) noexcept {
  if (descriptor_ < 0) return;
  const iovec parts[] = {{const_cast<char*>(before.data()), before.size()},
                         {const_cast<char*>(value.data()), value.size()}};
  const ssize_t whole = static_cast<ssize_t>(before.size() + value.size());
  if (writev(descriptor_, parts, 2) == whole) return;
  std::fprintf(stderr, "aclimb: a trace or report ends early: %s.\n", std::strerror(errno));
  close(descriptor_);
  descriptor_ = -1;
}

}  // namespace aclimb::tools
