#pragma once

#include "aclimb/elementwise/runs.h"

namespace aclimb::softshrink {

struct Attributes {
  float lambd;
};

const elementwise::Runs& FormulaRuns(int number);

}  // namespace aclimb::softshrink
