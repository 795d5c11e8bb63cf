// The C functions of the rows in rows.inc, and the plan between them.

#include "aclimb/elementwise/elementwise.h"
#include "aclimb/executor/phase.h"
#include "aclimb/ops/unary/contracts.h"
#include "aclimb/ops/unary/formulas.h"

namespace aclimb::unary {
namespace {

template <const elementwise::Formula& kFormula>
Result<PlanPointer> MakePlan(const contract::Arguments& arguments, Planner& planner) {
  const int output = arguments.size() == 1 ? kSelf : kOut;
  return elementwise::MakePlan(planner, arguments, {.inputs = {kSelf}, .output = output}, kFormula);
}

}  // namespace
}  // namespace aclimb::unary

#define ACLIMB_UNARY(name, Name, header, self, out, Out, ...)                                    \
  namespace aclimb::unary {                                                                      \
  constinit static Operator k##Name##Operator(k##Name##Contract, MakePlan<k##Name>);             \
  }                                                                                              \
  extern "C" aclnnStatus aclnn##Name##GetWorkspaceSize(                                          \
      const aclTensor* self, Out out, uint64_t* workspaceSize, aclOpExecutor** executor) {       \
    return aclimb::Phase1(aclimb::unary::k##Name##Operator, workspaceSize, executor, self, out); \
  }                                                                                              \
  extern "C" aclnnStatus aclnn##Name(void* workspace, uint64_t workspaceSize,                    \
                                     aclOpExecutor* executor, aclrtStream stream) {              \
    return aclimb::Phase2(aclimb::unary::k##Name##Operator, workspace, workspaceSize, executor,  \
                          stream);                                                               \
  }
#define ACLIMB_UNARY_IN_PLACE(name, Name, header, self, Self, ...)                                 \
  namespace aclimb::unary {                                                                        \
  constinit static Operator kInplace##Name##Operator(kInplace##Name##Contract, MakePlan<k##Name>); \
  }                                                                                                \
  extern "C" aclnnStatus aclnnInplace##Name##GetWorkspaceSize(Self self, uint64_t* workspaceSize,  \
                                                              aclOpExecutor** executor) {          \
    return aclimb::Phase1(aclimb::unary::kInplace##Name##Operator, workspaceSize, executor, self); \
  }                                                                                                \
  extern "C" aclnnStatus aclnnInplace##Name(void* workspace, uint64_t workspaceSize,               \
                                            aclOpExecutor* executor, aclrtStream stream) {         \
    return aclimb::Phase2(aclimb::unary::kInplace##Name##Operator, workspace, workspaceSize,       \
                          executor, stream);                                                       \
  }
#include "aclimb/ops/unary/rows.inc"
