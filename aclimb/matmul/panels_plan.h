#pragma once

#include "aclimb/matmul/plan.h"

// Products whose right factor has 16 bits and is multiplied in float32: panels of it are converted
// into a cache, one after the other, so that no float32 copy of it passes through memory.
namespace aclimb::matmul {

// Whether that gains: the right factor is large, and there are blocks enough of the output, or
// terms few enough, that no sum has to be shared out.
bool PanelsServe(const Problem& problem);

// `a` is float32, with the terms of a row side by side; `b` has neighbours side by side in its rows
// or columns.
PlanPointer MakePanelsPlan(Planner& planner, Setup setup);

}  // namespace aclimb::matmul
