#pragma once

#include <cstdint>

#include "aclimb/core/dtype.h"

// Unsigned numbers that compare as the elements of a tensor do, from the least on: zeros of both
// signs are equal, and so are all NaNs.
namespace aclimb::order_key {

// Keys of numbers in ascending order. Bits is the unsigned integer of the same size.
template <typename Bits>
struct Unsigned {
  using Stored = Bits;
  Bits operator()(Bits x) const { return x; }
};
template <typename Bits>
struct Signed {
  using Stored = Bits;
  Bits operator()(Bits x) const {
    return static_cast<Bits>(x ^ (Bits{1} << (8 * sizeof(Bits) - 1)));
  }
};
struct Truth {
  using Stored = uint8_t;
  uint8_t operator()(uint8_t x) const { return x != 0 ? 1 : 0; }
};
// kInfinity is the pattern of infinity, above which NaNs are.
template <typename Bits, Bits kInfinity>
struct Floating {
  using Stored = Bits;
  static constexpr Bits kSign = static_cast<Bits>(Bits{1} << (8 * sizeof(Bits) - 1));

  Bits nan;  // their key

  Bits operator()(Bits x) const {
    const Bits size = static_cast<Bits>(x & ~kSign);
    if (size > kInfinity) return nan;
    if (size == 0) return kSign;
    return static_cast<Bits>(x == size ? x | kSign : ~x);
  }
};

// Calls `visit` with the keys of a dtype's elements. The lowest bits of `nan` are the key of NaN:
// 0, which is less than all others, or ~0, which is more.
template <typename Visit>
auto Of(DType dtype, uint64_t nan, const Visit& visit) {
  switch (dtype) {
    case DType::kInt64:
      return visit(Signed<uint64_t>());
    case DType::kUInt64:
      return visit(Unsigned<uint64_t>());
    case DType::kFloat64:
      return visit(Floating<uint64_t, 0x7FF0000000000000u>{nan});
    case DType::kFloat32:
      return visit(Floating<uint32_t, 0x7F800000u>{static_cast<uint32_t>(nan)});
    case DType::kFloat16:
      return visit(Floating<uint16_t, 0x7C00u>{static_cast<uint16_t>(nan)});
    case DType::kBFloat16:
      return visit(Floating<uint16_t, 0x7F80u>{static_cast<uint16_t>(nan)});
    case DType::kInt32:
      return visit(Signed<uint32_t>());
    case DType::kInt16:
      return visit(Signed<uint16_t>());
    case DType::kInt8:
      return visit(Signed<uint8_t>());
    case DType::kUInt32:
      return visit(Unsigned<uint32_t>());
    case DType::kUInt16:
      return visit(Unsigned<uint16_t>());
    case DType::kUInt8:
      return visit(Unsigned<uint8_t>());
    default:
      return visit(Truth());
  }
}

}  // namespace aclimb::order_key
