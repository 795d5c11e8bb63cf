#include <limits>

#include "aclimb/ops/pads/operators.h"
#include "tests/support/contract_harness.h"
#include "tests/support/operator_suite.h"

namespace aclimb::testing {

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
  using namespace pads::reflection;  // NOLINT: the positions
  ContractHarness<decltype(aclnnReflectionPad1dGetWorkspaceSize)> one(
      kContract1d, &aclnnReflectionPad1dGetWorkspaceSize, [](CallArguments& a) {
        a.Tensor(kSelf, {2, 3}, kFloat);
        a.Ints(kPadding, {1, 2});
        a.Tensor(kOut, {2, 6}, kFloat);
      });
  one.ExpectAccepted();
  one.ExpectGenericRules();
  one.ExpectRule("below-extent/padding", [](CallArguments& a) { a.Ints(kPadding, {1, 3}); });
  one.ExpectRule("shape/out", [](CallArguments& a) { a.Ints(kPadding, {2, 2}); });
  one.ExpectEveryRuleCovered({"reflection_pad1d/product"});
  ContractHarness<decltype(aclnnReflectionPad2dGetWorkspaceSize)> two(
      kContract2d, &aclnnReflectionPad2dGetWorkspaceSize, [](CallArguments& a) {
        a.Tensor(kSelf, {1, 2, 3}, kFloat);
        a.Ints(kPadding, {1, 2, 0, 1});
        a.Tensor(kOut, {1, 3, 6}, kFloat);
      });
  two.ExpectAccepted();
  two.ExpectGenericRules();
  two.ExpectRule("below-extent/padding", [](CallArguments& a) { a.Ints(kPadding, {1, 2, 2, 1}); });
  two.ExpectRule("shape/out", [](CallArguments& a) { a.Ints(kPadding, {1, 2, 0, 0}); });
  two.ExpectEveryRuleCovered({"reflection_pad2d/product"});
}

TEST_F(PadsRules, ReplicationPad) {
  using namespace pads::replication;  // NOLINT: the positions
  const auto test = [](const contract::Contract& contract, auto* phase1,
                       const std::vector<int64_t>& padding, const std::vector<int64_t>& around) {
    ContractHarness<std::remove_pointer_t<decltype(phase1)>> harness(
        contract, phase1, [&](CallArguments& a) {
          a.Tensor(kSelf, {1, 2, 3}, kFloat);
          a.Ints(kPadding, padding);
          a.Tensor(kOut, around, kFloat);
        });
    harness.ExpectAccepted();
    harness.ExpectGenericRules();
    harness.ExpectRule("edges/self", [](CallArguments& a) { a.Tensor(kSelf, {1, 2, 0}, kFloat); });
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
      empty[2] = 0;
      a.Tensor(kOut, empty, kFloat);
    });
    harness.ExpectRule("shape/out", [&](CallArguments& a) { a.Tensor(kOut, {1, 2, 3}, kFloat); });
    harness.ExpectRule("shape/out", [&](CallArguments& a) {
      std::vector<int64_t> longest = padding;
      longest[0] = longest[1] = INT64_MAX;
      a.Tensor(kSelf, {1, 1, 3}, DType::kInt8);
      a.Ints(kPadding, longest);
      a.Tensor(kOut, {1, 1, INT64_MAX}, DType::kInt8);
    });
    harness.ExpectEveryRuleCovered({std::string(contract.folder) + "/product"});
  };
  test(pads::kReplicationPad1dContract, &aclnnReplicationPad1dGetWorkspaceSize, {1, 7}, {1, 2, 11});
  test(pads::kReplicationPad1dContract, &aclnnReplicationPad1dGetWorkspaceSize, {-1, 2}, {1, 2, 4});
  test(pads::kReplicationPad2dContract, &aclnnReplicationPad2dGetWorkspaceSize, {1, 2, 0, 1},
       {1, 3, 6});
}

TEST_F(PadsRules, Gradients) {
  using namespace pads::gradient;  // NOLINT: the positions
  const auto test = [](const contract::Contract& contract, auto* phase1, pads::Edge edge,
                       const std::vector<int64_t>& padding, const std::vector<int64_t>& around) {
    ContractHarness<std::remove_pointer_t<decltype(phase1)>> harness(
        contract, phase1, [&](CallArguments& a) {
          a.Tensor(kGradOutput, around, kFloat);
          a.Tensor(kSelf, {1, 2, 3}, kFloat);
          a.Ints(kPadding, padding);
          a.Tensor(kGradInput, {1, 2, 3}, kFloat);
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
      harness.ExpectRule("edges/self", [](CallArguments& a) {
        a.Tensor(kSelf, {1, 2, 0}, kFloat);
      });
      harness.ExpectRule("cut-off/padding", [&](CallArguments& a) {
        std::vector<int64_t> all = padding;
        all[0] = -1;
        all[1] = -2;
        a.Ints(kPadding, all);
        std::vector<int64_t> empty = around;
        empty[2] = 0;
        a.Tensor(kGradOutput, empty, kFloat);
      });
    }
    harness.ExpectRule("shape/gradOutput", [](CallArguments& a) {
      a.Tensor(kGradOutput, {1, 2, 3}, kFloat);
    });
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
}

}  // namespace aclimb::testing
