// What the programs with mapped memory share.
#ifndef TESTS_CHECK_MAPPED_H_
#define TESTS_CHECK_MAPPED_H_

#include "program.h"

// Device memory at an address that was reserved for it.
struct Mapped {
  Mapped() {
    aclrtPhysicalMemProp properties = {};
    properties.allocationType = ACL_MEM_ALLOCATION_TYPE_PINNED;
    properties.memAttr = ACL_HBM_MEM_HUGE;
    properties.location.type = ACL_MEM_LOCATION_TYPE_DEVICE;
    MUST(aclrtMemGetAllocationGranularity(&properties, ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM,
                                          &bytes));
    MUST(aclrtReserveMemAddress(&address, bytes, 0, nullptr, 1));
    MUST(aclrtMallocPhysical(&physical, bytes, &properties, 0));
    MUST(aclrtMapMem(address, bytes, 0, physical, 0));
  }
  // After aclrtUnmapMem.
  ~Mapped() {
    MUST(aclrtFreePhysical(physical));
    MUST(aclrtReleaseMemAddress(address));
  }
  Mapped(const Mapped&) = delete;
  Mapped& operator=(const Mapped&) = delete;

  size_t bytes = 0;
  void* address = nullptr;
  aclrtDrvMemHandle physical = nullptr;
};

#endif  // TESTS_CHECK_MAPPED_H_
