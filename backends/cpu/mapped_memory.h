#pragma once

#include <cstdint>

#include "aclimb/backend/backend.h"

namespace aclimb::cpu {

class AddressSpace;

// Address ranges of their own that parts of a device's memory are mapped into, by the program's
// order. As in AddressSpace, nobody can access the addresses that the program gets; kernels see the
// memory a constant distance away. The memory of a device is a file without a name, of which a
// piece can be mapped at several addresses. A child of fork shares what there is with its parent,
// for as long as the parent keeps it.

// As the entries of the backend interface.
int ReserveRange(uint64_t bytes, bool host_access, void** address);
int ReleaseRange(void* address);
int AllocatePhysical(AddressSpace* space, uint64_t bytes, AclimbPhysical** memory);
int FreePhysical(AclimbPhysical* memory);
int MapRange(void* address, uint64_t bytes, AclimbPhysical* memory, uint64_t offset);
int UnmapRange(void* address, uint64_t bytes);

// Gives back what waited for work that is done now.
void ReclaimMapped();
// Bytes of the device that were freed and still wait.
uint64_t WaitingPhysicalBytes(const AddressSpace* space);

// Where kernels see an address of a reserved range; null for any other address.
void* KernelAddressOfRange(const void* address);
// The same question for a signal handler: also false when a lock is not to be had.
bool IsInRange(const void* address);

}  // namespace aclimb::cpu
