#pragma once

#include <cstdint>

namespace aclimb {

// What kernels multiply. An element of four bytes is a float32, or a pair of bfloat16 that are
// neighbours in the sum.
enum class Factors : uint8_t { kFloat32, kPairs };

constexpr int64_t PerElement(Factors factors) { return factors == Factors::kPairs ? 2 : 1; }

// Whether kernels may multiply pairs (factors-inl.h): the processor has AVX512_BF16, and
// ACLIMB_CPU_TARGET allows it.
bool HasPairs();

}  // namespace aclimb
