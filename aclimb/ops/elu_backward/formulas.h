#pragma once

#include "aclimb/elementwise/runs.h"

namespace aclimb::elu_backward {

struct Attributes {
  float alpha;
  float scale;
  float input_scale;
};

// What is computed for negative inputs: from the result, from the input, or from the input where
// scale and input_scale are one, as they nearly always are.
enum Branch : int { kResult, kInput, kPlainInput };

// The gradient of ELU for one set of attributes.
elementwise::Formula FormulaOf(const Attributes& attributes, bool is_result);

}  // namespace aclimb::elu_backward
