#include "backends/cpu/memory.h"

#include <cstring>

#include "backends/cpu/address_space.h"
#include "backends/cpu/mapped_memory.h"

namespace aclimb::cpu {

void* Translate(const void* address) {
  const AddressSpace* space = SpaceOf(address);
  if (space != nullptr) return space->KernelAddress(address);
  void* const in_range = KernelAddressOfRange(address);
  return in_range != nullptr ? in_range : const_cast<void*>(address);
}

int CopyMemory(void* dst, size_t dst_pitch, const void* src, size_t src_pitch, size_t width,
               size_t height) {
  char* to = static_cast<char*>(Translate(dst));
  const char* from = static_cast<const char*>(Translate(src));
  if (height == 1 || (width == dst_pitch && width == src_pitch)) {
    std::memmove(to, from, width * height);
    return 0;
  }
  for (size_t row = 0; row < height; ++row) {
    std::memmove(to + row * dst_pitch, from + row * src_pitch, width);
  }
  return 0;
}

int FillMemory(void* address, uint32_t value, int element_bytes, size_t count) {
  void* to = Translate(address);
  if (element_bytes == 1) {
    std::memset(to, static_cast<int>(value & 0xFF), count);
    return 0;
  }
  char* word = static_cast<char*>(to);
  for (size_t i = 0; i < count; ++i, word += sizeof(value)) {
    std::memcpy(word, &value, sizeof(value));
  }
  return 0;
}

}  // namespace aclimb::cpu
