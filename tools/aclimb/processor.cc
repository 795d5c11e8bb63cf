#include "tools/aclimb/processor.h"

#include <fmt/format.h>
#include <hwy/highway.h>
#include <sys/utsname.h>

#include <algorithm>
#include <fstream>

namespace aclimb::cli {

std::string ProcessorName() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  utsname names = {};
  return uname(&names) == 0 ? names.machine : "unknown";
}

std::vector<Cache> Caches() {
  std::vector<Cache> caches;
  for (int index = 0; index < 8; ++index) {
    const std::string folder = fmt::format("/sys/devices/system/cpu/cpu0/cache/index{}/", index);
    std::string level, type;
    uint64_t size = 0;
    char unit = ' ';
    std::ifstream(folder + "level") >> level;
    std::ifstream(folder + "type") >> type;
    std::ifstream(folder + "size") >> size >> unit;
    if (level.empty() || size == 0 || type == "Instruction") continue;
    const int shift = unit == 'K' ? 10 : unit == 'M' ? 20 : 0;
    caches.push_back({fmt::format("L{}{}", level, type == "Data" ? "d" : ""), size << shift});
  }
  return caches;
}

std::vector<std::string> VectorTargets() {
  std::vector<std::string> names;
  // The best target is the lowest bit.
  for (int64_t rest = hwy::SupportedTargets() & HWY_TARGETS; rest != 0; rest &= rest - 1) {
    names.emplace_back(hwy::TargetName(rest & -rest));
  }
  return names;
}

}  // namespace aclimb::cli
