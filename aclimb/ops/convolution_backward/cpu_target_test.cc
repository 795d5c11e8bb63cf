// What ACLIMB_CPU_TARGET pins: Highway's targets, our products of pairs and oneDNN. The test runs
// under each value.

#include "aclimb/core/cpu_target.h"

#include <dnnl.h>
#include <gtest/gtest.h>
#include <hwy/highway.h>

#include <string>

#include "aclimb/onednn/instructions.h"
#include "aclimb/simd/factors.h"

namespace aclimb::convolution_backward {
namespace {

#if HWY_ARCH_X86

int64_t PresentTargets() { return static_cast<int64_t>(hwy::SupportedTargets()); }

TEST(CpuTargetOfConvolution, HighwayTakesNothingAboveIt) {
  const CpuTarget most = MostCpuTarget();
  // Better targets have lower bits.
  if (most <= CpuTarget::kAvx512) {
    EXPECT_EQ(PresentTargets() & (HWY_AVX3 - 1), 0);
  }
  if (most <= CpuTarget::kAvx2) {
    EXPECT_EQ(PresentTargets() & (HWY_AVX2 - 1), 0);
  }
  EXPECT_NE(PresentTargets(), 0);
}

TEST(CpuTargetOfConvolution, PairsNeedTheirInstructions) {
  if (MostCpuTarget() < CpuTarget::kAvx512BFloat16) {
    EXPECT_FALSE(HasPairs());
  } else {
    EXPECT_EQ(HasPairs(), __builtin_cpu_supports("avx512bf16") != 0);
  }
}

TEST(CpuTargetOfConvolution, OneDnnTakesNothingAboveIt) {
  onednn::LimitInstructions();
  const CpuTarget most = MostCpuTarget();
  const int limit = most == CpuTarget::kAvx2             ? dnnl_cpu_isa_avx2
                    : most == CpuTarget::kAvx512         ? dnnl_cpu_isa_avx512_core
                    : most == CpuTarget::kAvx512BFloat16 ? dnnl_cpu_isa_avx512_core_bf16
                                                         : ~0;
  // A set of instructions has the bits of those it contains.
  EXPECT_EQ(dnnl_get_effective_cpu_isa() & ~limit, 0);
}

// Runs in a process of its own, before anything else asks oneDNN.
TEST(CpuTargetTooLate, IsSaidInTheLog) {
  if (MostCpuTarget() != CpuTarget::kAvx2) GTEST_SKIP() << "nothing is pinned";
  if ((dnnl_get_effective_cpu_isa() & ~dnnl_cpu_isa_avx2) == 0) {
    GTEST_SKIP() << "the processor has no more";
  }
  testing::internal::CaptureStderr();
  onednn::LimitInstructions();
  EXPECT_NE(testing::internal::GetCapturedStderr().find("ACLIMB_CPU_TARGET does not hold"),
            std::string::npos);
}

#endif

}  // namespace
}  // namespace aclimb::convolution_backward
