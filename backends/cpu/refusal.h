#pragma once

#include "aclimb/backend/backend.h"

namespace aclimb::cpu {

// What the system refused in the calling thread's last failed entry of the interface, until the
// runtime takes it.

void NoteRefusedMemory(const char* whose, const char* call, uint64_t bytes, int error) noexcept;
// Of a `new` that answered null. Returns 207001.
int NoHostMemory() noexcept;
// The entry fails for a reason of the device's own.
void ForgetRefusal() noexcept;
// As AclimbBackend::take_refusal.
int TakeRefusal(AclimbRefusal* refusal) noexcept;

// In a catch block: the code with which the entry fails. Notes what was refused.
int CodeOfException() noexcept;

}  // namespace aclimb::cpu
