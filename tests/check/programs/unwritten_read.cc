// check/memory/unwritten-read
#include "program.h"

static void Mistake(Session&) {
  float host[16];
  void* memory = Allocate(sizeof(host));
  MUST(aclrtMemset(memory, sizeof(host), 0, sizeof(host) - (WRONG ? 4 : 0)));
  MUST(aclrtMemcpy(host, sizeof(host), memory, sizeof(host), ACL_MEMCPY_DEVICE_TO_HOST));  // here
  MUST(aclrtFree(memory));
}

PROGRAM(unwritten_read)
