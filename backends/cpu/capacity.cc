#include "backends/cpu/capacity.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <string>

namespace aclimb::cpu {
namespace {

// A limit file holds one number, or "max".
uint64_t ReadLimit(const std::string& path) {
  std::ifstream file(path);
  uint64_t value = 0;
  if (file >> value && value != 0) return value;
  return ~uint64_t{0};
}

// The process's group may lie below the mount point: every level up to the root can limit it.
uint64_t ControlGroupLimit() {
  uint64_t limit = std::min(ReadLimit("/sys/fs/cgroup/memory.max"),
                            ReadLimit("/sys/fs/cgroup/memory/memory.limit_in_bytes"));
  std::ifstream groups("/proc/self/cgroup");
  std::string line;
  while (std::getline(groups, line)) {
    const size_t first = line.find(':');
    const size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    std::string path = line.substr(second + 1);
    while (path.size() > 1) {
      if (controllers.empty()) {
        limit = std::min(limit, ReadLimit("/sys/fs/cgroup" + path + "/memory.max"));
      } else if (controllers == "memory") {
        limit =
            std::min(limit, ReadLimit("/sys/fs/cgroup/memory" + path + "/memory.limit_in_bytes"));
      }
      path.resize(path.rfind('/'));
    }
  }
  return limit;
}

}  // namespace

uint64_t UsableMachineMemory() {
  const uint64_t machine = static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) *
                           static_cast<uint64_t>(sysconf(_SC_PAGE_SIZE));
  return std::min(machine, ControlGroupLimit());
}

int64_t L2CacheBytes() {
  const long bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);
  return bytes > 0 ? bytes : 0;
}

}  // namespace aclimb::cpu
