#pragma once

#include <cstdint>

namespace aclimb::onednn {

enum class Instructions : uint8_t {
  kAvx512,
  kBFloat16Dots,   // AVX-512's dot products of bfloat16
  kBFloat16Tiles,  // AMX
};

// Whether this processor has them, and oneDNN may use them (DNNL_MAX_CPU_ISA).
bool Has(Instructions set);

// Keeps oneDNN to what ACLIMB_CPU_TARGET allows. It must not have looked at the processor yet: the
// log tells when it has, and uses more.
void LimitInstructions();

inline bool HasAvx512() { return Has(Instructions::kAvx512); }

}  // namespace aclimb::onednn
