#include "aclimb/onednn/instructions.h"

#include <dnnl.h>

namespace aclimb::onednn {

bool Has(Instructions set) {
  // Each set of instructions has the bits of those it contains.
  static const int effective = dnnl_get_effective_cpu_isa();
  const int wanted = set == Instructions::kBFloat16Tiles  ? dnnl_cpu_isa_avx512_core_amx
                     : set == Instructions::kBFloat16Dots ? dnnl_cpu_isa_avx512_core_bf16
                                                          : dnnl_cpu_isa_avx512_core;
  return (effective & wanted) == wanted;
}

}  // namespace aclimb::onednn
