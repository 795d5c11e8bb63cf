#include "tools/trace/json_file.h"

#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "tools/new_file.h"
#include "tools/output_path.h"

namespace aclimb::tools {
namespace {

// Open files, which the end of the process completes.
std::vector<JsonFile*>& OpenFiles() {
  static auto* const files = new std::vector<JsonFile*>;
  return *files;
}

}  // namespace

JsonFile* JsonFile::Open(const char* variable, bool at_exit) {
  const int descriptor = OpenOutput(variable);
  if (descriptor < 0) return nullptr;
  auto* file = new JsonFile(descriptor);
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
  const ssize_t begun = writev(descriptor_, parts, 2);
  const size_t written = begun < 0 ? 0 : static_cast<size_t>(begun);
  const size_t of_before = std::min(written, before.size());
  before.remove_prefix(of_before);
  value.remove_prefix(written - of_before);
  // The rest after a short write, or the reason why nothing more can be written.
  if (WriteAll(descriptor_, before) && WriteAll(descriptor_, value)) return;
  std::fprintf(stderr, "aclimb: a trace or report ends early: %s.\n", std::strerror(errno));
  close(descriptor_);
  descriptor_ = -1;
}

}  // namespace aclimb::tools
