#pragma once

#include "aclimb/matmul/plan.h"

// Products whose right factor has 16 bits and is multiplied in float32: panels of it are converted
// into a cache, one after the other, so that no float32 copy of it passes through memory.
namespace aclimb::matmul {

// Whether that gains: the right factor is large, and there are blocks enough of the output, or
// terms few enough, that no sum has to be shared out.
bool PanelsServe(const Problem& problem);

// Whether the panels are those of the left factor's rows, since the right one has its terms side by
// side.
bool PanelsAreOfLeft(const Problem& problem);

// Whether `a` can be read as it is. A float32 copy of it can, but where panels are the right
// factor's: that one has to have its terms side by side.
bool PanelsRead(const Problem& problem);

// `b` has neighbours side by side in its rows or columns, and `a` can be read.
PlanPointer MakePanelsPlan(Planner& planner, Setup setup);

}  // namespace aclimb::matmul
