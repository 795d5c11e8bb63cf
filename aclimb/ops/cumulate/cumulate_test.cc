// aclnnCumsum through its C interface.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "aclimb/ops/cumulate/operators.h"
#include "tests/support/compare.h"
#include "tests/support/contract_harness.h"
#include "tests/support/device.h"
#include "tests/support/operator_suite.h"
#include "tests/support/setting.h"

namespace aclimb::testing {

ACLIMB_OPERATOR_SUITE(Cumulate, cumulate::kOperators);

}  // namespace aclimb::testing

namespace aclimb::cumulate {
namespace {

using aclimb::testing::CallArguments;
using aclimb::testing::ContractHarness;
using aclimb::testing::DeviceTensor;
using aclimb::testing::Near;
using aclimb::testing::RunBothPhases;
using aclimb::testing::Setting;

using Values = std::vector<double>;

class Cumsum : public aclimb::testing::DeviceTest {
 protected:
  void Run(const DeviceTensor& self, int64_t dim, DType dtype, const DeviceTensor& out) {
    ACLIMB_EXPECT_OK(RunBothPhases(
        [&](uint64_t* size, aclOpExecutor** executor) {
          return aclnnCumsumGetWorkspaceSize(self, dim, static_cast<aclDataType>(dtype), out, size,
                                             executor);
        },
        &aclnnCumsum, stream_));
  }
};

TEST_F(Cumsum, NotFinite) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const DeviceTensor self({6}, DType::kFloat32, {1, kInfinity, 2, -kInfinity, 3, 4});
  const DeviceTensor out({6}, DType::kFloat32);
  Run(self, 0, DType::kFloat32, out);
  const double nan = std::nan("");
  EXPECT_TRUE(Near(out.Values(), {1, kInfinity, kInfinity, nan, nan, nan}, {}));
}

TEST_F(Cumsum, NarrowIntegersWrap) {
  const DeviceTensor self({3}, DType::kInt8, {100, 100, 100}), out({3}, DType::kInt8);
  Run(self, -1, DType::kInt8, out);
  EXPECT_TRUE(Near(out.Values(), {100, -56, 44}, {}));
}

// A single line, or a few side by side, go to the team in chunks.
TEST_F(Cumsum, LongLines) {
  constexpr int64_t kCount = 300'000;
  for (const int64_t lines : {1, 10}) {
    const std::vector<int64_t> shape = {kCount / lines, lines};
    const DeviceTensor self(shape, DType::kFloat32, Values(kCount, 0.1));
    Values expected;
    for (int64_t i = 0; i < kCount; ++i) {
      expected.push_back(static_cast<double>(i / lines + 1) * double{0.1f});
    }
    std::vector<unsigned char> bytes;
    for (const char* threads : {"1", "3"}) {
      const Setting setting("ACLIMB_THREADS", threads);
      const DeviceTensor out(shape, DType::kFloat32);
      Run(self, 0, DType::kFloat32, out);
      EXPECT_TRUE(Near(out.Values(), expected, {6e-8, 0}));
      if (bytes.empty()) bytes = out.Bytes();
      EXPECT_TRUE(out.Bytes() == bytes);
    }
  }
}

TEST_F(Cumsum, Refusals) {
  ContractHarness<decltype(aclnnCumsumGetWorkspaceSize)> harness(
      kContract, &aclnnCumsumGetWorkspaceSize, [](CallArguments& arguments) {
        arguments.Tensor(kSelf, {2, 3}, DType::kFloat32);
        arguments.Integer(kDim, 1);
        arguments.Integer(kDType, ACL_FLOAT);
        arguments.Tensor(kOut, {2, 3}, DType::kFloat32);
      });
  harness.ExpectAccepted();
  harness.ExpectGenericRules();
  harness.ExpectEveryRuleCovered();
}

}  // namespace
}  // namespace aclimb::cumulate
