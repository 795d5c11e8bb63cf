// What is particular to the operator; the suite has the rest.

#include <cstdint>
#include <vector>

#include "aclimb/ops/trace/operators.h"
#include "tests/support/compare.h"
#include "tests/support/contract_harness.h"
#include "tests/support/device.h"
#include "tests/support/operator_suite.h"

namespace aclimb::testing::trace_test {

ACLIMB_OPERATOR_SUITE(Trace, trace::kOperators);

namespace {

using Values = std::vector<double>;

class Trace : public DeviceTest {
 protected:
  Values Of(const DeviceTensor& self, DType dtype) {
    const DeviceTensor out({}, dtype);
    ACLIMB_EXPECT_OK(RunBothPhases(
        [&](uint64_t* size, aclOpExecutor** executor) {
          return aclnnTraceGetWorkspaceSize(self, out, size, executor);
        },
        &aclnnTrace, stream_));
    return out.Values();
  }
};

TEST_F(Trace, IntegersAreSummedAsWiderOnes) {
  EXPECT_EQ(Of(DeviceTensor({2, 3}, DType::kInt8, {100, 1, 1, 1, 100, 1}), DType::kInt64),
            (Values{200}));
  EXPECT_EQ(Of(DeviceTensor({3, 2}, DType::kBool, {1, 0, 0, 1, 1, 1}), DType::kInt64), (Values{2}));
}

TEST_F(Trace, NothingHasTheSumZero) {
  EXPECT_EQ(Of(DeviceTensor({0, 3}, DType::kFloat32, {}), DType::kFloat32), (Values{0}));
}

TEST(TraceContract, EveryRuleIsEnforcedAndExplained) {
  using namespace trace;  // NOLINT: the parameters' positions
  ContractHarness<decltype(aclnnTraceGetWorkspaceSize)> harness(
      kContract, &aclnnTraceGetWorkspaceSize, [](CallArguments& a) {
        a.Tensor(kSelf, {2, 3}, DType::kFloat32);
        a.Tensor(kOut, {}, DType::kFloat32);
      });
  harness.ExpectAccepted();
  harness.ExpectAccepted([](CallArguments& a) {
    a.Tensor(kSelf, {2, 3}, DType::kInt32);
    a.Tensor(kOut, {1}, DType::kInt64);
  });
  harness.ExpectAccepted([](CallArguments& a) {
    a.Tensor(kSelf, {1, 1}, DType::kFloat32, ACL_FORMAT_ND, {INT64_MAX, INT64_MAX});
  });
  harness.ExpectGenericRules();
  harness.ExpectRule("dtype/out", [](CallArguments& a) { a.Tensor(kOut, {}, DType::kInt64); });
  harness.ExpectEveryRuleCovered({"trace/product"});
}

}  // namespace
}  // namespace aclimb::testing::trace_test
