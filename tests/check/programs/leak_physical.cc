// check/leak/device-memory
#include "mapped.h"

static void Mistake(Session&) {
  const aclrtPhysicalMemProp properties = PhysicalMemory();
  aclrtDrvMemHandle memory = nullptr;
  MUST(aclrtMallocPhysical(&memory, size_t{2} << 20, &properties, 0));  // here
  if (!WRONG) MUST(aclrtFreePhysical(memory));
}

PROGRAM(leak_physical)
