// The operators of this folder through their C interfaces: the suite, and what is particular.

#include "aclimb/ops/foreach/operators.h"
#include "tests/support/contract_harness.h"
#include "tests/support/operator_suite.h"

namespace aclimb::testing {

ACLIMB_OPERATOR_SUITE(Foreach, foreach::kOperators);

class ForeachRules : public DeviceTest {};

constexpr DType kFloat = DType::kFloat32;
const std::vector<TensorSpec> kTensors = {{{2, 3}, kFloat}, {{4}, kFloat}};

TEST_F(ForeachRules, Unary) {
  ContractHarness<decltype(aclnnForeachSqrtGetWorkspaceSize)> harness(
      foreach::kForeachSqrtContract, &aclnnForeachSqrtGetWorkspaceSize, [](CallArguments& a) {
        a.Tensors(0, kTensors);
        a.Tensors(1, kTensors);
      });
  harness.ExpectAccepted();
  harness.ExpectGenericRules();
  harness.ExpectRule("same-shape/out", [](CallArguments& a) {
    a.Tensors(1, {{{2, 3}, kFloat}, {{5}, kFloat}});
  });
  harness.ExpectEveryRuleCovered({"foreach_sqrt/product"});
}

TEST_F(ForeachRules, Alpha) {
  ContractHarness<decltype(aclnnForeachAddListV2GetWorkspaceSize)> harness(
      foreach::kForeachAddListV2Contract, &aclnnForeachAddListV2GetWorkspaceSize,
      [](CallArguments& a) {
        a.Tensors(0, kTensors);
        a.Tensors(1, kTensors);
        a.ScalarOf(2, 0.5, DType::kFloat64);
        a.Tensors(3, kTensors);
      });
  harness.ExpectAccepted();
  harness.ExpectGenericRules({"fits/alpha"});
  harness.ExpectRule("fits/alpha", [](CallArguments& a) {
    for (const int list : {0, 1, 3}) a.Tensors(list, {{{2}, DType::kInt32}});
  });
  harness.ExpectEveryRuleCovered({"foreach_add_list_v2/product"});
}

TEST_F(ForeachRules, ScalarList) {
  ContractHarness<decltype(aclnnForeachMulScalarListGetWorkspaceSize)> harness(
      foreach::kForeachMulScalarListContract, &aclnnForeachMulScalarListGetWorkspaceSize,
      [](CallArguments& a) {
        a.Tensors(0, kTensors);
        a.Scalars(1, {0.5, 2}, kFloat);
        a.Tensors(2, kTensors);
      });
  harness.ExpectAccepted();
  harness.ExpectGenericRules({"fits/scalars", "count/scalars"});
  harness.ExpectRule("fits/scalars", [](CallArguments& a) {
    for (const int list : {0, 2}) a.Tensors(list, {{{2}, DType::kInt32}, {{2}, DType::kInt32}});
  });
  harness.ExpectRule("count/scalars", [](CallArguments& a) { a.Scalars(1, {1}, kFloat); });
  harness.ExpectEveryRuleCovered({"foreach_mul_scalar_list/product"});
}

TEST_F(ForeachRules, ScalarsInATensor) {
  ContractHarness<decltype(aclnnForeachAddcdivListGetWorkspaceSize)> harness(
      foreach::kForeachAddcdivListContract, &aclnnForeachAddcdivListGetWorkspaceSize,
      [](CallArguments& a) {
        for (const int list : {0, 1, 2, 4}) a.Tensors(list, kTensors);
        a.Tensor(3, {2}, kFloat);
      });
  harness.ExpectAccepted();
  harness.ExpectGenericRules({"length/scalars"});
  harness.ExpectRule("length/scalars", [](CallArguments& a) { a.Tensor(3, {3}, kFloat); });
  harness.ExpectEveryRuleCovered({"foreach_addcdiv_list/product"});
}

TEST_F(ForeachRules, EmptyListsAreDone) {
  aclTensorList* const none = aclCreateTensorList(nullptr, 0);
  if (none == nullptr) GTEST_SKIP() << "no list is empty";
  const Scalar two(2.0f);
  EXPECT_EQ(RunBothPhases(
                [&](uint64_t* size, aclOpExecutor** executor) {
                  return aclnnForeachMulScalarV2GetWorkspaceSize(none, two, none, size, executor);
                },
                &aclnnForeachMulScalarV2, stream_),
            0);
  EXPECT_EQ(aclDestroyTensorList(none), 0);
}

// Tensors that share a loop, those that have one each, strided ones and empty ones.
TEST_F(ForeachRules, LongListsOfAnyTensors) {
  std::vector<std::unique_ptr<DeviceTensor>> tensors;
  std::vector<const aclTensor*> members;
  std::vector<std::vector<double>> expected;
  for (int i = 0; i < 60; ++i) {
    const int64_t count = i == 7 ? 900'000 : i % 5 == 0 ? 0 : 1 + 997 * i % 20'000;
    std::vector<double> values;
    for (int64_t k = 0; k < count; ++k) values.push_back(static_cast<double>((k + i) % 100));
    DeviceTensor::Options options;
    if (i % 7 == 3) options.stride = {3};
    tensors.push_back(
        std::make_unique<DeviceTensor>(std::vector<int64_t>{count}, kFloat, values, options));
    for (double& value : values) value *= 2;
    expected.push_back(values);
    members.push_back(tensors.back()->TakeDescriptor());
  }
  aclTensorList* const list = aclCreateTensorList(members.data(), members.size());
  const Scalar two(2.0, DType::kFloat64);
  EXPECT_EQ(RunBothPhases(
                [&](uint64_t* size, aclOpExecutor** executor) {
                  return aclnnForeachMulScalarV2GetWorkspaceSize(list, two, list, size, executor);
                },
                &aclnnForeachMulScalarV2, stream_),
            0)
      << aclGetRecentErrMsg();
  for (size_t i = 0; i < tensors.size(); ++i) {
    EXPECT_TRUE(tensors[i]->Values() == expected[i]) << i;
    EXPECT_TRUE(tensors[i]->SurroundingsIntact()) << i;
  }
  EXPECT_EQ(aclDestroyTensorList(list), 0);
}

}  // namespace aclimb::testing
