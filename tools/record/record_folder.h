#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace aclimb::tools {

// The folder that ACLIMB_RECORD names. What cannot be written is told once, and ends it: nothing is
// written any more. A forked child writes nothing.
class RecordFolder {
 public:
  // Makes the folder; one that is there already has to be empty, unless ACLIMB_FORCE=1, which
  // removes the recordings that are in it. Null, with a line on stderr, when that does not work.
  //   path  "%p" stands for the process number
  static std::unique_ptr<RecordFolder> Open(std::string path);

  // Why Open would fail now; nothing when it would not. Makes nothing.
  static std::optional<std::string> ProblemOf(std::string path);

  bool open() const;
  // A folder in it.
  void MakeFolder(const std::string& name) noexcept;
  // A file in it, `first` and then `second`; a reader finds all of it or nothing, also when the
  // process dies meanwhile.
  void WriteFile(const std::string& name, std::string_view first, std::string_view second) noexcept;

 private:
  explicit RecordFolder(std::string path) : path_(std::move(path)) {}
  void Fail(const char* name) noexcept;

  const std::string path_;  // absolute: the program may change its directory
  std::atomic<bool> failed_{false};
};

}  // namespace aclimb::tools
