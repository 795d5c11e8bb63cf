// The C functions of the rows in rows.inc.

#include "aclimb/executor/phase.h"
#include "aclimb/ops/binary/contracts.h"
#include "aclimb/ops/binary/plan.h"

#define ACLIMB_LIST(...) __VA_ARGS__
#define ACLIMB_BINARY_FUNCTIONS(Name, function, in_place, parameters, arguments, operation)      \
  namespace aclimb::binary {                                                                     \
  constinit static Operator k##Name##Operator(k##Name##Contract, MakePlan<operation, in_place>); \
  }                                                                                              \
  extern "C" aclnnStatus function##GetWorkspaceSize(                                             \
      ACLIMB_LIST parameters, uint64_t* workspaceSize, aclOpExecutor** executor) {               \
    return aclimb::Phase1(aclimb::binary::k##Name##Operator, workspaceSize, executor,            \
                          ACLIMB_LIST arguments);                                                \
  }                                                                                              \
  extern "C" aclnnStatus function(void* workspace, uint64_t workspaceSize,                       \
                                  aclOpExecutor* executor, aclrtStream stream) {                 \
    return aclimb::Phase2(aclimb::binary::k##Name##Operator, workspace, workspaceSize, executor, \
                          stream);                                                               \
  }
#define ACLIMB_BINARY(name, Name, header, parameters, arguments, operation, ...) \
  ACLIMB_BINARY_FUNCTIONS(Name, aclnn##Name, false, parameters, arguments, operation)
#define ACLIMB_BINARY_IN_PLACE(name, Name, header, parameters, arguments, operation, ...) \
  ACLIMB_BINARY_FUNCTIONS(Inplace##Name, aclnnInplace##Name, true, parameters, arguments, operation)
#include "aclimb/ops/binary/rows.inc"
