#include "tools/aclimb/toolkit.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <stdexcept>

namespace aclimb::cli {
namespace {

std::string Value(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

void Export(const char* name, const std::string& value) { setenv(name, value.c_str(), 1); }

}  // namespace

std::string ToolkitRoot() {
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe");
  const std::filesystem::path root = self.parent_path().parent_path();
  if (!std::filesystem::exists(root / "lib64" / "libascendcl.so")) {
    throw std::runtime_error(
        root.string() +
        " is no toolkit: it has no lib64/libascendcl.so. Call the program that "
        "stands in the toolkit's bin folder.");
  }
  return root.string();
}

std::string Prepended(const std::string& directory, const std::string& list) {
  std::string result = directory;
  for (size_t begin = 0; begin <= list.size();) {
    const size_t end = std::min(list.find(':', begin), list.size());
    const std::string entry = list.substr(begin, end - begin);
    if (!entry.empty() && entry != directory) result += ":" + entry;
    begin = end + 1;
  }
  return result;
}

void ExportToolkit(const std::string& root) {
  Export("ASCEND_TOOLKIT_HOME", root);
  Export("ASCEND_HOME_PATH", root);
  Export("ASCEND_AICPU_PATH", root);
  Export("ASCEND_OPP_PATH", root + "/opp");
  Export("TOOLCHAIN_HOME", root + "/toolkit");
  Export("LD_LIBRARY_PATH", Prepended(root + "/lib64", Value("LD_LIBRARY_PATH")));
  Export("PATH", Prepended(root + "/bin", Value("PATH")));
}

int Become(const std::vector<std::string>& words) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  std::fflush(nullptr);
  execvp(arguments[0], arguments.data());
  const int reason = errno;
  const char* name = arguments[0];
  const bool is_path = std::strchr(name, '/') != nullptr;
  if (reason == ENOENT && is_path && access(name, F_OK) == 0) {
    std::fprintf(stderr, "aclimb: %s: its interpreter or loader is missing\n", name);
    return 126;
  }
  if (reason == ENOENT && is_path) {
    std::fprintf(stderr, "aclimb: %s: no such program\n", name);
    return 127;
  }
  if (reason == ENOENT) {
    const bool here = access(name, X_OK) == 0 && !std::filesystem::is_directory(name);
    std::fprintf(stderr, "aclimb: %s: no such program in PATH%s\n", name,
                 here ? (std::string("; did you mean ./") + name + "?").c_str() : "");
    return 127;
  }
  std::fprintf(stderr, "aclimb: %s: cannot be run: %s\n", name, std::strerror(reason));
  return 126;
}

}  // namespace aclimb::cli
