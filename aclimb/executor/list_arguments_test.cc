// Phase 1 with lists and arrays: an operator that exists here alone, through the C interface.
#include <gtest/gtest.h>

#include "aclimb/contract/signature.h"
#include "aclimb/executor/phase.h"
#include "tests/support/contract_harness.h"

namespace aclimb {
namespace {

using testing::CallArguments;

enum : int { kX, kOther, kScalars, kWeights, kDims, kSelfRef, kOut };

constexpr auto kNumbers = contract::OnAll(contract::DTypes(
    DType::kFloat32, DType::kFloat64, DType::kInt32, DType::kUInt16, DType::kFloat16));

constexpr contract::Parameter kParameters[] = {
    contract::WithShape(contract::ListOf(contract::Input("x", kNumbers, "tensors")), "N C"),
    contract::Input("other", kNumbers, "meets selfRef"),
    contract::Attribute("scalars", contract::Kind::kScalarList, "a factor for each tensor"),
    contract::Attribute("weights", contract::Kind::kFloatArray, "from 0 to 1"),
    contract::Attribute("dims", contract::Kind::kIntArray, "dimensions of other"),
    contract::InOut("selfRef", kNumbers, "overwritten"),
    contract::ListOf(contract::Output("out", kNumbers, "one for each of x"))};
constexpr contract::Rule kRules[] = {
    contract::ConvertsToFloat("real/scalars", kScalars, "pass real scalars"),
    contract::SameDType("same-dtype/x", kX, kX, "cast them all"),
    contract::Promotes("promotes/out", kX, kScalars, kOut, "cast one of the two"),
    contract::Promotes("promotes/selfRef", kSelfRef, kOther, kSelfRef, "cast other"),
    contract::Count("count/x", kX, contract::AtLeast(1), "pass one tensor or more"),
    contract::InRange("range/weights", kWeights, contract::Between(0, 1), "pass probabilities"),
    contract::InRange("range/dims", kDims, contract::DistinctDimensionsOf(kOther), "count again"),
    contract::Broadcasts("broadcast/selfRef", kSelfRef, kSelfRef, kOther, "expand other"),
    contract::SameShape("same-shape/out", kOut, kX, "allocate each with the shape of its x")};
constexpr contract::Contract kContract = {.function = "aclnnTestLists",
                                          .folder = "test_lists",
                                          .summary = "Does nothing.",
                                          .parameters = kParameters,
                                          .rules = kRules};

int plans_made = 0;
Result<PlanPointer> MakePlan(const contract::Arguments& arguments, Planner&) {
  ++plans_made;
  EXPECT_EQ(arguments.ElementCount(kX), arguments.ElementCount(kScalars));
  EXPECT_EQ(arguments.Tensor(kX, 0).rank(), 2);
  EXPECT_EQ(arguments.Scalar(kScalars, 0).dtype, DType::kFloat32);
  return PlanPointer();
}

constinit Operator test_operator(kContract, &MakePlan);

aclnnStatus TestListsGetWorkspaceSize(const aclTensorList* x, const aclTensor* other,
                                      const aclScalarList* scalars, const aclFloatArray* weights,
                                      const aclIntArray* dims, aclTensor* selfRef,
                                      aclTensorList* out, uint64_t* workspaceSize,
                                      aclOpExecutor** executor) {
  return Phase1(test_operator, workspaceSize, executor, x, other, scalars, weights, dims, selfRef,
                out);
}
static_assert(contract::Matches<decltype(TestListsGetWorkspaceSize)>(kContract));

void Fill(CallArguments& a) {
  a.Tensors(kX, {{{2, 3}}, {{2, 3}}});
  a.Tensor(kOther, {3}, DType::kFloat32);
  a.Scalars(kScalars, {1, 2}, DType::kFloat32);
  a.Floats(kWeights, {0, 0.5f, 1});
  a.Ints(kDims, {-1});
  a.Tensor(kSelfRef, {2, 3}, DType::kFloat32);
  a.Tensors(kOut, {{{2, 3}}, {{2, 3}}});
}

using Harness = testing::ContractHarness<decltype(TestListsGetWorkspaceSize)>;

TEST(ListArguments, EveryRuleIsEnforcedAndExplained) {
  Harness harness(kContract, &TestListsGetWorkspaceSize, &Fill, testing::Naming::kEach);
  harness.ExpectAccepted();
  harness.ExpectGenericRules();
  harness.ExpectRule("promotes/out", [](CallArguments& a) {
    a.Tensors(kOut, {{{2, 3}}, {{2, 3}, DType::kInt32}});
  });
  harness.ExpectRule("count/x", [](CallArguments& a) {
    a.Tensors(kX, {});
    a.Tensors(kOut, {});
    a.Scalars(kScalars, {}, DType::kFloat32);
  });
  harness.ExpectRule("same-shape/out", [](CallArguments& a) { a.Tensors(kOut, {{{2, 3}}}); });
  harness.ExpectEveryRuleCovered();
}

TEST(ListArguments, EqualListsAreTheSameCallAndOthersAreNot) {
  Harness harness(kContract, &TestListsGetWorkspaceSize, &Fill);
  harness.ExpectAccepted();
  const int before = plans_made;
  harness.ExpectAccepted();
  EXPECT_EQ(plans_made, before);
  const auto expect_new = [&](const Harness::Mutation& mutate) {
    const int known = plans_made;
    harness.ExpectAccepted(mutate);
    EXPECT_EQ(plans_made, known + 1);
    harness.ExpectAccepted(mutate);
    EXPECT_EQ(plans_made, known + 1);
  };
  expect_new([](CallArguments& a) { a.Scalars(kScalars, {1, 3}, DType::kFloat32); });
  expect_new([](CallArguments& a) { a.Floats(kWeights, {0, 0.25f, 1}); });
  expect_new([](CallArguments& a) { a.Floats(kWeights, {0, 0.5f}); });
  expect_new([](CallArguments& a) {
    a.Tensors(kX, {{{4, 3}}, {{4, 3}}});
    a.Tensors(kOut, {{{4, 3}}, {{4, 3}}});
  });
  expect_new([](CallArguments& a) {
    a.Tensors(kX, {{{2, 3}}});
    a.Tensors(kOut, {{{2, 3}}});
    a.Scalars(kScalars, {1}, DType::kFloat32);
  });
}

}  // namespace
}  // namespace aclimb
