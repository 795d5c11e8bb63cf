#include <limits>

#include "aclimb/ops/pads/operators.h"
#include "tests/support/contract_harness.h"
#include "tests/support/operator_suite.h"

namespace aclimb::testing::pads_test {

ACLIMB_OPERATOR_SUITE(Pads, pads::kOperators);

class PadsRules : public DeviceTest {};

constexpr DType kFloat = DType::kFloat32;

TEST_F(PadsRules, ConstantPadNd) {
  using namespace pads::constant;  // NOLINT: the positions
  ContractHarness<decltype(aclnnConstantPadNdGetWorkspaceSize)> harness(
      kContract, &aclnnConstantPadNdGetWorkspaceSize, [](CallArguments& a) {
        a.Tensor(kSelf, {2, 3}, kFloat);
        a.Ints(kPad, {1, -2});
        a.ScalarOf(kValue, 2, DType::kFloat64);
        a.Tensor(kOut, {2, 2}, kFloat);
      });
  harness.ExpectAccepted();
  harness.ExpectGenericRules();
  harness.ExpectRule("converts/value",
                     [](CallArguments& a) { a.ScalarOf(kValue, 2, DType::kComplex64); });
  harness.ExpectRule("count/pad", [](CallArguments& a) { a.Ints(kPad, {1}); });
  harness.ExpectRule("count/pad", [](CallArguments& a) { a.Ints(kPad, {1, 1, 1, 1, 1, 1}); });
  for (const std::vector<int64_t>& pad : std::vector<std::vector<int64_t>>{
           {-4, 9}, {9, -4}, {-2, -2}, {INT64_MIN, INT64_MAX}, {INT64_MAX, INT64_MIN}}) {
    harness.ExpectRule("cut-off/pad", [&](CallArguments& a) { a.Ints(kPad, pad); });
  }
  harness.ExpectRule("shape/out", [](CallArguments& a) { a.Ints(kPad, {1, -1}); });
  harness.ExpectRule("shape/out", [](CallArguments& a) { a.Ints(kPad, {INT64_MAX, INT64_MAX}); });
  harness.ExpectEveryRuleCovered({"constant_pad_nd/product"});
}

TEST_F(PadsRules, ReflectionPad) {
  using namespace pads::around;  // NOLINT: the positions
  const auto test = [](const contract::Contract& contract, auto* phase1,
                       const std::vector<int64_t>& inner, const std::vector<int64_t>& padding,
                       const std::vector<int64_t>& around) {
    ContractHarness<std::remove_pointer_t<decltype(phase1)>> harness(
        contract, phase1, [&](CallArguments& a) {
          a.Tensor(kSelf, inner, kFloat);
          a.Ints(kPadding, padding);
          a.Tensor(kOut, around, kFloat);
        });
    const auto with = [&](size_t at, int64_t value) {
      return [&padding, at, value](CallArguments& a) {
        std::vector<int64_t> other = padding;
        other[at] = value;
        a.Ints(kPadding, other);
      };
    };
    harness.ExpectAccepted();
    harness.ExpectGenericRules();
    harness.ExpectRule("below-extent/padding", with(1, 3));
    harness.ExpectRule("below-extent/padding", with(padding.size() - 1, 3));
    harness.ExpectRule("shape/out", with(0, 2));
    harness.ExpectEveryRuleCovered({std::string(contract.folder) + "/product"});
  };
  test(pads::kReflectionPad1dContract, &aclnnReflectionPad1dGetWorkspaceSize, {2, 3}, {1, 2},
       {2, 6});
  test(pads::kReflectionPad2dContract, &aclnnReflectionPad2dGetWorkspaceSize, {1, 3, 3},
       {1, 2, 0, 1}, {1, 4, 6});
  test(pads::kReflectionPad3dContract, &aclnnReflectionPad3dGetWorkspaceSize, {1, 3, 3, 3},
       {1, 2, 0, 1, 2, 1}, {1, 6, 4, 6});
}

TEST_F(PadsRules, ReplicationPad) {
  using namespace pads::around;  // NOLINT: the positions
  const auto test = [](const contract::Contract& contract, auto* phase1,
                       const std::vector<int64_t>& inner, const std::vector<int64_t>& padding,
                       const std::vector<int64_t>& around) {
    ContractHarness<std::remove_pointer_t<decltype(phase1)>> harness(
        contract, phase1, [&](CallArguments& a) {
          a.Tensor(kSelf, inner, kFloat);
          a.Ints(kPadding, padding);
          a.Tensor(kOut, around, kFloat);
        });
    harness.ExpectAccepted();
    harness.ExpectGenericRules();
    harness.ExpectRule("edges/self", [&](CallArguments& a) {
      std::vector<int64_t> empty = inner;
      empty.back() = 0;
      a.Tensor(kSelf, empty, kFloat);
    });
    for (const int64_t cut : {int64_t{-2}, int64_t{-3}, std::numeric_limits<int64_t>::min()}) {
      harness.ExpectRule("cut-off/padding", [&](CallArguments& a) {
        std::vector<int64_t> shorter = padding;
        shorter[0] = shorter[1] = cut;
        a.Ints(kPadding, shorter);
      });
    }
    harness.ExpectRule("cut-off/padding", [&](CallArguments& a) {
      std::vector<int64_t> all = padding;
      all[0] = -1;
      all[1] = -2;
      a.Ints(kPadding, all);
      std::vector<int64_t> empty = around;
      empty.back() = 0;
      a.Tensor(kOut, empty, kFloat);
    });
    harness.ExpectRule("shape/out", [&](CallArguments& a) { a.Tensor(kOut, inner, kFloat); });
    harness.ExpectRule("shape/out", [&](CallArguments& a) {
      std::vector<int64_t> longest = padding, shape(inner.size(), 1);
      longest[0] = longest[1] = INT64_MAX;
      shape.back() = 3;
      a.Tensor(kSelf, shape, DType::kInt8);
      a.Ints(kPadding, longest);
      shape.back() = INT64_MAX;
      a.Tensor(kOut, shape, DType::kInt8);
    });
    harness.ExpectEveryRuleCovered({std::string(contract.folder) + "/product"});
  };
  test(pads::kReplicationPad1dContract, &aclnnReplicationPad1dGetWorkspaceSize, {1, 2, 3}, {1, 7},
       {1, 2, 11});
  test(pads::kReplicationPad1dContract, &aclnnReplicationPad1dGetWorkspaceSize, {1, 2, 3}, {-1, 2},
       {1, 2, 4});
  test(pads::kReplicationPad2dContract, &aclnnReplicationPad2dGetWorkspaceSize, {1, 2, 3},
       {1, 2, 0, 1}, {1, 3, 6});
  test(pads::kReplicationPad3dContract, &aclnnReplicationPad3dGetWorkspaceSize, {1, 2, 2, 3},
       {1, 2, 0, 1, 3, -1}, {1, 4, 3, 6});
}

TEST(PadsMessages, TheDimensionThatOverflowsIsNamed) {
  TensorDescriptor self, out;
  self.shape = {1, 2, 3};
  out.shape = {1, 2, 4};
  EXPECT_EQ(pads::OtherShapeAround("out", out, self, "padding", {1, 2, 5, INT64_MAX}),
            "out.shape is [1, 2, 4]; expected at most 2^63 - 1 elements along a dimension, but "
            "self.shape [1, 2, 3] and padding [1, 2, 5, 9223372036854775807] give more along "
            "dimension 1.");
}

TEST_F(PadsRules, Gradients) {
  using namespace pads::gradient;  // NOLINT: the positions
  const auto test = [](const contract::Contract& contract, auto* phase1, pads::Edge edge,
                       const std::vector<int64_t>& padding, const std::vector<int64_t>& around,
                       const std::vector<int64_t>& inner = {1, 2, 3}) {
    ContractHarness<std::remove_pointer_t<decltype(phase1)>> harness(
        contract, phase1, [&](CallArguments& a) {
          a.Tensor(kGradOutput, around, kFloat);
          a.Tensor(kSelf, inner, kFloat);
          a.Ints(kPadding, padding);
          a.Tensor(kGradInput, inner, kFloat);
        });
    harness.ExpectAccepted();
    harness.ExpectGenericRules();
    if (edge == pads::Edge::kMirrored) {
      harness.ExpectRule("below-extent/padding", [&](CallArguments& a) {
        std::vector<int64_t> longer = padding;
        longer[0] = 3;
        a.Ints(kPadding, longer);
      });
    } else {
      harness.ExpectRule("edges/self", [&](CallArguments& a) {
        std::vector<int64_t> none = inner;
        none.back() = 0;
        a.Tensor(kSelf, none, kFloat);
      });
      harness.ExpectRule("cut-off/padding", [&](CallArguments& a) {
        std::vector<int64_t> all = padding;
        all[0] = -1;
        all[1] = -2;
        a.Ints(kPadding, all);
        std::vector<int64_t> empty = around;
        empty.back() = 0;
        a.Tensor(kGradOutput, empty, kFloat);
      });
    }
    harness.ExpectRule("shape/gradOutput",
                       [&](CallArguments& a) { a.Tensor(kGradOutput, inner, kFloat); });
    harness.ExpectEveryRuleCovered({std::string(contract.folder) + "/product"});
  };
  using pads::Edge;
  test(pads::kReflectionPad1dBackwardContract, &aclnnReflectionPad1dBackwardGetWorkspaceSize,
       Edge::kMirrored, {1, 2}, {1, 2, 6});
  test(pads::kReflectionPad2dBackwardContract, &aclnnReflectionPad2dBackwardGetWorkspaceSize,
       Edge::kMirrored, {1, 2, 0, 1}, {1, 3, 6});
  test(pads::kReplicationPad1dBackwardContract, &aclnnReplicationPad1dBackwardGetWorkspaceSize,
       Edge::kRepeated, {1, 2}, {1, 2, 6});
  test(pads::kReplicationPad1dBackwardContract, &aclnnReplicationPad1dBackwardGetWorkspaceSize,
       Edge::kRepeated, {4, -2}, {1, 2, 5});
  test(pads::kReplicationPad2dBackwardContract, &aclnnReplicationPad2dBackwardGetWorkspaceSize,
       Edge::kRepeated, {1, 2, 0, 1}, {1, 3, 6});
  test(pads::kReflectionPad3dBackwardContract, &aclnnReflectionPad3dBackwardGetWorkspaceSize,
       Edge::kMirrored, {1, 2, 0, 1, 1, 0}, {1, 3, 3, 6}, {1, 2, 2, 3});
  test(pads::kReplicationPad3dBackwardContract, &aclnnReplicationPad3dBackwardGetWorkspaceSize,
       Edge::kRepeated, {1, 2, 0, 1, 3, -1}, {1, 4, 3, 6}, {1, 2, 2, 3});
}

}  // namespace aclimb::testing::pads_test
