#pragma once

#include "aclimb/matmul/plan.h"

// Products by panels: some columns of the right factor become float32 in a cache, one panel after the
// other, so that no float32 copy of a factor of 16 bits passes through memory; and a small product is
// done before oneDNN begins.
namespace aclimb::matmul {

// Whether a factor of 16 bits gains by that: it is large, and there are blocks enough of the output, or
// terms few enough, that no sum has to be shared out.
bool PanelsServe(const Problem& problem);

// `a` is float32, with the terms of a row side by side; `b` has neighbours side by side in its rows
// or columns.
PlanPointer MakePanelsPlan(Planner& planner, Setup setup);

}  // namespace aclimb::matmul
