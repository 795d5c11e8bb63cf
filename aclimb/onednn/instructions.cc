#include "aclimb/onednn/instructions.h"

#include <dnnl.h>

#include "aclimb/core/cpu_target.h"

namespace aclimb::onednn {

void LimitInstructions() {
  [[maybe_unused]] static const bool limited = [] {
    switch (MostCpuTarget()) {
      case CpuTarget::kAvx2:
        return dnnl_set_max_cpu_isa(dnnl_cpu_isa_avx2) == dnnl_success;
      case CpuTarget::kAvx512:
        return dnnl_set_max_cpu_isa(dnnl_cpu_isa_avx512_core) == dnnl_success;
      case CpuTarget::kAvx512BFloat16:
        return dnnl_set_max_cpu_isa(dnnl_cpu_isa_avx512_core_bf16) == dnnl_success;
      case CpuTarget::kAll:
        break;
    }
    return true;
  }();
}

bool Has(Instructions set) {
  LimitInstructions();
  // Each set of instructions has the bits of those it contains.
  static const int effective = dnnl_get_effective_cpu_isa();
  const int wanted = set == Instructions::kBFloat16Tiles  ? dnnl_cpu_isa_avx512_core_amx
                     : set == Instructions::kBFloat16Dots ? dnnl_cpu_isa_avx512_core_bf16
                                                          : dnnl_cpu_isa_avx512_core;
  return (effective & wanted) == wanted;
}

}  // namespace aclimb::onednn
