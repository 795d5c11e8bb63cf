#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace aclimb::cli {

// "Intel(R) Xeon(R) ..."; the architecture where the system does not tell.
std::string ProcessorName();

struct Cache {
  std::string name;  // "L1d"
  uint64_t bytes;
};
// Caches of the first processor, small ones first.
std::vector<Cache> Caches();

// Instruction sets that this processor has and for which the kernels are compiled, best first; the
// first one is used.
std::vector<std::string> VectorTargets();

}  // namespace aclimb::cli
