#include "tools/output_path.h"

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "aclimb/core/fork.h"
#include "aclimb/core/text.h"
#include "tools/new_file.h"

namespace aclimb::tools {
namespace {

// ForkCount() of the process that opened files first; -1 when none did.
constinit std::atomic<int> opened_after{-1};

// The file that the variable names; empty when it is not set.
std::string OutputPath(const char* variable) {
  const char* path = secure_getenv(variable);
  return path == nullptr ? "" : WithProcessNumber(path);
}

std::string CannotWrite(const char* variable, const std::string& path, int error) {
  return Cat(variable, " is \"", path, "\"; expected ",
             ExpectedNewFile(error, "set ACLIMB_FORCE=1 (aclimb run --force)"));
}

}  // namespace

std::string WithProcessNumber(std::string path) {
  for (size_t at = path.find("%p"); at != std::string::npos; at = path.find("%p")) {
    path.replace(at, 2, std::to_string(getpid()));
  }
  return path;
}

bool MayReplace() {
  const char* force = secure_getenv("ACLIMB_FORCE");
  return force != nullptr && std::strcmp(force, "1") == 0;
}

int OpenOutput(const char* variable) {
  const std::string path = OutputPath(variable);
  if (path.empty()) return -1;
  const int descriptor = OpenNewFile(path, MayReplace());
  if (descriptor < 0) {
    std::fprintf(stderr, "aclimb: %s\n", CannotWrite(variable, path, errno).c_str());
  } else {
    NoteOpener();
  }
  return descriptor;
}

std::optional<std::string> OutputProblem(const char* variable) {
  const std::string path = OutputPath(variable);
  if (path.empty()) return std::nullopt;
  const int error = NewFileError(path, MayReplace());
  if (error == 0) return std::nullopt;
  return CannotWrite(variable, path, error);
}

void NoteOpener() {
  int none = -1;
  opened_after.compare_exchange_strong(none, ForkCount(), std::memory_order_relaxed);
}

bool InForkedChild() {
  const int opened = opened_after.load(std::memory_order_relaxed);
  return opened >= 0 && opened != ForkCount();
}

}  // namespace aclimb::tools
