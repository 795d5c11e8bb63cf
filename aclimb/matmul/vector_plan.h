#pragma once

#include "aclimb/matmul/plan.h"

// Products of a row, `a`, and matrices: every element of `b` is read once, so that there is nothing
// to pack.
namespace aclimb::matmul {

// Whether the rows should become columns: there is one column, and the plan wants one row.
bool VectorSwaps(const Problem& problem);

// Whether the kernels read `b` where it is.
bool VectorReads(const Problem& problem);

// m is 1. `a` is float32, with neighbours side by side; `b` is one that the kernels read.
PlanPointer MakeVectorPlan(Planner& planner, Setup setup);

}  // namespace aclimb::matmul
