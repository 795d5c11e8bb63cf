// check/race/streams
#include "program.h"

// Two streams write the left and the right half of each row.
static void Mistake(Session& session) {
  aclrtStream other = nullptr;
  MUST(aclrtCreateStream(&other));
  char* memory = static_cast<char*>(Allocate(16 * 64));
  void* host = nullptr;
  MUST(aclrtMallocHost(&host, 16 * 32));
  MUST(aclrtMemcpy2dAsync(memory, 64, host, 32, 32, 16, ACL_MEMCPY_HOST_TO_DEVICE, session.stream));
  char* right = memory + (WRONG ? 31 : 32);
  MUST(aclrtMemcpy2dAsync(right, 64, host, 32, 32, 16, ACL_MEMCPY_HOST_TO_DEVICE, other));  // here
  MUST(aclrtSynchronizeDevice());
  MUST(aclrtDestroyStream(other));
  MUST(aclrtFreeHost(host));
  MUST(aclrtFree(memory));
}

PROGRAM(race_rows)
