// The kinds of rule about what is given, how many entries and elements there are, dtypes with a
// choice, numbers under a flag, and losses: what each lets pass, and its words for what it does
// not.
#include <gtest/gtest.h>

#include <cmath>

#include "aclimb/contract/test_call.h"
#include "aclimb/contract/violation.h"
#include "aclimb/contract/well_formed.h"

namespace aclimb::contract {
namespace {

template <size_t N>
constexpr Contract With(const Parameter (&parameters)[N], const Rule& rule) {
  return {.function = "aclnnX", .folder = "x", .parameters = parameters, .rules = {&rule, 1}};
}

// ---- Dtypes

TEST(SameDTypeOr, TheDTypeOfTheOtherOrOneOfAFew) {
  static constexpr Parameter kTwo[] = {Input("x", kAnyFloat, ""),
                                       Optional(Input("gamma", kAnyFloat, ""))};
  static constexpr Rule kRule =
      SameDTypeOr("dtype/gamma", 1, 0, DTypes(DType::kFloat32), "convert gamma");
  static_assert(IsWellFormed(With(kTwo, kRule)));
  const Contract contract = With(kTwo, kRule);
  TestCall call(contract);
  call.Tensor(0, {2}, DType::kFloat16);
  EXPECT_EQ(call.What(), "");
  call.Tensor(1, {2}, DType::kFloat16);
  EXPECT_EQ(call.What(), "");
  call.Tensor(1, {2}, DType::kFloat32);
  EXPECT_EQ(call.What(), "");
  call.Tensor(1, {2}, DType::kBFloat16);
  EXPECT_EQ(call.What(),
            "gamma.dtype is BFLOAT16 but x.dtype is FLOAT16; expected FLOAT16 or FLOAT.");
  // What both are is said once.
  call.Tensor(0, {2}, DType::kFloat32);
  EXPECT_EQ(call.What(), "gamma.dtype is BFLOAT16 but x.dtype is FLOAT; expected FLOAT.");
  EXPECT_EQ(StatementOf(contract, kRule), "gamma has the dtype of x, or FLOAT");
}

// ---- Numbers under a flag

TEST(InRangeWhen, OnlyWhereTheFlagIsTrue) {
  static constexpr Parameter kTwo[] = {Attribute("alpha", Kind::kScalar, ""),
                                       Attribute("isResult", Kind::kBool, "")};
  static constexpr Rule kRule = InRangeWhen("range/alpha", 0, AtLeastOrNan(0), 1, "pass another");
  static_assert(IsWellFormed(With(kTwo, kRule)));
  static constexpr Rule kNoFlag = InRangeWhen("range/alpha", 0, AtLeastOrNan(0), 0, "");
  static_assert(!IsWellFormed(With(kTwo, kNoFlag)));
  const Contract contract = With(kTwo, kRule);
  TestCall call(contract);
  call.Scalar(0, -1);
  EXPECT_EQ(call.What(), "");
  call.Integer(1, 1);
  EXPECT_EQ(call.What(),
            "alpha is FLOAT -1 and isResult is true; expected a number of at least 0.");
  call.Scalar(0, std::nanf(""));
  EXPECT_EQ(call.What(), "");
  EXPECT_EQ(StatementOf(contract, kRule), "alpha is a number of at least 0 when isResult is true");
}

// ---- Entries

TEST(CountOf, AsManyEntriesAsAnotherArrayOrAsDimensions) {
  static constexpr Parameter kThree[] = {Input("self", kAnyFloat, ""),
                                         Attribute("shifts", Kind::kIntArray, ""),
                                         Attribute("dims", Kind::kIntArray, "")};
  static constexpr Rule kOfArray = CountOf("count/shifts", 1, 2, "pass arrays of equal length");
  static constexpr Rule kOfTensor = CountOf("count/dims", 2, 0, "name each dimension once");
  static_assert(IsWellFormed(With(kThree, kOfArray)) && IsWellFormed(With(kThree, kOfTensor)));
  static constexpr Rule kOfNothing = CountOf("count/self", 0, 1, "");
  static_assert(!IsWellFormed(With(kThree, kOfNothing)));
  const Contract contract = With(kThree, kOfArray);
  TestCall call(contract);
  call.Tensor(0, {2, 3});
  call.Ints(1, {1});
  call.Ints(2, {0, 1});
  EXPECT_EQ(call.What(), "shifts is [1] but dims is [0, 1]; expected 2 entries.");
  call.Ints(1, {1, 1});
  EXPECT_EQ(call.What(), "");
  EXPECT_EQ(StatementOf(contract, kOfArray), "shifts has an entry for each entry of dims");

  const Contract of_tensor = With(kThree, kOfTensor);
  TestCall other(of_tensor);
  other.Tensor(0, {2, 3});
  other.Ints(1, {});
  other.Ints(2, {0});
  EXPECT_EQ(other.What(),
            "dims is [0] but self.shape is [2, 3]; expected 2 entries, one for each dimension.");
  EXPECT_EQ(StatementOf(of_tensor, kOfTensor), "dims has an entry for each dimension of self");
}

// ---- Elements

TEST(Elements, TheProductOfNumbersAndTensors) {
  static constexpr Parameter kThree[] = {Input("self", kAnyFloat, ""),
                                         Attribute("N", Kind::kInteger, ""),
                                         Attribute("C", Kind::kInteger, "")};
  static constexpr Rule kRule = Elements("count/self", 0, 1, 2, "pass the numbers of self");
  static_assert(IsWellFormed(With(kThree, kRule)));
  const Contract contract = With(kThree, kRule);
  TestCall call(contract);
  call.Tensor(0, {2, 3});
  call.Integer(1, 3);
  call.Integer(2, 2);
  EXPECT_EQ(call.What(), "");
  call.Integer(2, 4);
  EXPECT_EQ(call.What(), "self.shape is [2, 3] but N is 3 and C is 4; expected 12 elements.");
  // No product wraps to the right one.
  call.Integer(1, (int64_t{1} << 62) + 3);
  EXPECT_EQ(call.What(),
            "self.shape is [2, 3] but N is 4611686018427387907 and C is 4; expected a product "
            "below 2^63.");
  call.Integer(1, -2);
  call.Integer(2, -3);
  EXPECT_NE(call.What(), "");
  EXPECT_EQ(StatementOf(contract, kRule), "self has N * C elements");
}

TEST(Elements, AsManyAsAnotherTensor) {
  static constexpr Parameter kTwo[] = {Input("index", kAnyFloat, ""),
                                       Input("source", kAnyFloat, "")};
  static constexpr Rule kRule = Elements("count/source", 1, 0, "pass one for each");
  const Contract contract = With(kTwo, kRule);
  TestCall call(contract);
  call.Tensor(0, {2, 3});
  call.Tensor(1, {6});
  EXPECT_EQ(call.What(), "");
  call.Tensor(1, {5});
  EXPECT_EQ(call.What(), "source.shape is [5] but index.shape is [2, 3]; expected 6 elements.");
  EXPECT_EQ(StatementOf(contract, kRule), "source has as many elements as index");
}

TEST(Elements, OneElementAlsoOfEachTensorOfAList) {
  static constexpr Parameter kList[] = {ListOf(Output("out", kAnyFloat, ""))};
  static constexpr Rule kRule = OneElement("shape/out", 0, "allocate a single element");
  const Contract contract = With(kList, kRule);
  TestCall call(contract);
  call.Tensors(0, {{}, {1}, {1, 1}});
  EXPECT_EQ(call.What(), "");
  call.Tensors(0, {{}, {2}});
  EXPECT_EQ(call.What(), "out[1].shape is [2]; expected one element.");
  static constexpr Parameter kFlat[] = {WithRank(Output("out", kAnyFloat, ""), 0, 1)};
  const Contract flat = With(kFlat, kRule);
  TestCall other(flat);
  other.Tensor(0, {2});
  EXPECT_EQ(other.What(), "out.shape is [2]; expected [] or [1].");
  EXPECT_EQ(StatementOf(contract, kRule), "out has one element");
}

// ---- What is given

TEST(Wanted, WhenAFlagIsTrueOrANumberIsNotTheOneThatDoesWithout) {
  static constexpr Parameter kThree[] = {Optional(Input("mask", kAnyFloat, "")),
                                         Attribute("masked", Kind::kBool, ""),
                                         Attribute("keep", Kind::kReal, "")};
  static constexpr Rule kByFlag = Wanted("wanted/mask", 0, 1, "pass the mask");
  static constexpr Rule kByNumber =
      WantedUnless("needed/mask", 0, 2, 1, "pass the mask", kAclnnInvalid);
  static_assert(IsWellFormed(With(kThree, kByFlag)) && IsWellFormed(With(kThree, kByNumber)));
  const Contract by_flag = With(kThree, kByFlag);
  TestCall call(by_flag);
  EXPECT_EQ(call.What(), "");
  call.Integer(1, 1);
  EXPECT_EQ(call.What(), "mask is null and masked is true; expected an aclTensor.");
  EXPECT_EQ(call.last().code, kAclnnNullptr);
  call.Tensor(0, {2});
  EXPECT_EQ(call.What(), "");
  EXPECT_EQ(StatementOf(by_flag, kByFlag), "mask is given when masked is true");

  const Contract by_number = With(kThree, kByNumber);
  TestCall other(by_number);
  other.Real(2, 1);
  EXPECT_EQ(other.What(), "");
  other.Real(2, 0.5);
  EXPECT_EQ(other.What(), "mask is null and keep is 0.5; expected an aclTensor.");
  EXPECT_EQ(other.last().code, kAclnnInvalid);
  EXPECT_EQ(StatementOf(by_number, kByNumber), "mask is given unless keep is 1");
}

TEST(Absent, TensorsAndListsWithElementsAreRefused) {
  static constexpr Parameter kThree[] = {Input("self", kAnyFloat, ""),
                                         Optional(Input("scale", kAnyFloat, "")),
                                         Optional(ListOf(Input("offsets", kAnyFloat, "")))};
  static constexpr Rule kRule = Absent("absent/scale", "pass null", 1, 2);
  static_assert(IsWellFormed(With(kThree, kRule)));
  static constexpr Rule kBeyond = Absent("absent/scale", "", 3);
  static_assert(!IsWellFormed(With(kThree, kBeyond)));
  const Contract contract = With(kThree, kRule);
  TestCall call(contract);
  call.Tensor(0, {2});
  EXPECT_EQ(call.What(), "");
  call.Tensor(1, {0});
  call.Tensors(2, {{0}});
  EXPECT_EQ(call.What(), "");
  call.Tensors(2, {{0}, {3}});
  EXPECT_EQ(call.What(),
            "offsets[1] is a tensor of shape [3]; expected null, or a tensor without elements.");
  call.Tensor(1, {4});
  EXPECT_EQ(call.What(),
            "scale is a tensor of shape [4]; expected null, or a tensor without elements.");
  EXPECT_EQ(StatementOf(contract, kRule), "scale and offsets are null or empty");
}

TEST(Reserved, AFlag) {
  static constexpr Parameter kOne[] = {Attribute("returnZloss", Kind::kBool, "")};
  static constexpr Rule kRule = Reserved("reserved/returnZloss", 0);
  const Contract contract = With(kOne, kRule);
  TestCall call(contract);
  EXPECT_EQ(call.What(), "");
  call.Integer(0, 1);
  EXPECT_EQ(call.What(),
            "returnZloss is true; expected false, the only value that the operator's document "
            "supports so far (ACLIMB_EXTENSIONS=1 accepts true).");
  EXPECT_EQ(call.What(/*extensions=*/true), "");
  EXPECT_EQ(StatementOf(contract, kRule), "returnZloss is false, unless ACLIMB_EXTENSIONS=1");
}

// ---- Losses

TEST(ReducesLoss, OfTwoTensorsByANumber) {
  static constexpr Parameter kFour[] = {
      Input("self", kAnyFloat, ""), Input("target", kAnyFloat, ""),
      Attribute("reduction", Kind::kInteger, ""), Output("out", kAnyFloat, "")};
  static constexpr Rule kRule = ReducesLoss("shape/out", 3, 0, 1, 2, "pass an out of that shape");
  static_assert(IsWellFormed(With(kFour, kRule)));
  const Contract contract = With(kFour, kRule);
  TestCall call(contract);
  call.Tensor(0, {2, 3});
  call.Tensor(1, {3}, DType::kFloat16);
  call.Tensor(3, {2, 3});
  EXPECT_EQ(call.What(), "");
  call.Integer(2, 1);
  EXPECT_EQ(call.What(),
            "out.shape is [2, 3] (FLOAT) but reduction is 1; expected a single element, of shape "
            "[] or [1].");
  call.Tensor(3, {1});
  EXPECT_EQ(call.What(), "");
  call.Integer(2, 0);
  EXPECT_EQ(call.What(),
            "out.shape is [1] (FLOAT) but reduction is 0, self.shape is [2, 3] (FLOAT) and "
            "target.shape is [3] (FLOAT16); expected [2, 3].");
  call.Tensor(1, {4}, DType::kFloat16);
  EXPECT_EQ(call.What(),
            "self.shape is [2, 3] (FLOAT) and target.shape is [4] (FLOAT16); expected shapes that "
            "broadcast: dimensions, counted from the last, that are equal or 1.");
  EXPECT_EQ(StatementOf(contract, kRule),
            "out has the shape that self and target broadcast to where reduction is 0, else it is "
            "a single element, of shape [] or [1]");
}

TEST(ReducesLoss, OfOneTensorByAText) {
  static constexpr Parameter kThree[] = {Input("target", kAnyFloat, ""),
                                         Optional(Attribute("reduction", Kind::kString, "")),
                                         Output("loss", kAnyFloat, "")};
  static constexpr Rule kRule =
      ReducesLoss("shape/loss", 2, 0, -1, 1, "allocate it so", kAclnnInnerTiling);
  static_assert(IsWellFormed(With(kThree, kRule)));
  const Contract contract = With(kThree, kRule);
  TestCall call(contract);
  call.Tensor(0, {5});
  call.Tensor(2, {});
  EXPECT_EQ(call.What(), "");
  call.Tensor(2, {5});
  EXPECT_EQ(call.What(),
            "loss.shape is [5] (FLOAT) but reduction is null; expected a single element, of shape "
            "[] or [1].");
  EXPECT_EQ(call.last().code, kAclnnInnerTiling);
  call.String(1, "none");
  EXPECT_EQ(call.What(), "");
  call.Tensor(2, {4});
  EXPECT_EQ(call.What(),
            "loss.shape is [4] (FLOAT) but reduction is \"none\" and target.shape is [5] (FLOAT); "
            "expected [5].");
  EXPECT_EQ(StatementOf(contract, kRule),
            "loss has the shape of target where reduction is \"none\", else it is a single "
            "element, of shape [] or [1]");
}

}  // namespace
}  // namespace aclimb::contract
