#pragma once

#include "aclimb/elementwise/runs.h"

namespace aclimb::gates {

// In the order of kRuns in formulas.cc.
enum Number : int {
  kSwiGlu,            // silu(a) * b
  kSwiGluGradFirst,   // of g, a, b
  kSwiGluGradSecond,  // of g, a
  kGlu,               // a * sigmoid(b), and the gradient of the first half from g, b
  kGluGradSecond,     // of g, a, b
  kGeluByErf,
  kGeluByTanh,
  kGeGluByErf,  // a * gelu(b)
  kGeGluByTanh,
};

const elementwise::Runs& FormulaRuns(int number);

}  // namespace aclimb::gates
