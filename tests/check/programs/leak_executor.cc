// check/leak/executor
#include "program.h"

static void Mistake(Session&) {
  void* memory = Zeroed(256);
  aclTensor* tensor = Describe({64}, ACL_FLOAT, memory);
  float one = 1;
  aclScalar* scalar = aclCreateScalar(&one, ACL_FLOAT);
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  MUST(aclnnEluBackwardGetWorkspaceSize(tensor, scalar, scalar, scalar, false, tensor, tensor,
                                        &size, &executor));  // here
  if (!WRONG) MUST(aclDestroyAclOpExecutor(executor));
  MUST(aclDestroyTensor(tensor));
  MUST(aclDestroyScalar(scalar));
  MUST(aclrtFree(memory));
}

PROGRAM(leak_executor)
