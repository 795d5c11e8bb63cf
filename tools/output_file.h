#pragma once

#include <sys/types.h>

#include <string_view>

namespace aclimb::tools {

// The file that an environment variable names (OpenOutput of tools/output_path.h), which is written
// until the process ends. A program may close every descriptor that it finds, and get the number
// for a file of its own, which then is not written to. What comes after the first failure, which is
// told on stderr, is dropped. One thread at a time.
class OutputFile {
 public:
  explicit OutputFile(const char* variable);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  bool is_open() const { return descriptor_ >= 0; }
  // In one piece, as long as the file takes it.
  void Write(std::string_view first, std::string_view second = {}) noexcept;
  void Close() noexcept;

 private:
  // Whether the descriptor still is that of the file; otherwise nothing is open afterwards.
  bool IsOurs() noexcept;
  void Fail(const char* why) noexcept;

  const char* const variable_;
  int descriptor_;  // -1 when nothing is open
  dev_t device_ = 0;
  ino_t number_ = 0;
};

}  // namespace aclimb::tools
