#include "tools/trace/new_file.h"

#include <fcntl.h>

#include <cerrno>
#include <cstring>

#include "aclimb/core/text.h"

namespace aclimb::tools {

int OpenNewFile(const std::string& path, bool replace) {
  return open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | (replace ? O_TRUNC : O_EXCL), 0644);
}

std::string ExpectedNewFile(int error, const char* replace) {
  if (error == EEXIST) {
    return Cat("a new file, but this one exists. Move it away, or ", replace, " to replace it.");
  }
  return Cat("a file that can be written (", std::strerror(error),
             "). Make its folder, or choose another.");
}

}  // namespace aclimb::tools
