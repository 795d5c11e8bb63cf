#include "tools/trace/json_file.h"

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace aclimb::tools {
namespace {

// Open files, which the end of the process completes and a fork silences.
std::vector<JsonFile*>& OpenFiles() {
  static auto* const files = new std::vector<JsonFile*>;
  return *files;
}

std::atomic<bool>& InForkedChild() {
  static std::atomic<bool> child{false};
  return child;
}

std::string WithProcessNumber(std::string path) {
  for (size_t at = path.find("%p"); at != std::string::npos; at = path.find("%p")) {
    path.replace(at, 2, std::to_string(getpid()));
  }
  return path;
}

}  // namespace

JsonFile* JsonFile::Open(const char* variable, std::string path, bool at_exit) {
  path = WithProcessNumber(std::move(path));
  const char* force = secure_getenv("ACLIMB_FORCE");
  const bool overwrite = force != nullptr && std::strcmp(force, "1") == 0;
  const int flags = O_WRONLY | O_CREAT | O_CLOEXEC | (overwrite ? O_TRUNC : O_EXCL);
  const int descriptor = open(path.c_str(), flags, 0644);
  std::FILE* stream = descriptor < 0 ? nullptr : fdopen(descriptor, "w");
  if (stream == nullptr) {
    std::fprintf(stderr, "aclimb: %s is \"%s\", which cannot be written (%s).%s\n", variable,
                 path.c_str(), std::strerror(errno),
                 errno == EEXIST ? " Move it away, or set ACLIMB_FORCE=1 to replace it." : "");
    return nullptr;
  }
  std::fputs("[\n", stream);
  auto* file = new JsonFile(stream);
  static const bool watches_forks = pthread_atfork(nullptr, nullptr, [] {
                                      InForkedChild().store(true, std::memory_order_relaxed);
                                    }) == 0;
  (void)watches_forks;
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
  if (InForkedChild().load(std::memory_order_relaxed)) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  if (file_ == nullptr) return;
  if (!first_) std::fputs(",\n", file_);
  first_ = false;
  std::fwrite(value.data(), 1, value.size(), file_);
}

void JsonFile::Finish() noexcept {
  if (InForkedChild().load(std::memory_order_relaxed)) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  if (file_ == nullptr) return;
  std::fputs("\n]\n", file_);
  std::fclose(file_);
  file_ = nullptr;
}

std::string JsonText(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char escaped[8];
      std::snprintf(escaped, sizeof(escaped), "\\u%04x", c);
      out += escaped;
    } else {
      out += c;
    }
  }
  return out + "\"";
}

}  // namespace aclimb::tools
