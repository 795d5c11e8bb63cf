#pragma once

#include <string>
#include <vector>

#include "tools/aclimb/report/trace_file.h"

namespace aclimb::cli::report {

// What bench/compare measured that this machine can do at most. Speeds in units a nanosecond.
struct Limits {
  // Where tensors live that fit there, smallest first.
  struct Level {
    std::string name;
    double bytes = 0;  // footprints up to this; the last one takes all
    double operate = 0;
    double copy = 0;
    double fill = 0;
  };
  int threads = 0;
  std::vector<Level> levels;
  double flops = 0;
  double flops_bfloat16 = 0;
};

// From the file's "limits", the entry with that number of threads; 0: the one with the most. Throws
// Problem.
Limits ReadLimits(const std::string& path, int threads);

// Nanoseconds that the run takes at least: its bytes at the fastest mix of reads and writes that
// was measured at the level where they fit, or its arithmetic, whichever takes longer. 0 when
// neither is known.
double LimitOf(const Limits& limits, const Trace& trace, const Span& run);

}  // namespace aclimb::cli::report
