// What the programs with mapped memory share.
#ifndef TESTS_CHECK_MAPPED_H_
#define TESTS_CHECK_MAPPED_H_

#include "program.h"

// Of device 0.
inline aclrtPhysicalMemProp PhysicalMemory() {
  aclrtPhysicalMemProp properties = {};
  properties.allocationType = ACL_MEM_ALLOCATION_TYPE_PINNED;
  properties.memAttr = ACL_HBM_MEM_HUGE;
  properties.location.type = ACL_MEM_LOCATION_TYPE_DEVICE;
  return properties;
}

// Device memory, and addresses reserved for it: two pieces side by side.
struct Mappable {
  Mappable() {
    aclrtPhysicalMemProp properties = PhysicalMemory();
    MUST(aclrtMemGetAllocationGranularity(&properties, ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM,
                                          &piece));
    MUST(aclrtReserveMemAddress(&first, 2 * piece, 0, nullptr, 1));
    second = static_cast<char*>(first) + piece;
    MUST(aclrtMallocPhysical(&memory, 2 * piece, &properties, 0));
  }
  ~Mappable() {
    MUST(aclrtFreePhysical(memory));
    MUST(aclrtReleaseMemAddress(first));
  }
  Mappable(const Mappable&) = delete;
  Mappable& operator=(const Mappable&) = delete;

  size_t piece = 0;
  void* first = nullptr;
  void* second = nullptr;
  aclrtDrvMemHandle memory = nullptr;
};

// Both pieces, until the program unmaps them.
struct Mapped : Mappable {
  Mapped() {
    MUST(aclrtMapMem(first, piece, 0, memory, 0));
    MUST(aclrtMapMem(second, piece, piece, memory, 0));
  }
};

#endif  // TESTS_CHECK_MAPPED_H_
