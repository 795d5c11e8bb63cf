#include "aclimb/onednn/instructions.h"

#include <dnnl.h>

#include "acl/acl_base.h"
#include "aclimb/bridge/bridge.h"
#include "aclimb/core/cpu_target.h"
#include "aclimb/core/text.h"

namespace aclimb::onednn {
namespace {

void Limit(dnnl_cpu_isa_t most, const char* name) {
  const dnnl_status_t status = dnnl_set_max_cpu_isa(most);
  if (status == dnnl_success) return;
  aclimb_log(
      ACL_WARNING,
      Cat("ACLIMB_CPU_TARGET is ", name, ", but oneDNN answers status ", static_cast<int>(status),
          " and uses more instructions: it has looked at the processor before, or was built "
          "without limits. Set DNNL_MAX_CPU_ISA too, or call oneDNN after this library.")
          .c_str());
}

}  // namespace

void LimitInstructions() {
  [[maybe_unused]] static const bool limited = [] {
    switch (MostCpuTarget()) {
      case CpuTarget::kAvx2:
        Limit(dnnl_cpu_isa_avx2, "avx2");
        break;
      case CpuTarget::kAvx512:
        Limit(dnnl_cpu_isa_avx512_core, "avx512");
        break;
      case CpuTarget::kAvx512BFloat16:
        Limit(dnnl_cpu_isa_avx512_core_bf16, "avx512_bf16");
        break;
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
