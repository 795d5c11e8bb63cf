#include "tools/record/record_folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "aclimb/core/text.h"
#include "tools/new_file.h"
#include "tools/output_path.h"

namespace aclimb::tools {
namespace {

namespace fs = std::filesystem;

std::string Cannot(const std::string& path, int error) {
  return Cat("ACLIMB_RECORD is \"", path, "\"; expected ",
             error == ENOTEMPTY
                 ? "a new or an empty folder, but this one has files. Move it away, or set "
                   "ACLIMB_FORCE=1 (aclimb run --force) to replace the recordings in it."
                 : Cat("a folder that can be made and written (", std::strerror(error),
                       "). Make its folder, or choose another."));
}

// "000001-aclnnEluBackward"
bool IsCallFolder(const fs::path& path) {
  const std::string name = path.filename().string();
  const size_t dash = name.find('-');
  return dash != std::string::npos && dash >= 6 && name.find_first_not_of("0123456789") == dash &&
         name.compare(dash, 6, "-aclnn") == 0;
}

// Only what a recording consists of; whatever else somebody put there stays.
int RemoveRecordings(const std::string& path) {
  std::error_code first;
  const auto keep = [&first](std::error_code error) {
    if (!first) first = error;
  };
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(path, error)) {
    std::error_code ignored;
    if (!IsCallFolder(entry.path()) || !entry.is_directory(ignored)) continue;
    for (const fs::directory_entry& file : fs::directory_iterator(entry.path(), error)) {
      const fs::path& name = file.path();
      const bool ours = name.filename() == "call.json" || name.extension() == ".npy" ||
                        name.extension() == ".part";
      if (!ours || file.is_directory(ignored)) continue;
      std::error_code removed;
      fs::remove(name, removed);
      keep(removed);
    }
    keep(error);
    // It stays when somebody else's files are in it.
    fs::remove(entry.path(), ignored);
  }
  keep(error);
  return first.value();
}

}  // namespace

std::optional<std::string> RecordFolder::ProblemOf(std::string path) {
  path = WithProcessNumber(std::move(path));
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  int error = 0;
  struct stat found = {};
  if (stat(path.c_str(), &found) == 0) {
    std::error_code code;
    if (!S_ISDIR(found.st_mode)) {
      error = ENOTDIR;
    } else if (access(path.c_str(), W_OK | X_OK) != 0) {
      error = errno;
    } else if (!MayReplace() && !fs::is_empty(path, code)) {
      error = code ? code.value() : ENOTEMPTY;
    }
  } else {
    const size_t slash = path.rfind('/');
    const std::string parent = slash == std::string::npos ? "." : path.substr(0, slash + 1);
    if (access(parent.c_str(), W_OK | X_OK) != 0) error = errno;
  }
  if (error == 0) return std::nullopt;
  return Cannot(path, error);
}

std::unique_ptr<RecordFolder> RecordFolder::Open(std::string path) {
  path = WithProcessNumber(std::move(path));
  std::optional<std::string> problem = ProblemOf(path);
  if (!problem && mkdir(path.c_str(), 0755) != 0) {
    int error = errno;
    if (error == EEXIST) error = MayReplace() ? RemoveRecordings(path) : 0;
    if (error != 0) problem = Cannot(path, error);
  }
  if (problem) {
    std::fprintf(stderr, "aclimb: %s\n", problem->c_str());
    return nullptr;
  }
  NoteOpener();
  return std::unique_ptr<RecordFolder>(new RecordFolder(fs::absolute(path).string()));
}

bool RecordFolder::open() const {
  return !failed_.load(std::memory_order_relaxed) && !InForkedChild();
}

void RecordFolder::Fail(const char* name) noexcept {
  const int error = errno;
  if (failed_.exchange(true)) return;
  std::fprintf(stderr, "aclimb: the recording ends early: %s in %s: %s.\n", name, path_.c_str(),
               std::strerror(error));
}

void RecordFolder::MakeFolder(const std::string& name) noexcept {
  if (!open()) return;
  errno = ENOMEM;
  try {
    const std::string path = path_ + '/' + name;
    if (mkdir(path.c_str(), 0755) == 0) return;
    // Of an earlier recording, with files that are not ours to remove.
    struct stat found = {};
    const int error = errno;
    if (error == EEXIST && MayReplace() && stat(path.c_str(), &found) == 0 &&
        S_ISDIR(found.st_mode)) {
      return;
    }
    errno = error;
  } catch (...) {  // No memory for the name.
  }
  Fail(name.c_str());
}

void RecordFolder::WriteFile(const std::string& name, std::string_view first,
                             std::string_view second) noexcept {
  if (!open()) return;
  errno = ENOMEM;
  try {
    const std::string path = path_ + '/' + name;
    const std::string part = path + ".part";
    const int descriptor = ::open(part.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (descriptor < 0) return Fail(name.c_str());
    const bool written = WriteAll(descriptor, first) && WriteAll(descriptor, second);
    const int error = errno;
    const bool closed = close(descriptor) == 0;
    if (!written) errno = error;
    if (written && closed && rename(part.c_str(), path.c_str()) == 0) return;
    const int reason = errno;
    unlink(part.c_str());
    errno = reason;
  } catch (...) {  // No memory for the name.
  }
  Fail(name.c_str());
}

}  // namespace aclimb::tools
