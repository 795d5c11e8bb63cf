// Operators called from inside a caller's parallel region: the work moves to the engine's thread,
// so neither side's team hangs.

#include <gtest/gtest.h>

#include <vector>

#include "aclnnop/aclnn_convolution_backward.h"
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

// oneDNN opens a team for any size.
void CallConvolution(void*) {
  ACLIMB_ASSERT_OK(aclrtSetDevice(0));
  aclrtStream stream = nullptr;
  ACLIMB_ASSERT_OK(aclrtCreateStream(&stream));
  const std::vector<int64_t> image = {1, 16, 16, 16};
  const std::vector<int64_t> filter = {16, 16, 3, 3};
  const DeviceTensor grad(image, DType::kFloat32, std::vector<double>(4096, 1));
  const DeviceTensor input(image, DType::kFloat32, std::vector<double>(4096, 1));
  const DeviceTensor weight(filter, DType::kFloat32, std::vector<double>(2304, 1));
  const DeviceTensor grad_input(image, DType::kFloat32);
  const DeviceTensor grad_weight(filter, DType::kFloat32);
  const DeviceTensor grad_bias({16}, DType::kFloat32);
  const IntArray one(std::vector<int64_t>{1, 1});
  const IntArray zero(std::vector<int64_t>{0, 0});
  const IntArray sizes(std::vector<int64_t>{16});
  const BoolArray all({true, true, true});
  ACLIMB_ASSERT_OK(RunBothPhases(
      [&](uint64_t* size, aclOpExecutor** executor) {
        return aclnnConvolutionBackwardGetWorkspaceSize(grad, input, weight, sizes, one, one, one,
                                                        false, zero, 1, all, 0, grad_input,
                                                        grad_weight, grad_bias, size, executor);
      },
      &aclnnConvolutionBackward, stream));
  ASSERT_EQ(grad_bias.Values(), std::vector<double>(16, 256));
  // The middle tap meets all 256 positions, the middle pixel all taps of all channels.
  ASSERT_EQ(grad_weight.Values()[4], 256);
  ASSERT_EQ(grad_input.Values()[8 * 16 + 8], 9 * 16);
  ACLIMB_ASSERT_OK(aclrtDestroyStream(stream));
  ACLIMB_ASSERT_OK(aclrtResetDevice(0));
}

TEST(OpenMp, ConvolutionsWorkInsideAParallelRegion) {
  ACLIMB_ASSERT_OK(aclrtSetDevice(0));
  for (unsigned team : {1u, 2u, 4u}) GOMP_parallel(&CallConvolution, nullptr, team, 0);
  ACLIMB_ASSERT_OK(aclrtResetDevice(0));
}

TEST(OpenMp, OperatorsWorkInsideAParallelRegion) {
  ACLIMB_ASSERT_OK(aclrtSetDevice(0));
  for (unsigned team : {1u, 2u, 4u}) GOMP_parallel(&CallOperator, nullptr, team, 0);
  ACLIMB_ASSERT_OK(aclrtResetDevice(0));
}

}  // namespace
}  // namespace aclimb::testing
