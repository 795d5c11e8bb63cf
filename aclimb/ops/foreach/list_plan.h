#pragma once

#include "aclimb/contract/arguments.h"
#include "aclimb/executor/plan.h"
#include "aclimb/ops/foreach/formulas.h"

// Formulas over lists of tensors, element by element of each tensor.
namespace aclimb::foreach {

// Computes the formula of the lists of tensors in the order of the parameters: the last one is the
// output, or the first one where each is an input. Its scalar is the scalar among the arguments,
// that of the list, or an element of the tensor, which is read in the run; negative if `minus`.
Result<PlanPointer> MakeListPlan(const contract::Arguments& arguments, Planner& planner,
                                 Number number, bool minus);

// (grads, found, scale): grad *= scale, and found = 1 if an element of a grad is no finite number.
Result<PlanPointer> MakeUnscalePlan(const contract::Arguments& arguments, Planner& planner);

// (x, p, out): out[i] is the norm of order p of all elements of x[i].
Result<PlanPointer> MakeNormPlan(const contract::Arguments& arguments, Planner& planner);

}  // namespace aclimb::foreach
