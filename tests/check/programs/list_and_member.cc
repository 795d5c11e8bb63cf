// check/object/list-and-member
#include "program.h"

static void Mistake(Session&) {
  void* memory = Zeroed(256);
  aclTensor* tensor = Describe({64}, ACL_FLOAT, memory);
  aclTensorList* list = aclCreateTensorList(&tensor, 1);
  MUST(aclDestroyTensorList(list));
  if (WRONG) (void)aclDestroyTensor(tensor);  // here
  MUST(aclrtFree(memory));
}

PROGRAM(list_and_member)
