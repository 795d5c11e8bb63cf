#pragma once

#include "aclimb/elementwise/runs.h"

namespace aclimb::mse_loss {

enum Number : int { kSquare, kGradient };

struct Attributes {
  float factor;  // of the gradient: 2, or 2 divided by the number of elements
};

const elementwise::Runs& FormulaRuns(int number);

}  // namespace aclimb::mse_loss
