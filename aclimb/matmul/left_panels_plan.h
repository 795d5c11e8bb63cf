#pragma once

#include "aclimb/matmul/plan.h"

// Products whose right factor has its terms side by side: panels of the left factor's rows
// are made once, and columns of the right one become float32 in a cache, one block after the other.
namespace aclimb::matmul {

// `a` and `b` have terms or their other neighbours side by side, `b` its terms.
PlanPointer MakeLeftPanelsPlan(Planner& planner, Setup setup);

}  // namespace aclimb::matmul
