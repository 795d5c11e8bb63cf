#include "aclimb/onednn/instructions.h"

#include <dnnl.h>

#include "acl/acl_base.h"
#include "aclimb/bridge/bridge.h"
#include "aclimb/core/cpu_target.h"

namespace aclimb::onednn {
namespace {

// What oneDNN calls the instruction sets of ACLIMB_CPU_TARGET; `dnnl_cpu_isa_all` sets no limit.
dnnl_cpu_isa_t LimitOf(CpuTarget most) {
  switch (most) {
    case CpuTarget::kAvx2:
      return dnnl_cpu_isa_avx2;
    case CpuTarget::kAvx512:
      return dnnl_cpu_isa_avx512_core;
    case CpuTarget::kAvx512BFloat16:
      return dnnl_cpu_isa_avx512_core_bf16;
    case CpuTarget::kAll:
      break;
  }
  return dnnl_cpu_isa_all;
}

}  // namespace

void LimitInstructions() {
  [[maybe_unused]] static const bool limited = [] {
    const dnnl_cpu_isa_t limit = LimitOf(MostCpuTarget());
    if (limit == dnnl_cpu_isa_all || dnnl_set_max_cpu_isa(limit) == dnnl_success) return true;
    // Not if it keeps to the limit for another reason, such as DNNL_MAX_CPU_ISA.
    if ((dnnl_get_effective_cpu_isa() & ~limit) == 0) return true;
    aclimb_log(ACL_ERROR,
               "ACLIMB_CPU_TARGET does not hold for oneDNN, which the program has used before us; "
               "set DNNL_MAX_CPU_ISA (AVX2, AVX512_CORE or AVX512_CORE_BF16) as well");
    return false;
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
