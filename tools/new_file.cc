#include "tools/new_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "aclimb/core/text.h"

namespace aclimb::tools {

int OpenNewFile(const std::string& path, bool replace) {
  return open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | (replace ? O_TRUNC : O_EXCL), 0644);
}

int NewFileError(const std::string& path, bool replace) {
  struct stat found = {};
  if (stat(path.c_str(), &found) == 0) {
    if (S_ISDIR(found.st_mode)) return EISDIR;
    if (!replace) return EEXIST;
    return access(path.c_str(), W_OK) == 0 ? 0 : errno;
  }
  const size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  return access(folder.c_str(), W_OK | X_OK) == 0 ? 0 : errno;
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
