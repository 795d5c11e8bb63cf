// Shapes by their patterns: the grammar, what is refused, and the words for it.
#include "aclimb/contract/shapes.h"

#include <gtest/gtest.h>

#include "aclimb/contract/test_call.h"
#include "aclimb/contract/well_formed.h"

namespace aclimb::contract {
namespace {

// ---- The grammar

static_assert(IsShapePattern(""));
static_assert(IsShapePattern("N"));
static_assert(IsShapePattern("K 5"));
static_assert(IsShapePattern("numWeights D"));
static_assert(IsShapePattern("N C S..."));
static_assert(IsShapePattern("S... normalizedShape..."));
static_assert(IsShapePattern("*B M K"));
static_assert(IsShapePattern("A B C D E F G H"));

static_assert(!IsShapePattern(" "));
static_assert(!IsShapePattern("N "));
static_assert(!IsShapePattern(" N"));
static_assert(!IsShapePattern("N  C"));
static_assert(!IsShapePattern("N,C"));
static_assert(!IsShapePattern("[N C]"));
static_assert(!IsShapePattern("N ..."));
static_assert(!IsShapePattern("...N"));
static_assert(!IsShapePattern("*"));
static_assert(!IsShapePattern("M *B"));       // a broadcast leads
static_assert(!IsShapePattern("*B S..."));    // one of the two is of any length
static_assert(!IsShapePattern("S... T..."));  // likewise
static_assert(!IsShapePattern("*b M"));       // names of attributes tell an extent
static_assert(!IsShapePattern("*B... M"));
static_assert(!IsShapePattern("5N"));
static_assert(!IsShapePattern("-1"));
static_assert(!IsShapePattern("05"));
static_assert(!IsShapePattern("12345678901234567890"));
static_assert(!IsShapePattern("A B C D E F G H I"));

constexpr Parameter Named(const char* pattern_name, PatternLiteral pattern) {
  return WithShape(Input(pattern_name, kAnyFloat, ""), pattern);
}
static_assert(Named("a", "N C").min_rank == 2 && Named("a", "N C").max_rank == 2);
static_assert(Named("a", "*B M K").min_rank == 2 && Named("a", "*B M K").max_rank == 8);
static_assert(Named("a", "").min_rank == 0 && Named("a", "").max_rank == 0);
static_assert(Named("a", "sizes...").min_rank == 0 && Named("a", "sizes...").max_rank == 8);

TEST(ShapePattern, IsShownAsAShape) {
  EXPECT_EQ(PatternText(ShapePattern("")), "[]");
  EXPECT_EQ(PatternText(ShapePattern("K 5 groups")), "[K, 5, groups]");
  EXPECT_EQ(PatternText(ShapePattern("*B M S")), "[*B, M, S]");
  EXPECT_EQ(PatternText(ShapePattern("S... sizes...")), "[S..., sizes...]");
}

// ---- A loss: names, and the first tensor that has one

constexpr Parameter kLoss[] = {
    WithShape(Input("logProb", kAnyFloat, ""), "N C"),
    WithShape(Input("target", kAnyFloat, ""), "N"),
    Optional(WithShape(Input("weight", kAnyFloat, ""), "C", "pass one weight for each class")),
    WithShape(Output("out", kAnyFloat, ""), "N C")};
constexpr Contract kLossContract = {
    .function = "aclnnLoss", .folder = "loss", .shape_code = 561002, .parameters = kLoss};
static_assert(IsWellFormed(kLossContract));

void FillLoss(TestCall& call) {
  call.Tensor(0, {8, 10});
  call.Tensor(1, {8});
  call.Tensor(2, {10});
  call.Tensor(3, {8, 10});
}

TEST(Shapes, AnExtentIsThatOfTheFirstTensorThatHasIt) {
  TestCall call(kLossContract);
  FillLoss(call);
  EXPECT_EQ(call.What(), "");
  call.Tensor(1, {7});
  EXPECT_EQ(call.What(),
            "target.shape is [7] but logProb.shape is [8, 10]; expected [N] with N = 8.");
  EXPECT_EQ(call.last().fix, "create target with shape [8]");
  EXPECT_EQ(call.last().rule, "loss/shape/target");
  EXPECT_EQ(call.last().code, 561002);
}

TEST(Shapes, AllThatIsKnownIsTold) {
  TestCall call(kLossContract);
  FillLoss(call);
  call.Tensor(3, {8, 11});
  EXPECT_EQ(call.What(),
            "out.shape is [8, 11] but logProb.shape is [8, 10]; expected [N, C] with N = 8 and "
            "C = 10.");
  EXPECT_EQ(call.last().fix, "create out with shape [8, 10]");
}

TEST(Shapes, AContractMaySayTheFixAndATensorMayBeMissing) {
  TestCall call(kLossContract);
  FillLoss(call);
  call.Tensor(2, {9});
  EXPECT_EQ(call.What(),
            "weight.shape is [9] but logProb.shape is [8, 10]; expected [C] with C = 10.");
  EXPECT_EQ(call.last().fix, "pass one weight for each class");
  call.Null(2);
  EXPECT_EQ(call.What(), "");
}

TEST(Shapes, RanksFollowFromPatterns) {
  TestCall call(kLossContract);
  FillLoss(call);
  call.Tensor(0, {8, 10, 1});
  EXPECT_EQ(call.What(), "logProb.shape is [8, 10, 1] (rank 3); expected rank 2.");
  EXPECT_EQ(call.last().code, kAclnnInvalid);
}

TEST(Shapes, OnlyWhatCanBeViolatedIsARule) {
  std::vector<std::string> ids;
  for (const OwnRule& own : OwnRules(kLossContract)) ids.push_back(own.id);
  EXPECT_EQ(ids, (std::vector<std::string>{"shape/target", "shape/weight", "shape/out"}));
  EXPECT_EQ(OwnRules(kLossContract)[0].statement, "target has the shape [N]");
  EXPECT_EQ(OwnRules(kLossContract)[0].fix, "create target with shape [N]");
  EXPECT_EQ(OwnRules(kLossContract)[0].code, 561002);
}

// ---- Numbers and attributes

constexpr Parameter kPool[] = {WithShape(Input("boxes", kAnyFloat, ""), "K 5"),
                               WithShape(Attribute("sizes", Kind::kIntArray, ""), "B 3 H"),
                               Attribute("height", Kind::kInteger, ""),
                               WithShape(Input("square", kAnyFloat, ""), "M M"),
                               WithShape(Output("out", kAnyFloat, ""), "K height H"),
                               WithShape(Output("whole", kAnyFloat, ""), "sizes...")};
constexpr Contract kPoolContract = {.function = "aclnnPool", .folder = "pool", .parameters = kPool};
static_assert(IsWellFormed(kPoolContract));

void FillPool(TestCall& call) {
  call.Tensor(0, {4, 5});
  call.Ints(1, {2, 3, 6});
  call.Integer(2, 7);
  call.Tensor(3, {2, 2});
  call.Tensor(4, {4, 7, 6});
  call.Tensor(5, {2, 3, 6});
}

TEST(Shapes, ANumberIsAnExtent) {
  TestCall call(kPoolContract);
  FillPool(call);
  EXPECT_EQ(call.What(), "");
  call.Tensor(0, {4, 6});
  EXPECT_EQ(call.What(), "boxes.shape is [4, 6]; expected [K, 5].");
  EXPECT_EQ(call.last().fix, "create boxes with shape [K, 5]");
  EXPECT_EQ(call.last().code, kAclnnInvalid);
}

TEST(Shapes, OneNameTwiceIsOneExtent) {
  TestCall call(kPoolContract);
  FillPool(call);
  call.Tensor(3, {2, 3});
  EXPECT_EQ(call.What(), "square.shape is [2, 3]; expected [M, M].");
}

TEST(Shapes, AnIntegerAttributeIsAnExtent) {
  TestCall call(kPoolContract);
  FillPool(call);
  call.Tensor(4, {4, 8, 5});
  EXPECT_EQ(call.What(),
            "out.shape is [4, 8, 5] but height is 7 and sizes is [2, 3, 6]; expected "
            "[K, height, H] with K = 4, height = 7 and H = 6.");
  EXPECT_EQ(call.last().fix, "create out with shape [4, 7, 6]");
}

TEST(Shapes, AnIntArrayMayBeAShape) {
  TestCall call(kPoolContract);
  FillPool(call);
  for (const IntArrayValue& wrong : {IntArrayValue{}, {2, 3}, {2, 3, 6, 1}, IntArrayValue(20, 1)}) {
    call.Ints(1, wrong);
    EXPECT_NE(call.What().find("; expected [B, 3, H]."), std::string::npos) << call.last().what;
    EXPECT_EQ(call.last().fix, "pass [B, 3, H] as sizes");
    EXPECT_EQ(call.last().rule, "pool/shape/sizes");
  }
  call.Ints(1, {2, 4, 6});
  EXPECT_EQ(call.What(), "sizes is [2, 4, 6]; expected [B, 3, H].");
}

TEST(Shapes, AnIntArrayMayBeDimensionsOfATensor) {
  TestCall call(kPoolContract);
  FillPool(call);
  for (const std::vector<int64_t>& wrong :
       {std::vector<int64_t>{2, 3, 5}, {2, 3}, {}, {2, 3, 6, 1}}) {
    call.Tensor(5, wrong);
    EXPECT_NE(call.What().find(" but sizes is [2, 3, 6]; expected [sizes...] with sizes = "
                               "[2, 3, 6]."),
              std::string::npos)
        << call.last().what;
    EXPECT_EQ(call.last().fix, "create whole with shape [2, 3, 6]");
  }
}

// ---- Runs of dimensions

constexpr Parameter kNorm[] = {WithShape(Input("input", kAnyFloat, ""), "N S... C"),
                               WithShape(Input("weight", kAnyFloat, ""), "C"),
                               WithShape(Output("out", kAnyFloat, ""), "S..."),
                               WithShape(Output("last", kAnyFloat, ""), "2 S...")};
constexpr Contract kNormContract = {.function = "aclnnNorm", .folder = "norm", .parameters = kNorm};
static_assert(IsWellFormed(kNormContract));

TEST(Shapes, ARunIsEqualWhereverItStands) {
  TestCall call(kNormContract);
  call.Tensor(0, {2, 4, 5, 3});
  call.Tensor(1, {3});
  call.Tensor(2, {4, 5});
  call.Tensor(3, {2, 4, 5});
  EXPECT_EQ(call.What(), "");
  call.Tensor(2, {4, 6});
  EXPECT_EQ(call.What(),
            "out.shape is [4, 6] but input.shape is [2, 4, 5, 3]; expected [S...] with "
            "S = [4, 5].");
  EXPECT_EQ(call.last().fix, "create out with shape [4, 5]");
  call.Tensor(2, {4, 5, 1});
  EXPECT_NE(call.What(), "");
  call.Tensor(2, {4, 5});
  call.Tensor(3, {2});
  EXPECT_EQ(call.What(),
            "last.shape is [2] but input.shape is [2, 4, 5, 3]; expected [2, S...] with "
            "S = [4, 5].");
  EXPECT_EQ(call.last().fix, "create last with shape [2, 4, 5]");
}

TEST(Shapes, ARunMayBeEmpty) {
  TestCall call(kNormContract);
  call.Tensor(0, {2, 3});
  call.Tensor(1, {3});
  call.Tensor(2, {});
  call.Tensor(3, {2});
  EXPECT_EQ(call.What(), "");
  call.Tensor(2, {1});
  EXPECT_EQ(call.What(),
            "out.shape is [1] but input.shape is [2, 3]; expected [S...] with S = [].");
  EXPECT_EQ(call.last().fix, "create out with shape []");
}

// ---- Broadcasts; the output stands first, as in functions that work in place

constexpr Parameter kProduct[] = {WithShape(Output("out", kAnyFloat, ""), "*B M N"),
                                  WithShape(Input("self", kAnyFloat, ""), "*B M K"),
                                  WithShape(Input("mat2", kAnyFloat, ""), "*B K N")};
constexpr Contract kProductContract = {
    .function = "aclnnProduct", .folder = "product", .parameters = kProduct};
static_assert(IsWellFormed(kProductContract));

TEST(Shapes, LeadingDimensionsBroadcast) {
  TestCall call(kProductContract);
  call.Tensor(0, {5, 6, 2, 4});
  call.Tensor(1, {6, 2, 3});
  call.Tensor(2, {5, 1, 3, 4});
  EXPECT_EQ(call.What(), "");
  call.Tensor(1, {2, 3});
  call.Tensor(2, {3, 4});
  call.Tensor(0, {2, 4});
  EXPECT_EQ(call.What(), "");
}

TEST(Shapes, AnOutputHasTheBroadcastOfTheInputs) {
  TestCall call(kProductContract);
  call.Tensor(0, {1, 6, 2, 4});
  call.Tensor(1, {6, 2, 3});
  call.Tensor(2, {5, 1, 3, 4});
  EXPECT_EQ(call.What(),
            "out.shape is [1, 6, 2, 4] but self.shape is [6, 2, 3] and mat2.shape is "
            "[5, 1, 3, 4]; expected [*B, M, N] with B = [5, 6].");
  EXPECT_EQ(call.last().fix, "create out with shape [5, 6, 2, 4]");
}

TEST(Shapes, InputsThatDoNotBroadcastAreNamed) {
  TestCall call(kProductContract);
  call.Tensor(0, {7, 2, 4});
  call.Tensor(1, {6, 2, 3});
  call.Tensor(2, {7, 3, 4});
  EXPECT_EQ(call.What(),
            "mat2.shape is [7, 3, 4] but self.shape is [6, 2, 3]; expected [*B, K, N] with B that "
            "broadcasts with [6], K = 3 and N = 4.");
  EXPECT_EQ(call.last().fix, "create mat2 with shape [*B, 3, 4]");
}

constexpr Parameter kInPlace[] = {WithShape(InOut("selfRef", kAnyFloat, ""), "*B"),
                                  WithShape(Input("other", kAnyFloat, ""), "*B")};
constexpr Contract kInPlaceContract = {
    .function = "aclnnInPlace", .folder = "in_place", .parameters = kInPlace};

TEST(Shapes, InPlaceATensorKeepsItsShape) {
  TestCall call(kInPlaceContract);
  call.Tensor(0, {2, 3});
  call.Tensor(1, {3});
  EXPECT_EQ(call.What(), "");
  call.Tensor(1, {4, 2, 3});
  EXPECT_EQ(call.What(),
            "selfRef.shape is [2, 3] but other.shape is [4, 2, 3]; expected [*B] with "
            "B = [4, 2, 3].");
}

// ---- Lists

constexpr Parameter kStack[] = {WithShape(ListOf(Input("tensors", kAnyFloat, "")), "N C"),
                                WithShape(Output("out", kAnyFloat, ""), "N")};
constexpr Contract kStackContract = {
    .function = "aclnnStack", .folder = "stack", .parameters = kStack};

TEST(Shapes, EachTensorOfAListFollowsThePattern) {
  TestCall call(kStackContract);
  call.Tensors(0, {{2, 3}, {2, 3}, {2, 3}});
  call.Tensor(1, {2});
  EXPECT_EQ(call.What(), "");
  call.Tensors(0, {{2, 3}, {2, 3}, {2, 4}});
  EXPECT_EQ(call.What(),
            "tensors[2].shape is [2, 4] but tensors[0].shape is [2, 3]; expected [N, C] with "
            "N = 2 and C = 3.");
  EXPECT_EQ(call.last().rule, "stack/shape/tensors");
  call.Tensors(0, {{2, 3}, {2, 3, 1}});
  EXPECT_EQ(call.What(), "tensors[1].shape is [2, 3, 1] (rank 3); expected rank 2.");
}

// ---- What to do about another rank, and about an array that is the end of a shape

TEST(Shapes, TheFixOfARankNamesTheShape) {
  TestCall call(kStackContract);
  call.Tensors(0, {{2, 3}, {2, 3, 1}});
  call.Tensor(1, {2});
  EXPECT_NE(call.What(), "");
  EXPECT_EQ(call.last().fix, "reshape tensors[1] to [N, C]");
  call.Tensors(0, {{2, 3}});
  call.Tensor(1, {2, 1});
  EXPECT_NE(call.What(), "");
  EXPECT_EQ(call.last().fix, "create out with [N]");
  static constexpr Parameter kParameters[] = {WithRank(Input("index", kAnyFloat, ""), 0, 1)};
  static constexpr Contract kContract = {
      .function = "aclnnX", .folder = "x", .parameters = kParameters};
  TestCall select(kContract);
  select.Tensor(0, {2, 3});
  EXPECT_NE(select.What(), "");
  EXPECT_EQ(select.last().fix, "reshape index to a shape of rank 0 to 1");
}

constexpr Parameter kRows[] = {WithShape(Input("input", kAnyFloat, ""), "A... normalizedShape..."),
                               Attribute("normalizedShape", Kind::kIntArray, "")};
constexpr Contract kRowsContract = {.function = "aclnnRows", .folder = "rows", .parameters = kRows};

TEST(Shapes, AnArrayThatIsNoEndOfAShapeMayBeWhatIsWrong) {
  TestCall call(kRowsContract);
  call.Tensor(0, {2, 3, 4});
  call.Ints(1, {3, 4});
  EXPECT_EQ(call.What(), "");
  call.Ints(1, {2, 3});
  EXPECT_EQ(call.What(),
            "input.shape is [2, 3, 4] but normalizedShape is [2, 3]; expected [A..., "
            "normalizedShape...] with normalizedShape = [2, 3].");
  EXPECT_EQ(call.last().fix,
            "create input with shape [A..., 2, 3], or pass [3, 4] as normalizedShape");
}

// ---- What does not fit together does not compile

constexpr Parameter kSpoiltInput[] = {MayBe(Input("x", kAnyFloat, ""), 1),
                                      Input("y", kAnyFloat, "")};
static_assert(!IsWellFormed({.parameters = kSpoiltInput}));
constexpr Parameter kTwoResults[] = {MayBe(Output("x", kAnyFloat, ""), 1),
                                     Output("y", kAnyFloat, "")};
static_assert(!IsWellFormed({.parameters = kTwoResults}));
constexpr Parameter kWorksInPlace[] = {MayBe(Output("x", kAnyFloat, ""), 1),
                                       Input("y", kAnyFloat, "")};
static_assert(IsWellFormed({.parameters = kWorksInPlace}));

constexpr Parameter kUnknownName[] = {WithShape(Input("x", kAnyFloat, ""), "height")};
static_assert(!IsWellFormed({.parameters = kUnknownName}));
constexpr Parameter kRealName[] = {WithShape(Input("x", kAnyFloat, ""), "eps"),
                                   Attribute("eps", Kind::kReal, "")};
static_assert(!IsWellFormed({.parameters = kRealName}));
constexpr Parameter kShapeOfNumber[] = {WithShape(Attribute("n", Kind::kInteger, ""), "N")};
static_assert(!IsWellFormed({.parameters = kShapeOfNumber}));

}  // namespace
}  // namespace aclimb::contract
