// The C functions of the rows in rows.inc.

#include "aclimb/executor/phase.h"
#include "aclimb/ops/foreach/contracts.h"
#include "aclimb/ops/foreach/list_plan.h"

namespace aclimb::foreach {
namespace {

template <Number kNumber>
Result<PlanPointer> Plan(const contract::Arguments& arguments, Planner& planner) {
  return MakeListPlan(arguments, planner, kNumber, false);
}
// With the scalar's negative.
template <Number kNumber>
Result<PlanPointer> PlanMinus(const contract::Arguments& arguments, Planner& planner) {
  return MakeListPlan(arguments, planner, kNumber, true);
}

}  // namespace
}  // namespace aclimb::foreach

#define ACLIMB_LIST(...) __VA_ARGS__
#define ACLIMB_FOREACH(name, Name, header, kind, types, plan, truth, parameter_list,              \
                       argument_list, sentence)                                                   \
  namespace aclimb::foreach {                                                                     \
  constinit static Operator k##Name##Operator(k##Name##Contract, plan);                           \
  }                                                                                               \
  extern "C" aclnnStatus aclnn##Name##GetWorkspaceSize(                                           \
      ACLIMB_LIST parameter_list, uint64_t* workspaceSize, aclOpExecutor** executor) {            \
    return aclimb::Phase1(aclimb::foreach::k##Name##Operator, workspaceSize, executor,            \
                          ACLIMB_LIST argument_list);                                             \
  }                                                                                               \
  extern "C" aclnnStatus aclnn##Name(void* workspace, uint64_t workspaceSize,                     \
                                     aclOpExecutor* executor, aclrtStream stream) {               \
    return aclimb::Phase2(aclimb::foreach::k##Name##Operator, workspace, workspaceSize, executor, \
                          stream);                                                                \
  }
#include "aclimb/ops/foreach/rows.inc"
