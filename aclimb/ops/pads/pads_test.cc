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

}  // namespace aclimb::testing
