#pragma once

#include "aclimb/elementwise/runs.h"

namespace aclimb::prelu {

// kPreluOfChannel: of float32, with a ChannelWeight. kTerms: what the gradient of a weight is the
// sum of.
enum : int { kPrelu, kPreluOfChannel, kGradient, kTerms };

struct ChannelWeight {
  float weight;
};

const elementwise::Runs& FormulaRuns(int number);

}  // namespace aclimb::prelu
