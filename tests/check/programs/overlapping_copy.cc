// check/memory/overlapping-copy
#include "program.h"

static void Mistake(Session&) {
  char* memory = static_cast<char*>(Zeroed(256));
  char* to = memory + (WRONG ? 32 : 64);
  MUST(aclrtMemcpy(to, 64, memory, 64, ACL_MEMCPY_DEVICE_TO_DEVICE));  // here
  MUST(aclrtFree(memory));
}

PROGRAM(overlapping_copy)
