#include "tools/new_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "aclimb/core/text.h"
#include "aclimb/core/writable.h"

namespace aclimb::tools {

int OpenNewFile(const std::string& path, bool replace) {
  return open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | (replace ? O_TRUNC : O_EXCL), 0644);
}

int NewFileError(const std::string& path, bool replace) {
  struct stat found = {};
  const bool is_kept = !replace && stat(path.c_str(), &found) == 0 && !S_ISDIR(found.st_mode);
  return is_kept ? EEXIST : WritingError(path);
}

std::string ExpectedNewFile(int error, const char* replace) {
  if (error == EEXIST) {
    return Cat("a new file, but this one exists. Move it away, or ", replace, " to replace it.");
  }
  return Cat("a file that can be written (", std::strerror(error),
             "). Make its folder, or choose another.");
}

bool WriteAll(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written == 0) errno = EIO;
    if (written <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

}  // namespace aclimb::tools
