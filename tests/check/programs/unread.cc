// check/call/unread
#include "program.h"

static void Mistake(Session&) {
  void* memory = nullptr;
  const aclError code = aclrtMalloc(&memory, WRONG ? 0 : 64, ACL_MEM_MALLOC_HUGE_FIRST);  // here
  if (code == 0) MUST(aclrtFree(memory));
}

PROGRAM(unread)
