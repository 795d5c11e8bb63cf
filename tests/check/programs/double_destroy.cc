// check/object/double-destroy
#include "program.h"

static void Mistake(Session&) {
  void* memory = Zeroed(256);
  aclTensor* tensor = Describe({64}, ACL_FLOAT, memory);
  MUST(aclDestroyTensor(tensor));
  if (WRONG) (void)aclDestroyTensor(tensor);  // here
  MUST(aclrtFree(memory));
}

PROGRAM(double_destroy)
