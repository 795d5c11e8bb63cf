#include "aclimb/core/writable.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace aclimb {

int WritingError(const std::string& path) {
  struct stat found = {};
  if (stat(path.c_str(), &found) == 0) {
    if (S_ISDIR(found.st_mode)) return EISDIR;
    return access(path.c_str(), W_OK) == 0 ? 0 : errno;
  }
  const size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  return access(folder.c_str(), W_OK | X_OK) == 0 ? 0 : errno;
}

}  // namespace aclimb
