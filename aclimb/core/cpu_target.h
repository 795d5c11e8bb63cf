#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace aclimb {

// The instruction sets that ACLIMB_CPU_TARGET can name, each with those before it.
enum class CpuTarget : uint8_t { kAvx2, kAvx512, kAvx512BFloat16, kAll };

// Nothing for other texts.
std::optional<CpuTarget> ParseCpuTarget(std::string_view text);

// The most that kernels may use of the processor, ours and oneDNN's, as the environment says when
// it is first asked; kAll when the variable is not set, or wrong, of which the runtime complains.
CpuTarget MostCpuTarget();

}  // namespace aclimb
