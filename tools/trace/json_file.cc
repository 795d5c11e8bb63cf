#include "tools/trace/json_file.h"

#include <cstdlib>
#include <memory>
#include <vector>

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
  std::unique_ptr<JsonFile> made(new JsonFile(variable));
  if (!made->file_.is_open()) return nullptr;
  JsonFile* const file = made.release();
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
  file_.Write(first_ ? "[\n" : ",\n", value);
  first_ = false;
}

void JsonFile::Finish() noexcept {
  if (InForkedChild()) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  file_.Write(first_ ? "[\n]\n" : "\n]\n");
  file_.Close();
}

}  // namespace aclimb::tools
