#include "aclimb/contract/test_call.h"
#include "aclimb/ops/joins/operators.h"
#include "tests/support/contract_harness.h"
#include "tests/support/operator_suite.h"

namespace aclimb::testing::joins_test {

ACLIMB_OPERATOR_SUITE(Joins, joins::kOperators);

class JoinsRules : public DeviceTest {};

constexpr DType kFloat = DType::kFloat32;

TEST_F(JoinsRules, Cat) {
  using namespace joins::join;  // NOLINT: the positions
  ContractHarness<decltype(aclnnCatGetWorkspaceSize)> harness(
      joins::cat::kContract, &aclnnCatGetWorkspaceSize, [](CallArguments& a) {
        a.Tensors(kTensors, {{{2, 3}, kFloat}, {{2, 4}, DType::kInt32}});
        a.Integer(kDim, -1);
        a.Tensor(kOut, {2, 7}, kFloat);
      });
  harness.ExpectAccepted();
  harness.ExpectGenericRules();
  harness.ExpectRule("promotes/tensors", [](CallArguments& a) {
    a.Tensor(kOut, {2, 7}, DType::kInt32);
  });
  harness.ExpectRule("shape/tensors", [](CallArguments& a) {
    a.Tensors(kTensors, {{{2, 3}, kFloat}, {{3, 4}, kFloat}});
  });
  harness.ExpectRule("shape/tensors", [](CallArguments& a) {
    a.Tensors(kTensors, {{{2, 3}, kFloat}, {{4}, kFloat}});
  });
  harness.ExpectRule("shape/out", [](CallArguments& a) { a.Tensor(kOut, {2, 6}, kFloat); });
  harness.ExpectEveryRuleCovered({"cat/product"});
}

TEST(Cat, TheTensorThatDecidesTheDTypeIsNamed) {
  using namespace joins::join;  // NOLINT: the positions
  TensorDescriptor first, second;
  first.shape = {2, 3};
  second.shape = {2, 4};
  first.stride = ContiguousStrides(first.shape);
  second.stride = ContiguousStrides(second.shape);
  first.dtype = kFloat;
  second.dtype = DType::kComplex64;
  const contract::Argument tensors[] = {{.handle = &first, .object = &first},
                                        {.handle = &second, .object = &second}};
  contract::TestCall call(joins::cat::kContract);
  call.Tensors(kTensors, {});
  call.At(kTensors).elements = tensors;
  call.Integer(kDim, 1);
  call.Tensor(kOut, {2, 7});
  EXPECT_EQ(call.What(),
            "out.dtype is FLOAT (shape [2, 7]) but tensors[1].dtype is COMPLEX64 (shape [2, 4]) "
            "and all promote to COMPLEX64; expected an output dtype that COMPLEX64 converts to.");
}

TEST_F(JoinsRules, ALengthThatOverflowsIsToldSo) {
  contract::TestCall call(joins::cat::kContract);
  const std::vector<int64_t> long_shape = {int64_t{1} << 62};
  call.Tensors(joins::cat::kTensors, {long_shape, long_shape, long_shape, long_shape},
               DType::kInt8);
  call.Integer(joins::cat::kDim, 0);
  call.Tensor(joins::cat::kOut, {0}, DType::kInt8);
  EXPECT_EQ(call.What(),
            "out.shape is [0]; expected at most 2^63 - 1 elements along a dimension, but "
            "tensors[0].shape [4611686018427387904], 4 tensors and dim 0 give more along "
            "dimension 0.");
}

TEST_F(JoinsRules, Stack) {
  using namespace joins::join;  // NOLINT: the positions
  ContractHarness<decltype(aclnnStackGetWorkspaceSize)> harness(
      joins::stack::kContract, &aclnnStackGetWorkspaceSize, [](CallArguments& a) {
        a.Tensors(kTensors, {{{2, 3}, kFloat}, {{2, 3}, DType::kInt32}});
        a.Integer(kDim, 1);
        a.Tensor(kOut, {2, 2, 3}, kFloat);
      });
  harness.ExpectAccepted();
  harness.ExpectAccepted([](CallArguments& a) {
    a.Integer(kDim, -3);
    a.Tensor(kOut, {2, 2, 3}, kFloat);
  });
  harness.ExpectGenericRules();
  harness.ExpectRule("promotes/tensors",
                     [](CallArguments& a) {
                       a.Tensors(kTensors, {{{2, 3}, kFloat}, {{2, 3}, DType::kUInt32}});
                     },
                     {{"tensors"}});
  harness.ExpectRule("shape/out", [](CallArguments& a) { a.Tensor(kOut, {2, 3, 2}, kFloat); });
  harness.ExpectEveryRuleCovered({"stack/product"});
}

TEST_F(JoinsRules, SplitTensor) {
  using namespace joins::split;  // NOLINT: the positions
  ContractHarness<decltype(aclnnSplitTensorGetWorkspaceSize)> harness(
      joins::split_tensor::kContract, &aclnnSplitTensorGetWorkspaceSize, [](CallArguments& a) {
        a.Tensor(kSelf, {2, 5}, kFloat);
        a.Integer(kSizes, 3);
        a.Integer(kDim, -1);
        a.Tensors(kOut, {{{2, 3}, kFloat}, {{2, 2}, kFloat}});
      });
  harness.ExpectAccepted();
  harness.ExpectGenericRules();
  harness.ExpectRule("above-0/splitSections", [](CallArguments& a) { a.Integer(kSizes, 0); });
  harness.ExpectRule("shape/out", [](CallArguments& a) { a.Integer(kSizes, 2); });
  harness.ExpectRule("shape/out", [](CallArguments& a) { a.Integer(kSizes, -1); });
  harness.ExpectRule("shape/out", [](CallArguments& a) {
    a.Tensors(kOut, {{{2, 3}, kFloat}, {{2, 3}, kFloat}});
  });
  harness.ExpectEveryRuleCovered({"split_tensor/product"});
}

TEST_F(JoinsRules, SplitWithSize) {
  using namespace joins::split;  // NOLINT: the positions
  ContractHarness<decltype(aclnnSplitWithSizeGetWorkspaceSize)> harness(
      joins::split_with_size::kContract, &aclnnSplitWithSizeGetWorkspaceSize, [](CallArguments& a) {
        a.Tensor(kSelf, {5, 2}, kFloat);
        a.Ints(kSizes, {1, 4});
        a.Integer(kDim, 0);
        a.Tensors(kOut, {{{1, 2}, kFloat}, {{4, 2}, kFloat}});
      });
  harness.ExpectAccepted();
  harness.ExpectGenericRules();
  harness.ExpectRule("sum/splitSize", [](CallArguments& a) { a.Ints(kSizes, {1, 3}); });
  harness.ExpectRule("sum/splitSize", [](CallArguments& a) {
    a.Ints(kSizes, {INT64_MAX, INT64_MAX, 7});
  });
  harness.ExpectRule("shape/out", [](CallArguments& a) { a.Ints(kSizes, {4, 1}); });
  harness.ExpectRule("shape/out", [](CallArguments& a) { a.Ints(kSizes, {4, 1, 0}); });
  harness.ExpectEveryRuleCovered({"split_with_size/product"});
}

}  // namespace aclimb::testing::joins_test
