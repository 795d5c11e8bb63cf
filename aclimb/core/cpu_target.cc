#include "aclimb/core/cpu_target.h"

#include "aclimb/core/environment.h"

namespace aclimb {

std::optional<CpuTarget> ParseCpuTarget(std::string_view text) {
  if (text == "avx2") return CpuTarget::kAvx2;
  if (text == "avx512") return CpuTarget::kAvx512;
  if (text == "avx512_bf16") return CpuTarget::kAvx512BFloat16;
  return std::nullopt;
}

CpuTarget MostCpuTarget() {
  static const CpuTarget most =
      ParseCpuTarget(ReadEnvironment("ACLIMB_CPU_TARGET").value_or("")).value_or(CpuTarget::kAll);
  return most;
}

}  // namespace aclimb
