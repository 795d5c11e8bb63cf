// check/leak/device-memory
#include "mapped.h"

static void Mistake(Session&) {
  constexpr size_t kBytes = size_t{2} << 20;
  const aclrtPhysicalMemProp properties = PhysicalMemory();
  void* address = nullptr;
  aclrtDrvMemHandle memory = nullptr;
  MUST(aclrtReserveMemAddress(&address, kBytes, 0, nullptr, 1));
  MUST(aclrtMallocPhysical(&memory, kBytes, &properties, 0));  // here
  MUST(aclrtMapMem(address, kBytes, 0, memory, 0));
  if (WRONG) return;
  MUST(aclrtUnmapMem(address));
  MUST(aclrtFreePhysical(memory));
  MUST(aclrtReleaseMemAddress(address));
}

PROGRAM(leak_mapped)
