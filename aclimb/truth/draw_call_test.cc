// Calls drawn from contracts that a test made up: all of them proper, and of every sort.
#include "aclimb/truth/draw_call.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>
#include <span>
#include <string>

#include "aclimb/contract/contract.h"

namespace aclimb::truth {
namespace {

using contract::Attribute;
using contract::Contract;
using contract::DTypes;
using contract::InOut;
using contract::Input;
using contract::Kind;
using contract::OnAll;
using contract::Optional;
using contract::Output;
using contract::Parameter;
using contract::Rule;
using contract::WithShape;

constexpr auto kNumbers =
    OnAll(DTypes(DType::kFloat32, DType::kFloat16, DType::kFloat64, DType::kInt8, DType::kInt32,
                 DType::kInt64, DType::kUInt8, DType::kBool, DType::kBFloat16));
constexpr auto kFloats = OnAll(contract::kFloatDTypes);

constexpr int kDraws = 1000;

// Calls `look` with what is drawn; none may be refused.
template <typename Look>
void DrawMany(const Contract& contract, Look&& look) {
  int refused = 0;
  for (uint64_t seed = 0; seed < kDraws; ++seed) {
    Draw draw(seed);
    Call call(contract);
    DrawFromContract(draw, call);
    if (draw.strange()) {
      ++refused;
    } else {
      look(call);
    }
  }
  EXPECT_EQ(refused, 0);
}

Contract ContractOf(std::span<const Parameter> parameters, std::span<const Rule> rules = {}) {
  return {.function = "aclnnMadeUp", .folder = "made_up", .parameters = parameters, .rules = rules};
}

TEST(DrawCallTest, TwoOperandsThatBroadcastAndPromote) {
  constexpr std::array kParameters = {Input("self", kNumbers, ""), Input("other", kNumbers, ""),
                                      Attribute("alpha", Kind::kScalar, ""),
                                      Output("out", kNumbers, "")};
  constexpr Rule kRules[] = {contract::Promotes("promotes/out", 0, 1, 3, ""),
                             contract::Broadcasts("broadcast/out", 3, 0, 1, "")};
  std::set<std::array<DType, 3>> dtypes;
  int larger = 0, crossed = 0, lower = 0;
  DrawMany(ContractOf(kParameters, kRules), [&](const Call& call) {
    dtypes.insert({call.DTypeOf(0), call.DTypeOf(1), call.DTypeOf(3)});
    const bool self = call.Shape(0) != call.Shape(3), other = call.Shape(1) != call.Shape(3);
    larger += self || other;
    crossed += self && other;
    lower += call.Shape(1).size() < call.Shape(3).size();
  });
  EXPECT_GT(dtypes.size(), 150u);
  EXPECT_GT(larger, kDraws / 4);
  EXPECT_GT(crossed, kDraws / 20);
  EXPECT_GT(lower, kDraws / 20);
}

TEST(DrawCallTest, InPlace) {
  constexpr std::array kParameters = {InOut("selfRef", kNumbers, ""), Input("other", kNumbers, "")};
  constexpr Rule kRules[] = {contract::Promotes("promotes/selfRef", 0, 1, 0, ""),
                             contract::Broadcasts("broadcast/selfRef", 0, 0, 1, "")};
  std::set<std::pair<DType, DType>> dtypes;
  int smaller = 0;
  DrawMany(ContractOf(kParameters, kRules), [&](const Call& call) {
    dtypes.insert({call.DTypeOf(0), call.DTypeOf(1)});
    smaller += call.Shape(0) != call.Shape(1);
  });
  EXPECT_GT(dtypes.size(), 40u);
  EXPECT_GT(smaller, kDraws / 4);
}

TEST(DrawCallTest, TensorAndScalar) {
  constexpr std::array kParameters = {Input("self", kNumbers, ""),
                                      Attribute("other", Kind::kScalar, ""),
                                      Output("out", kNumbers, "")};
  constexpr Rule kRules[] = {contract::Promotes("promotes/out", 0, 1, 2, ""),
                             contract::SameShape("same-shape/out", 2, 0, "")};
  std::set<std::array<DType, 3>> dtypes;
  DrawMany(ContractOf(kParameters, kRules), [&](const Call& call) {
    dtypes.insert({call.DTypeOf(0), call.DTypeOf(1), call.DTypeOf(2)});
  });
  EXPECT_GT(dtypes.size(), 100u);
}

TEST(DrawCallTest, ThreeOperandsOneMayBeLeftOut) {
  constexpr std::array kParameters = {Input("condition", OnAll(DTypes(DType::kBool)), ""),
                                      Optional(Input("self", kNumbers, "")),
                                      Input("other", kNumbers, ""), Output("out", kNumbers, "")};
  constexpr Rule kRules[] = {contract::Promotes("promotes/out", 1, 2, 3, ""),
                             contract::Broadcasts("broadcast/out", 3, 0, 1, 2, "")};
  int without = 0;
  DrawMany(ContractOf(kParameters, kRules),
           [&](const Call& call) { without += call.IsGiven(1) ? 0 : 1; });
  EXPECT_GT(without, kDraws / 4);
}

TEST(DrawCallTest, ProductsOfBatches) {
  constexpr std::array kParameters = {WithShape(Input("self", kFloats, ""), "*B M K"),
                                      WithShape(Input("mat2", kFloats, ""), "*B K N"),
                                      WithShape(Optional(Input("bias", kFloats, "")), "N"),
                                      WithShape(Output("out", kFloats, ""), "*B M N")};
  constexpr Rule kRules[] = {contract::ConvertsTo("converts/out", 0, 3, ""),
                             contract::SameDType("same-dtype/mat2", 1, 0, "")};
  int broadcast = 0;
  DrawMany(ContractOf(kParameters, kRules), [&](const Call& call) {
    broadcast += call.Shape(0).size() != call.Shape(1).size();
    for (int p = 0; p < 4; ++p) EXPECT_LE(call.ElementCount(p), 25'000);
  });
  EXPECT_GT(broadcast, kDraws / 20);
}

TEST(DrawCallTest, ShapesThatAttributesTell) {
  constexpr std::array kParameters = {
      WithShape(Input("self", kFloats, ""), "S... normalizedShape..."),
      Attribute("normalizedShape", Kind::kIntArray, ""),
      WithShape(Input("weight", kFloats, ""), "normalizedShape..."),
      WithShape(Attribute("sizes", Kind::kIntArray, ""), "S... 1 numWeights"),
      Attribute("numWeights", Kind::kInteger, ""),
      WithShape(Output("out", kFloats, ""), "numWeights S...")};
  constexpr Rule kRules[] = {contract::InRange("range/numWeights", 4, contract::Below2To63(), ""),
                             contract::Count("count/normalizedShape", 1, contract::AtLeast(1), "")};
  std::set<size_t> ranks;
  DrawMany(ContractOf(kParameters, kRules),
           [&](const Call& call) { ranks.insert(call.Shape(0).size()); });
  EXPECT_GE(ranks.size(), 6u);
}

TEST(DrawCallTest, Dimensions) {
  constexpr std::array kParameters = {
      Input("self", kNumbers, ""), Attribute("dim", Kind::kInteger, ""),
      Attribute("dims", Kind::kIntArray, ""), Attribute("place", Kind::kInteger, ""),
      Output("out", kNumbers, "")};
  constexpr Rule kRules[] = {
      contract::InRange("range/dim", 1, contract::DimensionOf(0), ""),
      contract::InRange("range/dims", 2, contract::DistinctDimensionsOf(0), ""),
      contract::InRange("range/place", 3, contract::NewDimensionOf(0), ""),
      contract::SameRank("same-rank/out", 4, 0, "")};
  std::set<int64_t> dims;
  std::set<size_t> counts;
  DrawMany(ContractOf(kParameters, kRules), [&](const Call& call) {
    dims.insert(call.Integer(1));
    counts.insert(call.Ints(2).size());
  });
  EXPECT_EQ(dims.size(), 16u);
  EXPECT_GE(counts.size(), 4u);
}

TEST(DrawCallTest, NumbersWithinBounds) {
  constexpr std::array kParameters = {Attribute("p", Kind::kReal, ""),
                                      Attribute("eps", Kind::kReal, ""),
                                      Attribute("groups", Kind::kInteger, ""),
                                      Attribute("beta", Kind::kScalar, ""),
                                      Attribute("reduction", Kind::kString, ""),
                                      Attribute("ceil", Kind::kReal, ""),
                                      Input("self", kFloats, "")};
  constexpr Rule kRules[] = {contract::InRange("range/p", 0, contract::Between(0, 1), ""),
                             contract::InRange("range/eps", 1, contract::Above(0), ""),
                             contract::InRange("range/groups", 2, contract::AtLeast(1), ""),
                             contract::InRange("range/beta", 3, contract::Above(0), ""),
                             contract::OneOf("one-of/reduction", 4, "none|mean|sum", ""),
                             contract::InRange("range/ceil", 5, contract::AtMost(-5), "")};
  std::set<double> ps;
  std::set<std::string> texts;
  DrawMany(ContractOf(kParameters, kRules), [&](const Call& call) {
    ps.insert(call.Real(0));
    texts.insert(call.Text(4, ""));
  });
  EXPECT_GE(ps.size(), 9u);
  EXPECT_EQ(texts, (std::set<std::string>{"none", "mean", "sum"}));
}

TEST(DrawCallTest, NumbersWhoseBoundsAFlagBehindThemSets) {
  constexpr std::array kParameters = {Attribute("slope", Kind::kReal, ""),
                                      Attribute("isResult", Kind::kBool, ""),
                                      Input("self", kFloats, "")};
  constexpr Rule kRules[] = {contract::InRangeWhen("range/slope", 0, contract::AtLeast(0), 1, "")};
  int results = 0, negative = 0;
  DrawMany(ContractOf(kParameters, kRules), [&](const Call& call) {
    results += call.Bool(1) ? 1 : 0;
    negative += call.Real(0) < 0 ? 1 : 0;
    EXPECT_TRUE(!call.Bool(1) || call.Real(0) >= 0) << call.Real(0);
  });
  EXPECT_GE(results, kDraws / 4);
  EXPECT_GE(negative, kDraws / 16);
}

// After its end a byte string has zeros only.
TEST(DrawCallTest, NothingDrawsAProperCall) {
  constexpr std::array kParameters = {Input("self", kNumbers, ""), Input("other", kNumbers, ""),
                                      Output("out", kNumbers, "")};
  constexpr Rule kRules[] = {contract::Promotes("promotes/out", 0, 1, 2, ""),
                             contract::Broadcasts("broadcast/out", 2, 0, 1, "")};
  const Contract contract = ContractOf(kParameters, kRules);
  Draw draw(nullptr, 0);
  Call call(contract);
  DrawFromContract(draw, call);
  EXPECT_FALSE(draw.strange());
  EXPECT_EQ(call.DTypeOf(1), DType::kFloat32);
  EXPECT_EQ(call.Shape(1), call.Shape(2));
}

}  // namespace
}  // namespace aclimb::truth
