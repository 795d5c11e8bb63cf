#pragma once

#include <string>
#include <string_view>

namespace aclimb {

// How many of something the process may have, and what says so.
struct CoreLimit {
  int count = 1;       // at least 1
  std::string reason;  // "CPU quota of cgroup /foo"; empty when it is all there are
};

// Processor cores that the process may keep busy: those of its affinity mask, or as many as its CPU
// quota pays for. The mask of its first thread counts: callers may be pinned to a part of it. Found
// once.
const CoreLimit& UsableCores();
int CoreCount();
// Cores of the machine, at least 1.
int MachineCores();

// The size of the compute team.
//   wanted  ACLIMB_THREADS; 0 means all usable cores
const CoreLimit& DefaultTeam();
CoreLimit TeamOf(int wanted);

// The pieces of the above that look at texts alone.

// At most `cores`, fewer under the CPU quota of the process's control group or of one above it, in
// the file system below `root`. A quota of one and a half cores counts as one: a team that is
// larger than its quota uses up the time of a period together, and then all of its threads stand
// still, in the middle of a loop that each of them has to finish.
CoreLimit WithinQuota(CoreLimit cores, const std::string& root);
// At most `cores`, fewer where OMP_THREAD_LIMIT is a smaller number: who limits the threads of a
// program means ours too. Values that are none mean nothing, as they do to OpenMP.
CoreLimit WithinThreadLimit(CoreLimit cores, std::string_view limit);

}  // namespace aclimb
