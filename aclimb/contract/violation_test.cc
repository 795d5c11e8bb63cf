// Each kind of rule: what it lets pass, and its words for what it does not.
#include "aclimb/contract/violation.h"

#include <gtest/gtest.h>

#include <cmath>

#include "aclimb/contract/test_call.h"
#include "aclimb/contract/well_formed.h"

namespace aclimb::contract {
namespace {

// A contract of one rule, around which each test writes its parameters.
template <size_t N>
constexpr Contract With(const Parameter (&parameters)[N], const Rule& rule) {
  return {.function = "aclnnX", .folder = "x", .parameters = parameters, .rules = {&rule, 1}};
}

// ---- Broadcasts

constexpr Parameter kBinary[] = {Input("self", kAnyFloat, ""),
                                 Optional(Input("other", kAnyFloat, "")),
                                 Output("out", kAnyFloat, "")};
constexpr Rule kBroadcast = Broadcasts("broadcast/out", 2, 0, 1, "allocate it so");
static_assert(IsWellFormed(With(kBinary, kBroadcast)));

TEST(Broadcasts, TheOutputHasTheShapeOfTheInputsTogether) {
  const Contract contract = With(kBinary, kBroadcast);
  TestCall call(contract);
  call.Tensor(0, {2, 1, 3});
  call.Tensor(1, {4, 1}, DType::kFloat16);
  call.Tensor(2, {2, 4, 3});
  EXPECT_EQ(call.What(), "");
  call.Tensor(2, {2, 4});
  EXPECT_EQ(call.What(),
            "out.shape is [2, 4] (FLOAT) but self.shape is [2, 1, 3] (FLOAT) and other.shape is "
            "[4, 1] (FLOAT16); expected [2, 4, 3], which the inputs broadcast to.");
  EXPECT_EQ(call.last().rule, "x/broadcast/out");
  EXPECT_EQ(call.last().fix, "allocate it so");
  EXPECT_EQ(StatementOf(contract, kBroadcast),
            "out has the shape that self and other broadcast to");
}

TEST(Broadcasts, ShapesThatDoNotMeetAreBothNamed) {
  const Contract contract = With(kBinary, kBroadcast);
  TestCall call(contract);
  call.Tensor(0, {2, 3});
  call.Tensor(1, {2, 4});
  call.Tensor(2, {2, 4});
  EXPECT_EQ(call.What(),
            "self.shape is [2, 3] (FLOAT) and other.shape is [2, 4] (FLOAT); expected shapes that "
            "broadcast: dimensions, counted from the last, that are equal or 1.");
}

TEST(Broadcasts, EmptyAndSingleElementsAndAbsentTensors) {
  const Contract contract = With(kBinary, kBroadcast);
  TestCall call(contract);
  call.Tensor(0, {0, 3});
  call.Tensor(1, {});
  call.Tensor(2, {0, 3});
  EXPECT_EQ(call.What(), "");
  call.Tensor(1, {1, 3});
  EXPECT_EQ(call.What(), "");
  call.Tensor(1, {2, 3});  // 0 is no 1
  EXPECT_NE(call.What(), "");
  call.Null(1);
  EXPECT_EQ(call.What(), "");
  call.Tensor(2, {3});
  EXPECT_EQ(call.What(),
            "out.shape is [3] (FLOAT) but self.shape is [0, 3] (FLOAT); expected [0, 3], which the "
            "inputs broadcast to.");
}

TEST(Broadcasts, OfThreeInputs) {
  static constexpr Parameter kParameters[] = {Input("self", kAnyFloat, ""),
                                              Input("a", kAnyFloat, ""), Input("b", kAnyFloat, ""),
                                              Output("out", kAnyFloat, "")};
  static constexpr Rule kRule = Broadcasts("broadcast/out", 3, 0, 1, 2, "fix");
  const Contract contract = With(kParameters, kRule);
  ASSERT_TRUE(IsWellFormed(contract));
  TestCall call(contract);
  call.Tensor(0, {3});
  call.Tensor(1, {2, 1});
  call.Tensor(2, {5, 1, 1});
  call.Tensor(3, {5, 2, 3});
  EXPECT_EQ(call.What(), "");
  call.Tensor(2, {5, 3, 1});
  EXPECT_NE(call.What().find("b.shape is [5, 3, 1]"), std::string::npos) << call.last().what;
}

TEST(Broadcasts, InPlaceTheTensorKeepsItsShape) {
  static constexpr Parameter kParameters[] = {InOut("selfRef", kAnyFloat, ""),
                                              Input("other", kAnyFloat, "")};
  for (const Rule& rule : {Broadcasts("b", 0, 0, 1, "fix"), Broadcasts("b", 0, 1, "fix")}) {
    const Contract contract = With(kParameters, rule);
    ASSERT_TRUE(IsWellFormed(contract));
    TestCall call(contract);
    call.Tensor(0, {2, 3});
    call.Tensor(1, {1});
    EXPECT_EQ(call.What(), "");
    call.Tensor(0, {3});
    call.Tensor(1, {2, 3});
    EXPECT_EQ(call.What(),
              "selfRef.shape is [3] (FLOAT) but other.shape is [2, 3] (FLOAT); expected a shape "
              "that broadcasts to [3], and together they broadcast to [2, 3].");
    EXPECT_EQ(StatementOf(contract, rule), "other broadcasts to the shape of selfRef");
  }
}

// ---- Promotes

constexpr Parameter kMixed[] = {Input("self", kAnyNumber, ""), Input("other", kAnyNumber, ""),
                                Output("out", kAnyNumber, "")};
constexpr Rule kPromotion = Promotes("promotes/other", 0, 1, 2, "cast one of the two");
static_assert(IsWellFormed(With(kMixed, kPromotion)));

TEST(Promotes, TwoTensorsMeetInADTypeThatTheOutputCanHold) {
  const Contract contract = With(kMixed, kPromotion);
  TestCall call(contract);
  call.Tensor(0, {2}, DType::kInt32);
  call.Tensor(1, {3, 2}, DType::kFloat16);
  call.Tensor(2, {3, 2}, DType::kFloat16);
  EXPECT_EQ(call.What(), "");
  call.Tensor(2, {3, 2}, DType::kInt32);
  EXPECT_EQ(call.What(),
            "out.dtype is INT32 (shape [3, 2]) but self.dtype is INT32 (shape [2]) and other.dtype "
            "is FLOAT16 (shape [3, 2]), which promote to FLOAT16; expected an output dtype that "
            "FLOAT16 converts to.");
  call.Tensor(0, {2}, DType::kUInt32);
  EXPECT_EQ(call.What(),
            "self.dtype is UINT32 (shape [2]) and other.dtype is FLOAT16 (shape [3, 2]); expected "
            "dtypes that promote to a common one.");
  EXPECT_EQ(call.last().fix, "cast one of the two");
  EXPECT_EQ(StatementOf(contract, kPromotion),
            "self and other have a common dtype, which converts to that of out");
}

TEST(Promotes, ATensorDecidesOverAScalarWhicheverStandsFirst) {
  static constexpr Parameter kTensorFirst[] = {Input("self", kAnyNumber, ""),
                                               Attribute("other", Kind::kScalar, ""),
                                               Output("out", kAnyNumber, "")};
  static constexpr Parameter kScalarFirst[] = {Attribute("self", Kind::kScalar, ""),
                                               Input("other", kAnyNumber, ""),
                                               Output("out", kAnyNumber, "")};
  static constexpr Rule kRule = Promotes("p", 0, 1, 2, "fix");
  for (int tensor : {0, 1}) {
    const Contract contract = tensor == 0 ? With(kTensorFirst, kRule) : With(kScalarFirst, kRule);
    ASSERT_TRUE(IsWellFormed(contract));
    TestCall call(contract);
    call.Tensor(tensor, {2}, DType::kInt32);
    call.Scalar(1 - tensor, 3, DType::kInt64);  // INT64 with a tensor of INT32 would not narrow
    call.Tensor(2, {2}, DType::kInt32);
    EXPECT_EQ(call.What(), "");
    call.Scalar(1 - tensor, 0.5f);
    EXPECT_NE(call.What().find(" is FLOAT 0.5"), std::string::npos) << call.last().what;
    EXPECT_NE(call.What().find(", which promote to FLOAT;"), std::string::npos);
  }
}

TEST(Promotes, AllThatMeet) {
  static constexpr Parameter kParameters[] = {
      Input("self", kAnyNumber, ""), Input("a", kAnyNumber, ""), Input("b", kAnyNumber, ""),
      Output("out", kAnyNumber, "")};
  static constexpr Rule kRule = Promotes("p", 0, 1, 2, 3, "fix");
  const Contract contract = With(kParameters, kRule);
  ASSERT_TRUE(IsWellFormed(contract));
  TestCall call(contract);
  call.Tensor(0, {2}, DType::kInt32);
  call.Tensor(1, {2}, DType::kInt64);
  call.Tensor(2, {2}, DType::kFloat64);
  call.Tensor(3, {2}, DType::kFloat32);
  EXPECT_EQ(call.What(), "");
  call.Tensor(3, {2}, DType::kInt64);
  EXPECT_NE(call.What().find("which promote to DOUBLE"), std::string::npos) << call.last().what;
}

// ---- InRange

TEST(InRange, OfNumbers) {
  static constexpr Parameter kParameters[] = {
      Attribute("n", Kind::kInteger, ""), Attribute("p", Kind::kReal, ""),
      Attribute("s", Kind::kScalar, ""), Attribute("ints", Kind::kIntArray, ""),
      Optional(Attribute("floats", Kind::kFloatArray, ""))};
  static constexpr Rule kRules[] = {
      InRange("n", 0, AtLeast(1), "fix"), InRange("p", 1, Between(0, 1), "fix"),
      InRange("s", 2, Above(0), "fix"), InRange("ints", 3, AtMost(4), "fix"),
      InRange("floats", 4, Exactly(1), "fix")};
  static constexpr Contract kContract = {.parameters = kParameters, .rules = kRules};
  static_assert(IsWellFormed(kContract));
  TestCall call(kContract);
  const auto fill = [&] {
    call.Integer(0, 1);
    call.Real(1, 0.25);
    call.Scalar(2, 1e-6f);
    call.Ints(3, {-7, 4});
    call.Null(4);
  };
  fill();
  EXPECT_EQ(call.What(), "");
  call.Integer(0, 0);
  EXPECT_EQ(call.What(), "n is 0; expected a number of at least 1.");
  fill();
  for (double wrong : {-0.001, 1.001, std::nan("")}) {
    call.Real(1, wrong);
    EXPECT_NE(call.What().find("; expected a number from 0 to 1."), std::string::npos) << wrong;
  }
  fill();
  call.Scalar(2, 0);
  EXPECT_EQ(call.What(), "s is FLOAT 0; expected a number above 0.");
  fill();
  call.Ints(3, {1, 5, 2});
  EXPECT_EQ(call.What(), "ints is [1, 5, 2]; expected numbers of at most 4.");
  fill();
  call.Floats(4, {1, 1.5f});
  EXPECT_EQ(call.What(), "floats is [1, 1.5]; expected numbers equal to 1.");
  call.Floats(4, {});
  EXPECT_EQ(call.What(), "");
}

TEST(InRange, OfAnUnsignedNumber) {
  static constexpr Parameter kParameters[] = {Attribute("n", Kind::kInteger, "")};
  static constexpr Rule kRule = InRange("n", 0, Below2To63(), "fix");
  const Contract contract = With(kParameters, kRule);
  TestCall call(contract);
  call.Integer(0, INT64_MAX);
  EXPECT_EQ(call.What(), "");
  call.Integer(0, -1);
  EXPECT_EQ(call.What(), "n is 18446744073709551615; expected a number below 2^63.");
}

constexpr Parameter kReduced[] = {Input("self", kAnyFloat, ""),
                                  Attribute("dim", Kind::kInteger, ""),
                                  Optional(Attribute("dims", Kind::kIntArray, ""))};

TEST(InRange, OfADimension) {
  static constexpr Rule kRule = InRange("range/dim", 1, DimensionOf(0), "count from 0 or -1");
  const Contract contract = With(kReduced, kRule);
  static_assert(IsWellFormed(With(kReduced, kRule)));
  TestCall call(contract);
  call.Tensor(0, {2, 3});
  for (int64_t right : {-2, -1, 0, 1}) {
    call.Integer(1, right);
    EXPECT_EQ(call.What(), "") << right;
  }
  for (int64_t wrong : {int64_t{-3}, int64_t{2}, INT64_MIN, INT64_MAX}) {
    call.Integer(1, wrong);
    EXPECT_NE(call.What().find(" but self.shape is [2, 3]; expected a dimension from -2 to 1."),
              std::string::npos)
        << wrong;
  }
  call.Tensor(0, {});  // counts as one dimension
  for (int64_t right : {-1, 0}) {
    call.Integer(1, right);
    EXPECT_EQ(call.What(), "") << right;
  }
  call.Integer(1, 1);
  EXPECT_EQ(call.What(), "dim is 1 but self.shape is []; expected a dimension from -1 to 0.");
}

TEST(InRange, OfAPlaceForADimension) {
  static constexpr Rule kRule = InRange("range/dim", 1, NewDimensionOf(0), "fix");
  const Contract contract = With(kReduced, kRule);
  TestCall call(contract);
  call.Tensor(0, {2, 3});
  for (int64_t right : {-3, 2}) {
    call.Integer(1, right);
    EXPECT_EQ(call.What(), "") << right;
  }
  call.Integer(1, 3);
  EXPECT_EQ(call.What(), "dim is 3 but self.shape is [2, 3]; expected a dimension from -3 to 2.");
}

TEST(InRange, OfDimensionsEachOnce) {
  static constexpr Rule kRule = InRange("range/dims", 2, DistinctDimensionsOf(0), "fix");
  const Contract contract = With(kReduced, kRule);
  TestCall call(contract);
  call.Tensor(0, {2, 3, 4});
  EXPECT_EQ(call.What(), "");  // not given
  for (const IntArrayValue& right : {IntArrayValue{}, {0}, {-1, 0, 1}}) {
    call.Ints(2, right);
    EXPECT_EQ(call.What(), "");
  }
  call.Ints(2, {0, 3});
  EXPECT_EQ(call.What(),
            "dims is [0, 3] but self.shape is [2, 3, 4]; expected dimensions from -3 to 2.");
  call.Ints(2, {1, -2});
  EXPECT_EQ(call.What(),
            "dims is [1, -2] but self.shape is [2, 3, 4]; expected each dimension once.");
}

// ---- Texts, masks, counts and reserved values

TEST(OneOf, ATextIsOneOfTheChoices) {
  static constexpr Parameter kParameters[] = {Optional(Attribute("mode", Kind::kString, ""))};
  static constexpr Rule kRule = OneOf("mode", 0, "none|tanh|erf", "fix");
  const Contract contract = With(kParameters, kRule);
  TestCall call(contract);
  EXPECT_EQ(call.What(), "");
  for (const char* right : {"none", "tanh", "erf"}) {
    call.String(0, right);
    EXPECT_EQ(call.What(), "");
  }
  for (const char* wrong : {"", "non", "none|tanh", "ERF"}) {
    call.String(0, wrong);
    EXPECT_NE(call.What().find("\"; expected \"none\", \"tanh\" or \"erf\"."), std::string::npos);
  }
}

TEST(Wanted, AnOutputIsGivenWhenItsFlagIsTrue) {
  static constexpr Parameter kParameters[] = {Attribute("mask", Kind::kBoolArray, ""),
                                              Optional(Output("out", kAnyFloat, ""))};
  static constexpr Rule kRules[] = {Count("mask-length", 0, Exactly(2), "fix", kAclnnNullptr),
                                    Wanted("wanted/out", 1, 0, 1, "fix")};
  static constexpr Contract kContract = {.parameters = kParameters, .rules = kRules};
  static_assert(IsWellFormed(kContract));
  TestCall call(kContract);
  call.Bools(0, {1, 0});
  EXPECT_EQ(call.What(), "");
  call.Bools(0, {0, 1});
  EXPECT_EQ(call.What(), "out is null and mask[1] is true; expected an aclTensor.");
  EXPECT_EQ(call.last().code, kAclnnNullptr);
  call.Tensor(1, {2});
  EXPECT_EQ(call.What(), "");
  call.Bools(0, {1});
  EXPECT_EQ(call.What(), "mask has 1 entry; expected 2 entries.");
}

TEST(Reserved, OnlyExtensionsTakeMoreThanTheDocument) {
  static constexpr Parameter kParameters[] = {Attribute("p", Kind::kReal, ""),
                                              Optional(Input("lse", kAnyFloat, ""))};
  static constexpr Rule kRules[] = {Reserved("p", 0), Reserved("lse", 1)};
  static constexpr Contract kContract = {.parameters = kParameters, .rules = kRules};
  static_assert(IsWellFormed(kContract));
  TestCall call(kContract);
  EXPECT_EQ(call.What(), "");
  call.Tensor(1, {0});
  EXPECT_EQ(call.What(), "");
  call.Tensor(1, {2});
  EXPECT_EQ(call.What().find("lse is a tensor of shape [2]; expected null or an empty tensor"), 0u);
  EXPECT_EQ(call.What(/*extensions=*/true), "");
  call.Real(0, 0.5);
  EXPECT_EQ(call.What().find("p is 0.5; expected 0, the only value"), 0u);
}

// ---- Reduces, NamesDType

constexpr Parameter kSums[] = {Input("self", kAnyFloat, ""), Attribute("dims", Kind::kIntArray, ""),
                               Attribute("keepDims", Kind::kBool, ""),
                               Attribute("dtype", Kind::kInteger, ""),
                               Output("out", kAnyFloat, "")};
constexpr Rule kSumRules[] = {InRange("range/dims", 1, DistinctDimensionsOf(0), "fix"),
                              NamesDType("dtype/out", 3, 4, "fix"),
                              Reduces("shape/out", 4, 0, 1, 2, "allocate it so")};
constexpr Contract kSum = {
    .function = "aclnnX", .folder = "x", .parameters = kSums, .rules = kSumRules};
static_assert(IsWellFormed(kSum));

TEST(Reduces, TheOutputHasTheDimensionsThatAreLeft) {
  TestCall call(kSum);
  call.Tensor(0, {2, 3, 4});
  call.Ints(1, {-1, 0});
  call.Tensor(4, {3});
  EXPECT_EQ(call.What(), "");
  call.Integer(2, 1);
  EXPECT_EQ(call.What(),
            "out.shape is [3] but self.shape is [2, 3, 4], dims is [-1, 0] and keepDims is true; "
            "expected [1, 3, 1].");
  EXPECT_EQ(call.last().rule, "x/shape/out");
  call.Tensor(4, {1, 3, 1});
  EXPECT_EQ(call.What(), "");
  call.Ints(1, {});
  EXPECT_NE(call.What().find("dims is [] and keepDims is true; expected [1, 1, 1]."),
            std::string::npos);
  call.Integer(2, 0);
  EXPECT_NE(call.What().find("expected [] or [1]."), std::string::npos) << call.last().what;
  call.Tensor(4, {});
  EXPECT_EQ(call.What(), "");
  call.Tensor(0, {});
  call.Ints(1, {-1});
  EXPECT_EQ(call.What(), "");
  EXPECT_EQ(StatementOf(kSum, kSumRules[2]),
            "out has the shape of self without the dimensions in dims, or with 1 in their place "
            "when keepDims is true");
}

TEST(Reduces, OneDimensionOrAllOfThem) {
  static constexpr Parameter kParameters[] = {Input("self", kAnyFloat, ""),
                                              Attribute("dim", Kind::kInteger, ""),
                                              Output("out", kAnyFloat, "")};
  static constexpr Rule kOne = Reduces("one", 2, 0, 1, -1, "fix");
  static constexpr Rule kAll = Reduces("all", 2, 0, -1, -1, "fix");
  static_assert(IsWellFormed(With(kParameters, kOne)) && IsWellFormed(With(kParameters, kAll)));
  const Contract of_one = With(kParameters, kOne), of_all = With(kParameters, kAll);
  TestCall one(of_one), all(of_all);
  for (TestCall* call : {&one, &all}) {
    call->Tensor(0, {2, 3});
    call->Integer(1, -1);
    call->Tensor(2, {3});
  }
  EXPECT_EQ(one.What(), "out.shape is [3] but self.shape is [2, 3] and dim is -1; expected [2].");
  EXPECT_EQ(all.What(),
            "out.shape is [3] but self.shape is [2, 3]; expected a single element, of shape [] or "
            "[1].");
  one.Tensor(2, {2});
  all.Tensor(2, {1});
  EXPECT_EQ(one.What(), "");
  EXPECT_EQ(all.What(), "");
  all.Tensor(2, {});
  EXPECT_EQ(all.What(), "");
  EXPECT_EQ(StatementOf(of_all, kAll), "out is a single element, of shape [] or [1]");
}

TEST(NamesDType, TheAttributeIsTheDTypeOfTheTensor) {
  TestCall call(kSum);
  call.Tensor(0, {2});
  call.Ints(1, {});
  call.Tensor(4, {}, DType::kFloat16);
  EXPECT_EQ(call.What(), "dtype is FLOAT but out.dtype is FLOAT16; expected the same.");
  call.Integer(3, static_cast<int64_t>(DType::kFloat16));
  EXPECT_EQ(call.What(), "");
  call.Integer(3, 99);
  EXPECT_EQ(call.What(),
            "dtype is the number 99 but out.dtype is FLOAT16; expected 1, which is FLOAT16, and of "
            "the dtypes that out may have FLOAT is 0, FLOAT16 is 1, BFLOAT16 is 27.");
  EXPECT_EQ(StatementOf(kSum, kSumRules[1]), "dtype is the dtype of out");
}

TEST(NamesDType, OrOneBetweenTwoTensors) {
  static constexpr Parameter kParameters[] = {Input("self", kAnyNumber, ""),
                                              Attribute("dtype", Kind::kInteger, ""),
                                              Output("out", kAnyNumber, "")};
  static constexpr Rule kRule = NamesDTypeBetween("dtype", 1, 0, 2, "fix");
  static_assert(IsWellFormed(With(kParameters, kRule)));
  const Contract contract = With(kParameters, kRule);
  TestCall call(contract);
  call.Tensor(0, {2}, DType::kInt32);
  call.Tensor(2, {2}, DType::kFloat16);
  for (const DType dtype : {DType::kInt32, DType::kFloat32, DType::kFloat16}) {
    call.Integer(1, static_cast<int64_t>(dtype));
    EXPECT_EQ(call.What(), "");
  }
  call.Tensor(0, {2}, DType::kFloat32);
  call.Integer(1, static_cast<int64_t>(DType::kInt32));
  EXPECT_EQ(call.What().find("dtype is INT32 but self.dtype is FLOAT and out.dtype is FLOAT16; "
                             "expected one of "),
            0u)
      << call.last().what;
  EXPECT_NE(call.What().find(" to which FLOAT converts and which converts to FLOAT16."),
            std::string::npos)
      << call.last().what;
  call.Integer(1, -1);
  EXPECT_NE(call.What(), "");
  EXPECT_EQ(StatementOf(contract, kRule),
            "dtype is a dtype that self converts to and that converts to the one of out");
}

// ---- Lists

constexpr Parameter kLists[] = {ListOf(Input("x", kAnyFloat, "")),
                                Attribute("scalars", Kind::kScalarList, ""),
                                ListOf(Output("out", kAnyFloat, ""))};
constexpr Rule kListRules[] = {
    SameDType("same-dtype/out", 2, 0, "fix"), ConvertsToFloat("real/scalars", 1, "fix"),
    Count("count/x", 0, AtLeast(1), "pass a tensor"), SameRank("same-rank/x", 0, 0, "fix"),
    SameShape("same-shape/out", 2, 0, "fix")};
constexpr Contract kListContract = {
    .function = "aclnnForeach", .folder = "foreach", .parameters = kLists, .rules = kListRules};
static_assert(IsWellFormed(kListContract));

void FillLists(TestCall& call) {
  call.Tensors(2, {{2, 3}, {4, 1}});
  call.Scalars(1, {1, 2});
  call.Tensors(0, {{2, 3}, {4, 1}});
}

TEST(Lists, EachElementIsCheckedAndNamed) {
  TestCall call(kListContract);
  FillLists(call);
  EXPECT_EQ(call.What(), "");
  call.Element(1) = {.kind = Kind::kTensor};
  EXPECT_EQ(call.What(), "x[1] is null; expected an aclTensor.");
  EXPECT_EQ(call.last().code, kAclnnNullptr);
  EXPECT_EQ(call.last().rule, "foreach/null/x");
  call.Element(1) = {.kind = Kind::kTensor, .handle = &call, .handle_state = "it is destroyed"};
  EXPECT_EQ(call.What().find("x[1] is 0x"), 0u) << call.last().what;
  EXPECT_EQ(call.last().rule, "foreach/handle/x");
  FillLists(call);
  call.Tensors(0, {{2, 3}, {4, 1}}, DType::kInt32);
  EXPECT_EQ(call.What().find("x[0].dtype is INT32; expected FLOAT"), 0u) << call.last().what;
  call.Tensors(0, {{2, 3}, std::vector<int64_t>(9, 1)});
  EXPECT_EQ(call.What(),
            "x[1].shape is [1, 1, 1, 1, 1, 1, 1, 1, 1] (rank 9); expected rank 0 to 8.");
}

TEST(Lists, ANullListIsNamedAsOne) {
  TestCall call(kListContract);
  FillLists(call);
  call.Null(0);
  call.At(0).elements = {};
  EXPECT_EQ(call.What(), "x is null; expected an aclTensorList.");
  EXPECT_EQ(call.last().fix,
            "check that aclCreateTensorList succeeded and that the arguments are in the right "
            "order");
}

TEST(Lists, RulesHoldForEachPair) {
  TestCall call(kListContract);
  FillLists(call);
  call.Tensors(0, {{2, 3}, {4, 2}});
  EXPECT_EQ(call.What(), "out[1].shape is [4, 1] but x[1].shape is [4, 2]; expected equal shapes.");
  call.Tensors(0, {{2, 3}});
  EXPECT_EQ(call.What(), "out has 2 tensors but x has 1 tensor; expected equally many.");
  call.Tensors(0, {{2, 3}, {4}});
  EXPECT_EQ(call.What(), "x[1].shape is [4] but x[0].shape is [2, 3]; expected equal ranks.");
  FillLists(call);
  call.Scalars(1, {1, 2}, DType::kComplex64);
  EXPECT_EQ(call.What().find("scalars[0].dtype is COMPLEX64; expected"), 0u) << call.last().what;
  call.Scalars(1, {});
  call.Tensors(0, {});
  call.Tensors(2, {});
  EXPECT_EQ(call.What(), "x has 0 entries; expected at least 1 entry.");
}

// ---- What does not fit together does not compile

constexpr Rule kOfNumber = SameDType("r", 0, 1, "fix");
static_assert(!IsWellFormed(With(kReduced, kOfNumber)));
constexpr Rule kOfNothing = SameShape("r", 0, 3, "fix");
static_assert(!IsWellFormed(With(kReduced, kOfNothing)));
constexpr Rule kOfTensor = InRange("r", 0, AtLeast(0), "fix");
static_assert(!IsWellFormed(With(kReduced, kOfTensor)));
constexpr Rule kOnceOfOne = InRange("r", 1, DistinctDimensionsOf(0), "fix");
static_assert(!IsWellFormed(With(kReduced, kOnceOfOne)));

}  // namespace
}  // namespace aclimb::contract
