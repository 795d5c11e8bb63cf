#include "aclimb/simd/factors.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "aclimb/simd/factors.cc"
#include <hwy/foreach_target.h>
// foreach_target.h first: the -inl headers are included once per target.

#include "aclimb/core/cpu_target.h"
#include "aclimb/simd/factors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclimb {
namespace HWY_NAMESPACE {

bool HasCodeForPairs() { return kHasPairs; }

}  // namespace HWY_NAMESPACE
}  // namespace aclimb
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclimb {

HWY_EXPORT(HasCodeForPairs);

bool HasPairs() {
#if HWY_ARCH_X86_64
  static const bool has_instructions =
      MostCpuTarget() >= CpuTarget::kAvx512BFloat16 && __builtin_cpu_supports("avx512bf16") != 0;
  return has_instructions && HWY_DYNAMIC_DISPATCH(HasCodeForPairs)();
#else
  return false;
#endif
}

}  // namespace aclimb
#endif
