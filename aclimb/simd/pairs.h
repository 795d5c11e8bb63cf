#pragma once

namespace aclimb {

// Whether kernels may multiply pairs of bfloat16 (pairs-inl.h): the processor has AVX512_BF16, and
// ACLIMB_CPU_TARGET allows it.
bool HasPairs();

}  // namespace aclimb
