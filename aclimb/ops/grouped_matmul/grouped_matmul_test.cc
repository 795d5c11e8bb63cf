#include <vector>

#include "aclimb/ops/grouped_matmul/operators.h"
#include "tests/support/contract_harness.h"
#include "tests/support/device.h"
#include "tests/support/operator_suite.h"

namespace aclimb::testing::grouped_matmul_test {

ACLIMB_OPERATOR_SUITE(GroupedMatmul, grouped_matmul::kOperators);

namespace {

using namespace grouped_matmul;  // NOLINT: the parameters' positions

constexpr DType kF16 = DType::kFloat16, kF32 = DType::kFloat32;

TEST(GroupedMatmulContract, EveryRuleIsEnforcedAndExplained) {
  ContractHarness<decltype(aclnnGroupedMatmulV3GetWorkspaceSize)> harness(
      kContract, &aclnnGroupedMatmulV3GetWorkspaceSize, [](CallArguments& a) {
        a.Tensors(kX, {{{2, 3}, kF32}, {{5, 1, 4}, kF32}});
        a.Tensors(kWeight, {{{3, 6}, kF32}, {{4, 2}, kF32}});
        a.Tensors(kBias, {{{6}, kF32}, {{2}, kF32}});
        a.Integer(kGroupType, -1);
        a.Tensors(kY, {{{2, 6}, kF32}, {{5, 1, 2}, kF32}});
      });
  harness.ExpectAccepted();
  harness.ExpectAccepted([](CallArguments& a) { a.Integer(kSplitItem, 1); });
  harness.ExpectGenericRules({"one-dtype/x", "count/x"});
  harness.ExpectRule("count/x", [](CallArguments& a) {
    for (const int list : {kX, kWeight, kBias, kY}) a.Tensors(list, {});
  });
  harness.ExpectRule("one-dtype/x", [](CallArguments& a) {
    for (const int list : {kX, kWeight, kY}) a.Tensors(list, {{{2, 2}, kF32}, {{2, 2}, kF16}});
  });
  for (const int list : {kScale, kOffset, kAntiquantScale, kAntiquantOffset}) {
    harness.ExpectRule("absent/quantisation", [&](CallArguments& a) {
      a.Tensors(list, {{{6}, kF32}, {{2}, kF32}});
    });
  }
  harness.ExpectRule("no-groups", [](CallArguments& a) { a.Integer(kGroupType, 0); });
  harness.ExpectRule("no-groups", [](CallArguments& a) { a.Integer(kSplitItem, 2); });
  harness.ExpectRule("no-groups",
                     [](CallArguments& a) { a.Tensor(kGroupList, {2}, DType::kInt64); });
  harness.ExpectRule("bias", [](CallArguments& a) { a.Tensors(kBias, {{{6}, kF32}}); });
  harness.ExpectRule("bias", [](CallArguments& a) {
    a.Tensors(kBias, {{{6}, kF32}, {{3}, kF32}});
  });
  harness.ExpectRule("bias", [](CallArguments& a) {
    a.Tensors(kBias, {{{6}, kF32}, {{2}, kF16}});
  });
  harness.ExpectAccepted([](CallArguments& a) {
    for (const int list : {kX, kWeight, kY}) a.Tensors(list, {{{2, 2}, kF16}});
    a.Tensors(kBias, {{{2}, kF16}});
  });
  harness.ExpectRule("factors", [](CallArguments& a) {
    a.Tensors(kWeight, {{{3, 6}, kF32}, {{3, 2}, kF32}});
  });
  harness.ExpectRule("shape/y", [](CallArguments& a) {
    a.Tensors(kY, {{{2, 6}, kF32}, {{5, 2}, kF32}});
  });
  harness.ExpectEveryRuleCovered({"grouped_matmul_v3/product"});
}

// How much workspace so many products of one shape want.
uint64_t WorkspaceOf(size_t products) {
  const auto list = [products](int64_t rows, int64_t columns) {
    const int64_t shape[] = {rows, columns}, stride[] = {columns, 1};
    std::vector<aclTensor*> tensors;
    for (size_t i = 0; i < products; ++i) {
      tensors.push_back(
          aclCreateTensor(shape, 2, ACL_FLOAT16, stride, 0, ACL_FORMAT_ND, shape, 2, nullptr));
    }
    return aclCreateTensorList(tensors.data(), products);
  };
  aclTensorList* const x = list(64, 96);
  aclTensorList* const weight = list(96, 128);
  aclTensorList* const y = list(64, 128);
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  ACLIMB_EXPECT_OK(aclnnGroupedMatmulV3GetWorkspaceSize(
      x, weight, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, 0, -1, y, &size, &executor));
  ACLIMB_EXPECT_OK(aclDestroyAclOpExecutor(executor));
  for (aclTensorList* each : {x, weight, y}) ACLIMB_EXPECT_OK(aclDestroyTensorList(each));
  return size;
}

class GroupedMatmulWorkspace : public DeviceTest {};

TEST_F(GroupedMatmulWorkspace, IsOneForAllProducts) {
  EXPECT_GT(WorkspaceOf(1), 64u);
  EXPECT_EQ(WorkspaceOf(5), WorkspaceOf(1));
}

}  // namespace
}  // namespace aclimb::testing::grouped_matmul_test
