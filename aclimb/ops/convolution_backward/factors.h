#pragma once

#include <cstdint>

#include "aclimb/core/divide.h"
#include "aclimb/core/dtype.h"

namespace aclimb::convolution_backward::vectors {

// What is multiplied. An element of an operand, of four bytes, is a float32 or a pair of bfloat16
// that are neighbours in the sum, with a zero behind the last of an odd number.
// What is packed for pairs is bfloat16 in memory.
enum class Factors : uint8_t { kFloat32, kPairs };

inline DType DTypeOf(Factors factors) {
  return factors == Factors::kPairs ? DType::kBFloat16 : DType::kFloat32;
}
constexpr int64_t PerElement(Factors factors) { return factors == Factors::kPairs ? 2 : 1; }
// Elements for a sum of so many products.
inline int64_t Elements(Factors factors, int64_t depth) {
  return CeilDivide(depth, PerElement(factors));
}

}  // namespace aclimb::convolution_backward::vectors
