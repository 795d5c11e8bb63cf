#pragma once

#include <mutex>
#include <string_view>

#include "tools/output_file.h"

namespace aclimb::tools {

// A JSON array on disk to which any thread appends values. It is complete at the end of the
// process, and readable by tolerant readers at any time before (a killed process leaves it without
// "]"). Values written after that, or in a forked child, are dropped.
class JsonFile {
 public:
  // Never closed: threads may write until the process is gone. Null when the variable is not set,
  // and, with a line on stderr, when the file cannot be made (OpenOutput of tools/output_path.h).
  //   variable  the environment variable that names the file
  //   at_exit   completes the file at exit(); without, the owner calls Finish() later than that
  static JsonFile* Open(const char* variable, bool at_exit = true);

  void Append(std::string_view value) noexcept;
  void Finish() noexcept;

 private:
  explicit JsonFile(const char* variable) : file_(variable) {}

  std::mutex mutex_;
  // Without a buffer that a forked child would write again, or a crash would lose.
  OutputFile file_;
  bool first_ = true;
};

}  // namespace aclimb::tools
