// Copies to pageable memory and tells the codes: one line for each call.

#include <cstdio>
#include <vector>

#include "acl/acl.h"

int main() {
  aclrtStream stream = nullptr;
  void* memory = nullptr;
  std::vector<char> host(size_t{4} << 20, 1);
  if (aclInit(nullptr) != 0 || aclrtSetDevice(0) != 0 || aclrtCreateStream(&stream) != 0 ||
      aclrtMalloc(&memory, host.size(), ACL_MEM_MALLOC_HUGE_FIRST) != 0 ||
      aclrtMemset(memory, host.size(), 7, host.size()) != 0) {
    return 1;
  }
  for (int i = 0; i < 2; ++i) {
    const int copied = aclrtMemcpyAsync(host.data(), host.size(), memory, host.size(),
                                        ACL_MEMCPY_DEVICE_TO_HOST, stream);
    std::printf("copy %d\n%s\n", copied, aclGetRecentErrMsg());
    std::printf("synchronize %d\ndata %d\n", aclrtSynchronizeStream(stream), host.back());
  }
  return aclFinalize();
}
