// Calls with lists and arrays: drawn, held against a contract that exists here alone, and read.
#include <gtest/gtest.h>

#include <set>

#include "aclimb/truth/draw_call.h"
#include "aclimb/truth/elements.h"
#include "aclimb/truth/obeys.h"
#include "aclimb/truth/outputs.h"

namespace aclimb::truth {
namespace {

using contract::Kind;

enum : int { kX, kY, kScalars, kWeights, kOther, kOut };

constexpr auto kFloats = contract::OnAll(contract::kFloatDTypes);
constexpr contract::Parameter kParameters[] = {
    contract::ListOf(contract::Input("x", kFloats, "of one dtype")),
    contract::WithRank(contract::ListOf(contract::Input("y", kFloats, "one for each of x")), 1, 4),
    contract::Attribute("scalars", Kind::kScalarList, "one for each of x"),
    contract::Attribute("weights", Kind::kFloatArray, "three"),
    contract::Input("other", kFloats, "shaped as all of out"),
    contract::ListOf(contract::Output("out", kFloats, "one for each of x"))};
constexpr contract::Rule kRules[] = {
    contract::SameDType("same-dtype/x", kX, kX, "cast them all"),
    contract::SameShape("same-shape/y", kY, kX, "allocate each with the shape of its x"),
    contract::Count("count/x", kX, contract::Between(1, 3), "pass one to three"),
    contract::Count("count/weights", kWeights, contract::Exactly(3), "pass three"),
    contract::SameDType("same-dtype/out", kOut, kOther, "cast them all"),
    contract::SameShape("same-shape/out", kOut, kOther, "allocate each with the shape of other")};
constexpr contract::Contract kContract = {.function = "aclnnTestLists",
                                          .folder = "test_lists",
                                          .summary = "Does nothing.",
                                          .parameters = kParameters,
                                          .rules = kRules};

TEST(DrawLists, ObeyTheContract) {
  std::set<int> sizes;
  std::set<DType> dtypes_of_y;
  bool shapes_differ = false;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    Draw draw(seed);
    Call call(kContract);
    DrawFromContract(draw, call);
    ASSERT_FALSE(draw.strange()) << seed;
    sizes.insert(call.ListSize(kX));
    EXPECT_EQ(call.ListSize(kScalars), call.ListSize(kX));
    EXPECT_EQ(call.ListSize(kOut), call.ListSize(kX));
    EXPECT_EQ(call.Values(kWeights).size(), 3u);
    dtypes_of_y.insert(call.DTypeOf({kY, 0}));
    if (call.ListSize(kX) > 1) {
      shapes_differ = shapes_differ || call.Shape({kX, 0}) != call.Shape({kX, 1});
    }
    for (int i = 0; i < call.ListSize(kX); ++i) {
      EXPECT_EQ(call.Values({kX, i}).size(), static_cast<size_t>(call.ElementCount({kX, i})));
      EXPECT_TRUE(call.Values({kOut, i}).empty());
    }
  }
  EXPECT_EQ(sizes, (std::set<int>{1, 2, 3}));
  EXPECT_EQ(dtypes_of_y.size(), 3u);
  EXPECT_TRUE(shapes_differ);
}

TEST(DrawLists, WhatTheContractRefusesDoesNotObey) {
  const auto obeys = [](void (*spoil)(Call&)) {
    Draw draw(5);
    Call call(kContract);
    DrawFromContract(draw, call);
    spoil(call);
    return Obeys(call, Product::kA2, false);
  };
  EXPECT_TRUE(obeys([](Call&) {}));
  EXPECT_FALSE(obeys([](Call& call) { call.At(kX).elements.emplace_back(); }));
  EXPECT_FALSE(obeys([](Call& call) { call.SetList(kX, 0); }));
  EXPECT_FALSE(obeys([](Call& call) { call.SetFloats(kWeights, {1, 2}); }));
  EXPECT_FALSE(obeys([](Call& call) { call.At({kY, 0}).shape.push_back(2); }));
  EXPECT_FALSE(obeys([](Call& call) { call.At(kScalars).given = false; }));
}

TEST(Lists, SlotsNameTheirTensors) {
  Call call(kContract);
  call.SetList(kX, 2);
  call.SetTensor({kX, 1}, {2}, DType::kFloat16, {1.0 / 3, 2});
  call.SetTensor(kOther, {}, DType::kFloat32, {7});
  call.SetFloats(kWeights, {0.1});
  EXPECT_EQ(call.Tensors(), (std::vector<Slot>{{kX, 1}, kOther}));
  EXPECT_EQ(call.NameOf({kX, 1}), "x[1]");
  EXPECT_EQ(call.NameOf(kOther), "other");
  EXPECT_EQ(call.Values({kX, 1}).front(), Rounded(1.0 / 3, DType::kFloat16));
  EXPECT_EQ(call.Values(kWeights).front(), static_cast<double>(0.1F));
  Outputs outputs;
  outputs.Set({kOut, 0}, {1}, Allowance{});
  outputs.Set({kOut, 1}, {2}, Allowance{});
  EXPECT_EQ(outputs.Find({kOut, 1})->values.front(), 2);
  EXPECT_EQ(outputs.Find(kOut), nullptr);
}

}  // namespace
}  // namespace aclimb::truth
