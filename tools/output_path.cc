#include "tools/output_path.h"

#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>

namespace aclimb::tools {
namespace {

std::atomic<bool>& Forked() {
  static std::atomic<bool> child{false};
  return child;
}

}  // namespace

std::string WithProcessNumber(std::string path) {
  for (size_t at = path.find("%p"); at != std::string::npos; at = path.find("%p")) {
    path.replace(at, 2, std::to_string(getpid()));
  }
  return path;
}

bool MayReplace() {
  const char* force = secure_getenv("ACLIMB_FORCE");
  return force != nullptr && std::strcmp(force, "1") == 0;
}

void WatchForks() {
  static const bool watches = pthread_atfork(nullptr, nullptr, [] {
                                Forked().store(true, std::memory_order_relaxed);
                              }) == 0;
  (void)watches;
}

bool InForkedChild() { return Forked().load(std::memory_order_relaxed); }

}  // namespace aclimb::tools
