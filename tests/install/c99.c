/* A C99 program that uses the runtime alone: what a C client sees of acl/acl.h. */
#include <stdio.h>
#include <string.h>

#include "acl/acl.h"

#define EXPECT(condition)                                                                \
  do {                                                                                   \
    if (!(condition)) {                                                                  \
      printf("line %d: not true: %s\n%s\n", __LINE__, #condition, aclGetRecentErrMsg()); \
      return 1;                                                                          \
    }                                                                                    \
  } while (0)

int main(void) {
  const char sent[] = "from the host, to the device, and back";
  char received[sizeof(sent)];
  void* device = NULL;
  void* copy = NULL;
  aclrtStream stream = NULL;

  memset(received, '?', sizeof(received));
  EXPECT(aclInit(NULL) == ACL_SUCCESS);
  EXPECT(aclrtSetDevice(0) == ACL_SUCCESS);
  EXPECT(aclrtCreateStream(&stream) == ACL_SUCCESS);
  EXPECT(aclrtMalloc(&device, sizeof(sent), ACL_MEM_MALLOC_NORMAL_ONLY) == ACL_SUCCESS);
  EXPECT(aclrtMalloc(&copy, sizeof(sent), ACL_MEM_MALLOC_NORMAL_ONLY) == ACL_SUCCESS);
  EXPECT(aclrtMemcpy(device, sizeof(sent), sent, sizeof(sent), ACL_MEMCPY_HOST_TO_DEVICE) ==
         ACL_SUCCESS);
  EXPECT(aclrtMemcpyAsync(copy, sizeof(sent), device, sizeof(sent), ACL_MEMCPY_DEVICE_TO_DEVICE,
                          stream) == ACL_SUCCESS);
  EXPECT(aclrtSynchronizeStream(stream) == ACL_SUCCESS);
  EXPECT(aclrtMemcpy(received, sizeof(received), copy, sizeof(sent), ACL_MEMCPY_DEVICE_TO_HOST) ==
         ACL_SUCCESS);
  EXPECT(strcmp(sent, received) == 0);
  EXPECT(aclrtFree(device) == ACL_SUCCESS);
  EXPECT(aclrtFree(copy) == ACL_SUCCESS);
  EXPECT(aclrtDestroyStream(stream) == ACL_SUCCESS);
  EXPECT(aclrtResetDevice(0) == ACL_SUCCESS);
  EXPECT(aclFinalize() == ACL_SUCCESS);
  return 0;
}
