#include "aclimb/ops/repeats/operators.h"
#include "tests/support/contract_harness.h"
#include "tests/support/operator_run.h"
#include "tests/support/operator_suite.h"

namespace aclimb::testing {

ACLIMB_OPERATOR_SUITE(Repeats, repeats::kOperators);

class RepeatsRules : public DeviceTest {};

constexpr DType kFloat = DType::kFloat32;

TEST_F(RepeatsRules, Expand) {
  using namespace repeats::expand;  // NOLINT: the positions
  ContractHarness<decltype(aclnnExpandGetWorkspaceSize)> harness(
      kContract, &aclnnExpandGetWorkspaceSize, [](CallArguments& a) {
        a.Tensor(kSelf, {1, 3}, kFloat);
        a.Ints(kSize, {4, 2, -1});
        a.Tensor(kOut, {4, 2, 3}, kFloat);
      });
  harness.ExpectAccepted();
  harness.ExpectGenericRules();
  for (const std::vector<int64_t>& size : std::vector<std::vector<int64_t>>{
           {2}, {-1, 2, 3}, {4, 2, 2}, {4, 2, -2}, {1, 1, 1, 1, 1, 1, 1, 2, 3}}) {
    harness.ExpectRule("broadcasts/size", [&](CallArguments& a) { a.Ints(kSize, size); });
  }
  harness.ExpectRule("shape/out", [](CallArguments& a) { a.Tensor(kOut, {2, 4, 3}, kFloat); });
  harness.ExpectEveryRuleCovered({"expand/product"});
}

TEST_F(RepeatsRules, Repeat) {
  using namespace repeats::repeat;  // NOLINT: the positions
  ContractHarness<decltype(aclnnRepeatGetWorkspaceSize)> harness(
      kContract, &aclnnRepeatGetWorkspaceSize, [](CallArguments& a) {
        a.Tensor(kSelf, {2, 3}, kFloat);
        a.Ints(kRepeats, {4, 1, 2});
        a.Tensor(kOut, {4, 2, 6}, kFloat);
      });
  harness.ExpectAccepted();
  harness.ExpectGenericRules();
  harness.ExpectRule("count/repeats", [](CallArguments& a) { a.Ints(kRepeats, {2}); });
  harness.ExpectRule("count/repeats", [](CallArguments& a) {
    a.Ints(kRepeats, {1, 1, 1, 1, 1, 1, 1, 1, 1});
  });
  harness.ExpectRule("shape/out", [](CallArguments& a) { a.Ints(kRepeats, {4, 2, 1}); });
  harness.ExpectRule("shape/out", [](CallArguments& a) {
    a.Ints(kRepeats, {INT64_MAX, INT64_MAX});
  });
  harness.ExpectEveryRuleCovered({"repeat/product"});
}

TEST_F(RepeatsRules, RepeatInterleaveIntWithDim) {
  using namespace repeats::interleave;  // NOLINT: the positions
  ContractHarness<decltype(aclnnRepeatInterleaveIntWithDimGetWorkspaceSize)> harness(
      kContract, &aclnnRepeatInterleaveIntWithDimGetWorkspaceSize, [](CallArguments& a) {
        a.Tensor(kSelf, {2, 3}, kFloat);
        a.Integer(kRepeats, 4);
        a.Integer(kDim, -1);
        a.Integer(kOutputSize, 12);
        a.Tensor(kOut, {2, 12}, kFloat);
      });
  harness.ExpectAccepted();
  harness.ExpectGenericRules();
  harness.ExpectRule("output-size/outputSize", [](CallArguments& a) { a.Integer(kOutputSize, 8); });
  harness.ExpectRule("output-size/outputSize",
                     [](CallArguments& a) { a.Integer(kRepeats, INT64_MAX); });
  harness.ExpectRule("shape/out", [](CallArguments& a) { a.Tensor(kOut, {12, 2}, kFloat); });
  harness.ExpectEveryRuleCovered({"repeat_interleave_int_with_dim/product"});
}

// Twice as many dimensions as kernels know, of which none can be made one with another.
TEST_F(RepeatsRules, EveryOneOfEightDimensionsIsRepeated) {
  using namespace repeats::repeat;  // NOLINT: the positions
  truth::Call call(kContract);
  std::vector<double> values;
  for (int i = 0; i < 256; ++i) values.push_back(i);
  call.SetTensor(kSelf, std::vector<int64_t>(8, 2), kFloat, values);
  call.SetInts(kRepeats, std::vector<int64_t>(8, 2));
  call.SetTensor(kOut, std::vector<int64_t>(8, 4), kFloat);
  OperatorRun run(repeats::kOperators[1], call);
  ACLIMB_ASSERT_OK(run.Run(stream_));
  run.ExpectTruth();
}

}  // namespace aclimb::testing
