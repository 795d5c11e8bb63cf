// check/memory/use-after-free
#include "program.h"

static void Mistake(Session&) {
  float host[16];
  void* memory = Zeroed(sizeof(host));
  if (WRONG) MUST(aclrtFree(memory));
  (void)aclrtMemcpy(host, sizeof(host), memory, sizeof(host), ACL_MEMCPY_DEVICE_TO_HOST);  // here
  if (!WRONG) MUST(aclrtFree(memory));
}

PROGRAM(use_after_free)
