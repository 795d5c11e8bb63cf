#pragma once

#include "aclimb/matmul/plan.h"

// Products by panels: some columns of the right factor, as float32 or pairs of bfloat16 in the
// order in which they are multiplied, lie in a cache, one panel after the other, so that no float32
// copy of it passes through memory; where its terms are side by side, the left factor's rows become
// panels in the workspace instead. A small product is done before oneDNN begins.
namespace aclimb::matmul {

// Whether both factors are multiplied in pairs of bfloat16. Small products are not: a pair's
// instruction takes subnormal numbers for 0.
bool PanelsHavePairs(const Problem& problem);

// Whether that gains for a product that is not small: the right factor is large, and there are
// blocks enough of the output, or terms few enough, that no sum has to be shared out.
bool PanelsServe(const Problem& problem);

// Whether the panels are those of the left factor's rows, since the right one is large and has its
// terms side by side (left_panels_plan.h).
bool PanelsAreOfLeft(const Problem& problem);

// Whether `a` can be read as it is. A copy of PanelsDType() can, but where panels are the right
// factor's: that one has to have its terms side by side.
bool PanelsRead(const Problem& problem);
DType PanelsDType(const Problem& problem);

// `b` has neighbours side by side in its rows or columns, and `a` can be read.
PlanPointer MakePanelsPlan(Planner& planner, Setup setup);

}  // namespace aclimb::matmul
