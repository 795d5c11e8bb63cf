#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "aclimb/core/packed.h"
#include "aclimb/truth/elements.h"

// All elements of a view at once: what differs by dtype is asked once, not for each of them.
namespace aclimb::testing {

// Offsets in elements of a strided view's elements, in row-major order. No extent is negative.
inline std::vector<int64_t> ElementOffsets(const std::vector<int64_t>& shape,
                                           const std::vector<int64_t>& stride, int64_t offset) {
  std::vector<int64_t> offsets = truth::PlacesOf(shape, stride);
  for (int64_t& at : offsets) at += offset;
  return offsets;
}

// copy(size) with the size as a constant, for which the compiler has an instruction or two.
template <typename Copy>
void WithElementSize(size_t size, Copy copy) {
  switch (size) {
    case 1:
      return copy(std::integral_constant<size_t, 1>());
    case 2:
      return copy(std::integral_constant<size_t, 2>());
    case 4:
      return copy(std::integral_constant<size_t, 4>());
    case 8:
      return copy(std::integral_constant<size_t, 8>());
    default:
      return copy(size);
  }
}

// What stands at the offsets of a storage, one element after the other.
inline std::vector<unsigned char> LoadElements(const unsigned char* storage,
                                               const std::vector<int64_t>& offsets, DType dtype) {
  std::vector<unsigned char> elements(offsets.size() * SizeOf(dtype));
  if (elements.empty()) return elements;
  unsigned char* to = elements.data();
  if (PackedPerByte(dtype) != 1) {
    for (const int64_t at : offsets) truth::LoadElement(storage, at, dtype, to++);
    return elements;
  }
  WithElementSize(SizeOf(dtype), [&](auto size) {
    for (const int64_t at : offsets) {
      std::memcpy(to, storage + static_cast<size_t>(at) * size, size);
      to += size;
    }
  });
  return elements;
}

// The same back.
inline void StoreElements(unsigned char* storage, const std::vector<int64_t>& offsets, DType dtype,
                          const std::vector<unsigned char>& elements) {
  if (elements.empty()) return;
  const unsigned char* from = elements.data();
  if (PackedPerByte(dtype) != 1) {
    for (const int64_t at : offsets) truth::StoreElement(storage, at, dtype, from++);
    return;
  }
  WithElementSize(SizeOf(dtype), [&](auto size) {
    for (const int64_t at : offsets) {
      std::memcpy(storage + static_cast<size_t>(at) * size, from, size);
      from += size;
    }
  });
}

}  // namespace aclimb::testing
