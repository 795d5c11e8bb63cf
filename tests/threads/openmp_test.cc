// Operators called from inside a caller's parallel region: the work moves to the engine's thread,
// so neither side's team hangs.

#include <gtest/gtest.h>

#include <vector>

#include "aclnnop/aclnn_elu_backward.h"
#include "tests/support/compare.h"
#include "tests/support/device.h"

extern "C" void GOMP_parallel(void (*body)(void*), void* data, unsigned threads, unsigned flags);

namespace aclimb::testing {
namespace {

void CallOperator(void*) {
  ACLIMB_ASSERT_OK(aclrtSetDevice(0));
  aclrtStream stream = nullptr;
  ACLIMB_ASSERT_OK(aclrtCreateStream(&stream));
  for (int64_t count : {10, 500000}) {
    const DeviceTensor grad({count}, DType::kFloat32,
                            std::vector<double>(static_cast<size_t>(count), 3));
    const DeviceTensor self({count}, DType::kFloat32,
                            std::vector<double>(static_cast<size_t>(count), 1));
    const DeviceTensor out({count}, DType::kFloat32);
    const Scalar two(2.0f);
    ACLIMB_ASSERT_OK(RunBothPhases(
        [&](uint64_t* size, aclOpExecutor** executor) {
          return aclnnEluBackwardGetWorkspaceSize(grad, two, two, two, false, self, out, size,
                                                  executor);
        },
        &aclnnEluBackward, stream));
    ASSERT_TRUE(Near(out.Values(), std::vector<double>(static_cast<size_t>(count), 6), {}));
  }
  ACLIMB_ASSERT_OK(aclrtDestroyStream(stream));
  ACLIMB_ASSERT_OK(aclrtResetDevice(0));
}

TEST(OpenMp, OperatorsWorkInsideAParallelRegion) {
  ACLIMB_ASSERT_OK(aclrtSetDevice(0));
  for (unsigned team : {1u, 2u, 4u}) GOMP_parallel(&CallOperator, nullptr, team, 0);
  ACLIMB_ASSERT_OK(aclrtResetDevice(0));
}

}  // namespace
}  // namespace aclimb::testing
