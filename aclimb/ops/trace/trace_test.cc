// What is particular to the operator; the suite has the rest.

#include <cstdint>
#include <limits>
#include <vector>

#include "aclimb/ops/trace/operators.h"
#include "tests/support/compare.h"
#include "tests/support/contract_harness.h"
#include "tests/support/device.h"
#include "tests/support/operator_suite.h"

namespace aclimb::testing {

ACLIMB_OPERATOR_SUITE(Trace, trace::kOperators);

namespace {

using namespace trace;  // NOLINT: the parameters' positions
using Values = std::vector<double>;

class Trace : public DeviceTest {
 protected:
  Values Of(const std::vector<int64_t>& shape, DType dtype, const Values& values, DType sum) {
    const DeviceTensor self(shape, dtype, values), out({}, sum);
    ACLIMB_EXPECT_OK(RunBothPhases(
        [&](uint64_t* size, aclOpExecutor** executor) {
          return aclnnTraceGetWorkspaceSize(self, out, size, executor);
        },
        &aclnnTrace, stream_));
    return out.Values();
  }
};

TEST_F(Trace, SumsOfDiagonals) {
  EXPECT_EQ(Of({2, 3}, DType::kFloat32, {1, 2, 3, 4, 5, 6}, DType::kFloat32), Values{6});
  EXPECT_EQ(Of({3, 2}, DType::kFloat16, {1, 2, 3, 4, 5, 6}, DType::kFloat16), Values{5});
  EXPECT_EQ(Of({0, 2}, DType::kFloat32, {}, DType::kFloat32), Values{0});
  EXPECT_EQ(Of({2, 2}, DType::kInt8, {100, 0, 0, 100}, DType::kInt64), Values{200});
  EXPECT_EQ(Of({2, 2}, DType::kBool, {1, 0, 1, 1}, DType::kInt64), Values{2});
  // What float32 would lose on the way.
  EXPECT_EQ(Of({3, 3}, DType::kFloat32, {1e8, 0, 0, 0, 1, 0, 0, 0, -1e8}, DType::kFloat32),
            Values{1});
}

TEST(TraceContract, EveryRuleIsEnforcedAndExplained) {
  ContractHarness<decltype(aclnnTraceGetWorkspaceSize)> harness(
      kContract, &aclnnTraceGetWorkspaceSize, [](CallArguments& a) {
        a.Tensor(kSelf, {2, 3}, DType::kFloat32);
        a.Tensor(kOut, {}, DType::kFloat32);
      });
  harness.ExpectAccepted();
  harness.ExpectGenericRules();
  harness.ExpectRule("dtype/out", [](CallArguments& a) { a.Tensor(kOut, {}, DType::kInt64); });
  harness.ExpectRule("dtype/out", [](CallArguments& a) { a.Tensor(kSelf, {2, 3}, DType::kInt32); });
  harness.ExpectEveryRuleCovered();
}

}  // namespace
}  // namespace aclimb::testing
