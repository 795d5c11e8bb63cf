// check/memory/slack
#include "program.h"

static void Mistake(Session&) {
  void* memory = Allocate(WRONG ? 60 : 64);
  MUST(aclrtMemset(memory, 64, 0, 64));  // here
  MUST(aclrtFree(memory));
}

PROGRAM(slack)
