// The C functions of the rows in rows.inc, and the plans between them.

#include "aclimb/executor/phase.h"
#include "aclimb/ops/arg_reduce/contracts.h"
#include "aclimb/reduction/reduction.h"

namespace aclimb::arg_reduce {
namespace {

using reduction::Output;
using enum reduction::Fold;

template <reduction::Fold kFold>
Result<PlanPointer> Arg(const contract::Arguments& arguments, Planner& planner) {
  return reduction::MakePlan(planner, arguments,
                             {.fold = kFold,
                              .input = kSelf,
                              .reduced = contract::ReducedDimensions(arguments, kSelf, kDim),
                              .outputs = {Output{.parameter = kOut, .second = true}},
                              .finds = true});
}

template <reduction::Fold kFold>
Result<PlanPointer> Best(const contract::Arguments& arguments, Planner& planner) {
  return reduction::MakePlan(
      planner, arguments,
      {.fold = kFold,
       .input = kSelf,
       .reduced = contract::ReducedDimensions(arguments, kSelf, kDim),
       .outputs = {Output{.parameter = kOut}, Output{.parameter = kIndices, .second = true}},
       .output_count = 2,
       .finds = true});
}

}  // namespace
}  // namespace aclimb::arg_reduce

#define ACLIMB_PHASE2(Name, Plan)                                                          \
  namespace aclimb::arg_reduce {                                                           \
  constinit static Operator k##Name##Operator(k##Name##Contract, Plan);                    \
  }                                                                                        \
  extern "C" aclnnStatus aclnn##Name(void* workspace, uint64_t workspaceSize,              \
                                     aclOpExecutor* executor, aclrtStream stream) {        \
    return aclimb::Phase2(aclimb::arg_reduce::k##Name##Operator, workspace, workspaceSize, \
                          executor, stream);                                               \
  }
#define ACLIMB_ARG(name, Name, header, fold, sentence)                                          \
  ACLIMB_PHASE2(Name, Arg<fold>)                                                                \
  extern "C" aclnnStatus aclnn##Name##GetWorkspaceSize(                                         \
      const aclTensor* self, const int64_t dim, const bool keepdim, aclTensor* out,             \
      uint64_t* workspaceSize, aclOpExecutor** executor) {                                      \
    return aclimb::Phase1(aclimb::arg_reduce::k##Name##Operator, workspaceSize, executor, self, \
                          dim, keepdim, out);                                                   \
  }
#define ACLIMB_BEST(name, Name, header, fold, sentence)                                         \
  ACLIMB_PHASE2(Name, Best<fold>)                                                               \
  extern "C" aclnnStatus aclnn##Name##GetWorkspaceSize(                                         \
      const aclTensor* self, int64_t dim, bool keepdim, aclTensor* out, aclTensor* indices,     \
      uint64_t* workspaceSize, aclOpExecutor** executor) {                                      \
    return aclimb::Phase1(aclimb::arg_reduce::k##Name##Operator, workspaceSize, executor, self, \
                          dim, keepdim, out, indices);                                          \
  }
#include "aclimb/ops/arg_reduce/rows.inc"
