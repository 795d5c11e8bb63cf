#include "backends/cpu/capacity.h"

#include <unistd.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "aclimb/core/control_groups.h"
#include "aclimb/core/parse.h"

namespace aclimb::cpu {
namespace {

// The process's group and each of those above can limit it. A file holds one number, or "max".
uint64_t ControlGroupLimit() {
  uint64_t limit = ~uint64_t{0};
  for (const ControlGroup& group : ControlGroupsOf("memory")) {
    const std::string text = ReadSmallFile(
        group.folder + (group.version == 1 ? "/memory.limit_in_bytes" : "/memory.max"));
    uint64_t bytes = 0;
    if (!ParseWhole(std::string_view(text).substr(0, text.find('\n')), &bytes)) continue;
    if (bytes != 0) limit = std::min(limit, bytes);
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
