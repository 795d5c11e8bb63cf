// check/memory/past-end
#include "program.h"

static void Mistake(Session&) {
  void* host = nullptr;
  MUST(aclrtMallocHost(&host, 64));
  void* memory = Zeroed(128);
  const size_t bytes = WRONG ? 128 : 64;
  MUST(aclrtMemcpy(host, bytes, memory, bytes, ACL_MEMCPY_DEVICE_TO_HOST));  // here
  MUST(aclrtFree(memory));
  MUST(aclrtFreeHost(host));
}

PROGRAM(past_end_host)
