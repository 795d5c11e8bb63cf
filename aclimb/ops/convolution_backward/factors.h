#pragma once

#include <cstdint>

#include "aclimb/core/divide.h"
#include "aclimb/core/dtype.h"
#include "aclimb/simd/factors.h"

// Operands of sums on vectors. Behind the last of an odd number a pair has a zero. What is packed
// for pairs is bfloat16 in memory.
namespace aclimb::convolution_backward::vectors {

using aclimb::Factors, aclimb::PerElement;

inline DType DTypeOf(Factors factors) {
  return factors == Factors::kPairs ? DType::kBFloat16 : DType::kFloat32;
}
// Elements for a sum of so many products.
inline int64_t Elements(Factors factors, int64_t depth) {
  return CeilDivide(depth, PerElement(factors));
}

}  // namespace aclimb::convolution_backward::vectors
