#pragma once

#include <cstddef>
#include <cstdint>

namespace aclimb::cpu {

// Where the processor itself reads and writes an address: kernels' view of a device address, a host
// address as it is.
void* Translate(const void* address);

// As the entries of the backend interface.
int CopyMemory(void* dst, size_t dst_pitch, const void* src, size_t src_pitch, size_t width,
               size_t height);
int FillMemory(void* address, uint32_t value, int element_bytes, size_t count);

}  // namespace aclimb::cpu
