#pragma once

#include "aclimb/elementwise/runs.h"

namespace aclimb::prelu {

// kTerms: what the gradient of a weight is the sum of.
enum : int { kPrelu, kGradient, kTerms };

const elementwise::Runs& FormulaRuns(int number);

}  // namespace aclimb::prelu
