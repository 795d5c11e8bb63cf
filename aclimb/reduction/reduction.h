#pragma once

#include "aclimb/contract/arguments.h"
#include "aclimb/executor/plan.h"
#include "aclimb/reduction/problem.h"

// Operators that make one number of many: over any set of dimensions of any strided view. An
// operator says which fold, over which dimensions, and what becomes of what was folded:
//
//   void ToMean(const reduction::Finishing& of, int64_t count, reduction::Slot* first,
//               reduction::Slot*) {
//     for (int64_t i = 0; i < count; ++i) first[i].real /= static_cast<double>(of.reduced);
//   }
//
//   Result<PlanPointer> MakePlan(const contract::Arguments& arguments, Planner& planner) {
//     return reduction::MakePlan(planner, arguments,
//                                {.fold = reduction::Fold::kSum,
//                                 .input = kSelf,
//                                 .reduced = contract::ReducedDimensions(arguments, kSelf, kDim),
//                                 .outputs = {reduction::Output{.parameter = kOut}},
//                                 .finish = &ToMean});
//   }
//
// Strides, dtypes and their conversions, threads, and sums in blocks that follow from the shape
// alone are here. Results of nothing are what folds begin with, and are finished all the same.
namespace aclimb::reduction {

// The whole plan of an operator whose arguments obey its contract. Null when the outputs are empty.
Result<PlanPointer> MakePlan(Planner& planner, const contract::Arguments& arguments,
                             const Request& request);
// The plan for a part of the input that begins with its first element.
Result<PlanPointer> MakePlan(Planner& planner, const contract::Arguments& arguments,
                             const Request& request, const TensorView& part);

}  // namespace aclimb::reduction
