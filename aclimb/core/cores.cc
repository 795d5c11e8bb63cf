#include "aclimb/core/cores.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>

namespace aclimb {

int CoreCount() {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  if (sched_getaffinity(getpid(), sizeof(mask), &mask) != 0) return 1;
  return std::max(1, CPU_COUNT(&mask));
}

}  // namespace aclimb
