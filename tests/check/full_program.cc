// Takes, while work is queued, what aclrtGetMemInfo calls free, freed memory with it.

#include <atomic>

#include "program.h"

int main() {
  constexpr size_t kBytes = size_t{1} << 20;
  aclrtStream stream = nullptr;
  MUST(aclInit(nullptr));
  MUST(aclrtSetDevice(0));
  MUST(aclrtCreateStream(&stream));
  void* used = Allocate(kBytes);
  MUST(aclrtFree(Allocate(4 * kBytes)));
  // The stream stands, with work behind the halt that uses memory.
  std::atomic<bool> open{false};
  const auto wait = [](void* flag) {
    while (!*static_cast<std::atomic<bool>*>(flag)) {
    }
  };
  MUST(aclrtLaunchHostFunc(stream, wait, &open));
  MUST(aclrtMemsetAsync(used, kBytes, 0, kBytes, stream));
  size_t free = 0, total = 0;
  MUST(aclrtGetMemInfo(ACL_HBM_MEM, &free, &total));
  void* rest = Allocate(free - kBytes);
  open = true;
  MUST(aclrtSynchronizeStream(stream));
  MUST(aclrtFree(rest));
  MUST(aclrtFree(used));
  MUST(aclrtDestroyStream(stream));
  MUST(aclrtResetDevice(0));
  return aclFinalize();
}
