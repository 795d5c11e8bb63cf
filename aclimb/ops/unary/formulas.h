#pragma once

#include "aclimb/elementwise/runs.h"

namespace aclimb::unary {

enum Number : int {
#define ACLIMB_UNARY(name, Name, ...) k##Name,
#define ACLIMB_UNARY_IN_PLACE(...)
#include "aclimb/ops/unary/rows.inc"
#undef ACLIMB_UNARY
#undef ACLIMB_UNARY_IN_PLACE
};

const elementwise::Runs& FormulaRuns(int number);

}  // namespace aclimb::unary
