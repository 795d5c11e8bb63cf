// check/memory/copy-kind
#include "program.h"

static void Mistake(Session&) {
  float host[16] = {};
  void* memory = Allocate(sizeof(host));
  const aclrtMemcpyKind kind = WRONG ? ACL_MEMCPY_DEVICE_TO_HOST : ACL_MEMCPY_HOST_TO_DEVICE;
  (void)aclrtMemcpy(memory, sizeof(host), host, sizeof(host), kind);  // here
  MUST(aclrtFree(memory));
}

PROGRAM(copy_kind)
