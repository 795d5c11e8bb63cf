// A call that obeys its contract costs no memory: each kind of rule and of shape, and lists.
#include "tests/support/allocations.h"

#include <gtest/gtest.h>

#include "aclimb/contract/test_call.h"
#include "aclimb/contract/well_formed.h"

namespace aclimb::contract {
namespace {

enum : int { kX, kMany, kScalar, kScalars, kDims, kMask, kMode, kEps, kSizes, kOut };

constexpr Parameter kParameters[] = {WithShape(Input("x", kAnyFloat, ""), "*B N 3"),
                                     WithShape(ListOf(Input("many", kAnyFloat, "")), "N S..."),
                                     Attribute("scalar", Kind::kScalar, ""),
                                     Attribute("scalars", Kind::kScalarList, ""),
                                     Attribute("dims", Kind::kIntArray, ""),
                                     Attribute("mask", Kind::kBoolArray, ""),
                                     Attribute("mode", Kind::kString, ""),
                                     Attribute("eps", Kind::kReal, ""),
                                     WithShape(Attribute("sizes", Kind::kIntArray, ""), "N 3"),
                                     WithShape(Output("out", kAnyFloat, ""), "*B sizes...")};
constexpr Rule kRules[] = {SameDType("a", kOut, kX, "fix"),
                           SameRank("b", kMany, kMany, "fix"),
                           SameShape("c", kOut, kX, "fix"),
                           ConvertsTo("d", kX, kOut, "fix"),
                           Promotes("e", kX, kScalar, kOut, "fix"),
                           Promotes("f", kMany, kScalars, "fix"),
                           ConvertsToFloat("g", kScalars, "fix"),
                           InRange("h", kDims, DistinctDimensionsOf(kX), "fix"),
                           InRange("i", kEps, Above(0), "fix"),
                           OneOf("j", kMode, "none|tanh", "fix"),
                           Count("k", kMask, Exactly(1), "fix", kAclnnNullptr),
                           Wanted("l", kOut, kMask, 0, "fix"),
                           Broadcasts("m", kOut, kX, kX, "fix")};
constexpr Contract kContract = {.parameters = kParameters, .rules = kRules};
static_assert(IsWellFormed(kContract));

TEST(Allocations, ACallThatIsRightTakesNothingFromTheHeap) {
  TestCall call(kContract);
  call.Tensor(kX, {5, 2, 3});
  call.Tensors(kMany, {{2, 7}, {2, 7}, {2, 7}});
  call.Scalar(kScalar, 1);
  call.Scalars(kScalars, {1, 2, 3});
  call.Ints(kDims, {0, -1});
  call.Bools(kMask, {1});
  call.String(kMode, "tanh");
  call.Real(kEps, 1e-5);
  call.Ints(kSizes, {2, 3});
  call.Tensor(kOut, {5, 2, 3});
  ASSERT_EQ(call.What(), "");
  const Arguments arguments = call.Given();
  testing::Allocations::Count();
  const bool right = CheckNulls(kContract, arguments).ok() && Check(kContract, arguments).ok();
  EXPECT_EQ(testing::Allocations::Stop(), 0u);
  EXPECT_TRUE(right);
}

}  // namespace
}  // namespace aclimb::contract
