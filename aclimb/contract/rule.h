#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "aclimb/contract/arguments.h"
#include "aclimb/contract/parameter.h"
#include "aclimb/core/codes.h"

// Rules relate the parameters of an operator. What several operators have is a kind, told by data;
// what one operator alone has is a predicate. Parameters are named by their positions; a rule about
// a tensor list holds for each of its tensors, one about two lists for each pair.
namespace aclimb::contract {

// Looks at the arguments, all of which passed the checks before it. Returns nothing when the rule
// holds, else what is wrong: "alpha is FLOAT -1 and isResult is true; expected alpha >= 0." naming
// every argument it relates with its value. Looks at no address and no handle, and at nothing but
// the arguments: it is not asked again for an equal call.
using Predicate = std::optional<std::string> (*)(const Arguments& arguments);

enum class RuleKind : uint8_t {
  kSameDType,
  kSameDTypeOr,
  kNamesDType,
  kConvertsToFloat,
  kConvertsTo,
  kPromotes,
  kScalarFits,
  kInDType,
  kInRange,
  kOneOf,
  kReserved,
  kCount,
  kCountOf,
  kWanted,
  kAbsent,
  kElements,
  kSameRank,
  kSameShape,
  kBroadcasts,
  kReduces,
  kReducesLoss,
  kCustom
};

// Which numbers are right. NaN is not, unless it says so.
struct Bounds {
  static constexpr double kInfinity = std::numeric_limits<double>::infinity();

  double least = -kInfinity;
  double most = kInfinity;
  bool open = false;       // `least` itself is wrong
  int dimension_of = -1;   // a tensor parameter: the numbers are dimensions of it, -1 the last
  int more = 0;            // so many more than the tensor has
  bool distinct = false;   // no dimension stands twice
  bool is_uint64 = false;  // the C parameter is unsigned
  bool nan = false;        // NaN is right
};
constexpr Bounds AtLeast(double least) { return {.least = least}; }
constexpr Bounds AtLeastOrNan(double least) { return {.least = least, .nan = true}; }
constexpr Bounds Above(double least) { return {.least = least, .open = true}; }
constexpr Bounds AtMost(double most) { return {.most = most}; }
constexpr Bounds Between(double least, double most) { return {.least = least, .most = most}; }
constexpr Bounds Exactly(double number) { return Between(number, number); }
// A uint64_t that a signed number can hold.
constexpr Bounds Below2To63() { return {.least = 0, .is_uint64 = true}; }
// -rank to rank - 1 of a tensor, or of the first tensor of a list; rank 0 counts as rank 1.
constexpr Bounds DimensionOf(int tensor) { return {.dimension_of = tensor}; }
constexpr Bounds DistinctDimensionsOf(int tensor) {
  return {.dimension_of = tensor, .distinct = true};
}
// Where a dimension can be inserted: -rank - 1 to rank.
constexpr Bounds NewDimensionOf(int tensor) { return {.dimension_of = tensor, .more = 1}; }

struct Rule {
  const char* id = "";  // stable; "same-shape/selfOrResult"
  RuleKind kind = RuleKind::kCustom;
  int subject = -1;  // parameter index, as the next three
  int other = -1;
  int third = -1;
  int output = -1;
  int code = kAclnnInvalid;
  Predicate violated = nullptr;
  const char* statement = "";  // one sentence for the operator's page
  const char* fix = "";
  Bounds bounds = {};        // kInRange, kCount
  const char* choices = "";  // kOneOf, "none|mean|sum"
  int entry = 0;             // kWanted
  double unless = 0;         // kWanted: the number with which it need not be there
  DTypeMask dtypes = 0;      // kSameDTypeOr: those that are right too
  uint64_t all = 0;          // kAbsent: its parameters, a bit each (IsAbout)

  constexpr bool IsAbout(int parameter) const { return (all >> parameter & 1) != 0; }
};

// ---- Dtypes

// subject.dtype == other.dtype
constexpr Rule SameDType(const char* id, int subject, int other, const char* fix) {
  return {.id = id, .kind = RuleKind::kSameDType, .subject = subject, .other = other, .fix = fix};
}
// subject.dtype == other.dtype, or one of these
constexpr Rule SameDTypeOr(const char* id, int subject, int other, DTypeMask dtypes,
                           const char* fix) {
  return {.id = id,
          .kind = RuleKind::kSameDTypeOr,
          .subject = subject,
          .other = other,
          .fix = fix,
          .dtypes = dtypes};
}
// The attribute, an aclDataType, is other.dtype.
constexpr Rule NamesDType(const char* id, int attribute, int other, const char* fix) {
  return {
      .id = id, .kind = RuleKind::kNamesDType, .subject = attribute, .other = other, .fix = fix};
}
// It is a dtype that the parameter `to` accepts, `from` converts to it, and it to `to`.
constexpr Rule NamesDTypeBetween(const char* id, int attribute, int from, int to, const char* fix) {
  Rule rule = NamesDType(id, attribute, to, fix);
  rule.third = from;
  return rule;
}
// The scalar has a real dtype.
constexpr Rule ConvertsToFloat(const char* id, int subject, const char* fix) {
  return {.id = id, .kind = RuleKind::kConvertsToFloat, .subject = subject, .fix = fix};
}
// subject.dtype can be cast to other.dtype, as results are cast to outputs.
constexpr Rule ConvertsTo(const char* id, int subject, int other, const char* fix) {
  return {.id = id, .kind = RuleKind::kConvertsTo, .subject = subject, .other = other, .fix = fix};
}
// Two tensors, or a tensor and a scalar, have a common dtype (promotion.h).
constexpr Rule Promotes(const char* id, int a, int b, const char* fix) {
  return {.id = id, .kind = RuleKind::kPromotes, .subject = a, .other = b, .fix = fix};
}
// And results of that dtype can be cast to output.dtype.
constexpr Rule Promotes(const char* id, int a, int b, int output, const char* fix) {
  Rule rule = Promotes(id, a, b, fix);
  rule.output = output;
  return rule;
}
constexpr Rule Promotes(const char* id, int a, int b, int c, int output, const char* fix) {
  Rule rule = Promotes(id, a, b, output, fix);
  rule.third = c;
  return rule;
}

// The scalar is an integer or a BOOL unless `a` has a floating dtype; a complex one needs a complex
// dtype.
constexpr Rule ScalarFits(const char* id, int scalar, int a, const char* fix) {
  return {.id = id, .kind = RuleKind::kScalarFits, .subject = scalar, .other = a, .fix = fix};
}
// ScalarFits for the dtype that a and b promote to: a factor of a result, as alpha.
constexpr Rule ScalarFits(const char* id, int scalar, int a, int b, const char* fix) {
  Rule rule = ScalarFits(id, scalar, a, fix);
  rule.third = b;
  return rule;
}

// The scalar is a number of a's dtype, where that is of integers: what a conversion would change is
// refused, as by PyTorch. One below 0 wraps in a dtype without sign, as far below as that reaches
// above.
constexpr Rule InDType(const char* id, int scalar, int a, const char* fix) {
  return {.id = id, .kind = RuleKind::kInDType, .subject = scalar, .other = a, .fix = fix};
}
// InDType for the dtype that a and b promote to; b may be the scalar.
constexpr Rule InDType(const char* id, int scalar, int a, int b, const char* fix) {
  Rule rule = InDType(id, scalar, a, fix);
  rule.third = b;
  return rule;
}
constexpr Rule InDType(const char* id, int scalar, int a, int b, int c, const char* fix) {
  Rule rule = InDType(id, scalar, a, b, fix);
  rule.output = c;
  return rule;
}

// ---- Attributes

// The number, or each of the array or list, is within the bounds:
//   InRange("range/eps", kEps, Above(0), ...)   InRange("range/dim", kDim, DimensionOf(kSelf), ...)
constexpr Rule InRange(const char* id, int attribute, Bounds bounds, const char* fix) {
  return {.id = id,
          .kind = RuleKind::kInRange,
          .subject = attribute,
          .other = bounds.dimension_of,
          .fix = fix,
          .bounds = bounds};
}
// The same where the flag `when` is true.
constexpr Rule InRangeWhen(const char* id, int attribute, Bounds bounds, int when,
                           const char* fix) {
  Rule rule = InRange(id, attribute, bounds, fix);
  rule.third = when;
  return rule;
}
// The text is one of those in `choices`, which are separated by '|'. Null passes.
constexpr Rule OneOf(const char* id, int attribute, const char* choices, const char* fix) {
  return {.id = id, .kind = RuleKind::kOneOf, .subject = attribute, .fix = fix, .choices = choices};
}
// The number is 0, the flag false, the tensor null or empty, unless ACLIMB_EXTENSIONS=1: the
// document supports nothing else so far.
constexpr Rule Reserved(const char* id, int subject) {
  return {.id = id,
          .kind = RuleKind::kReserved,
          .subject = subject,
          .fix = "pass 0, false for a flag, null for a tensor, or set ACLIMB_EXTENSIONS=1"};
}
// So many entries are in the array or list.
constexpr Rule Count(const char* id, int subject, Bounds bounds, const char* fix,
                     int code = kAclnnInvalid) {
  return {.id = id,
          .kind = RuleKind::kCount,
          .subject = subject,
          .code = code,
          .fix = fix,
          .bounds = bounds};
}
// As many entries are in the array or list as in the other one, or as the other tensor has
// dimensions.
constexpr Rule CountOf(const char* id, int subject, int other, const char* fix) {
  return {.id = id, .kind = RuleKind::kCountOf, .subject = subject, .other = other, .fix = fix};
}
// The tensor is given when the flag is true.
constexpr Rule Wanted(const char* id, int tensor, int flag, const char* fix,
                      int code = kAclnnNullptr) {
  return {.id = id,
          .kind = RuleKind::kWanted,
          .subject = tensor,
          .other = flag,
          .code = code,
          .fix = fix};
}
// The same of the flag at `entry` of a bool array.
constexpr Rule Wanted(const char* id, int tensor, int mask, int entry, const char* fix) {
  Rule rule = Wanted(id, tensor, mask, fix);
  rule.entry = entry;
  return rule;
}
// The tensor is given unless the attribute is this number.
constexpr Rule WantedUnless(const char* id, int tensor, int attribute, double number,
                            const char* fix, int code = kAclnnNullptr) {
  Rule rule = Wanted(id, tensor, attribute, fix, code);
  rule.unless = number;
  return rule;
}
// The tensors, or lists of tensors, are null or without elements:
//   Absent("absent/paddingMask", "pass null", kPaddingMask)
template <typename... Position>
constexpr Rule Absent(const char* id, const char* fix, Position... positions) {
  return {
      .id = id, .kind = RuleKind::kAbsent, .fix = fix, .all = ((uint64_t{1} << positions) | ...)};
}

// ---- Shapes that no pattern tells

// The tensor has one element.
constexpr Rule OneElement(const char* id, int subject, const char* fix) {
  return {.id = id, .kind = RuleKind::kElements, .subject = subject, .fix = fix};
}
// The tensor has as many elements as the product of these: integer attributes, and tensors, which
// stand for how many elements they have.
constexpr Rule Elements(const char* id, int subject, int a, int b, int c, const char* fix) {
  return {.id = id,
          .kind = RuleKind::kElements,
          .subject = subject,
          .other = a,
          .third = b,
          .output = c,
          .fix = fix};
}
constexpr Rule Elements(const char* id, int subject, int a, int b, const char* fix) {
  return Elements(id, subject, a, b, -1, fix);
}
constexpr Rule Elements(const char* id, int subject, int a, const char* fix) {
  return Elements(id, subject, a, -1, fix);
}
// subject and other have equally many dimensions.
constexpr Rule SameRank(const char* id, int subject, int other, const char* fix) {
  return {.id = id, .kind = RuleKind::kSameRank, .subject = subject, .other = other, .fix = fix};
}
// subject.shape == other.shape
constexpr Rule SameShape(const char* id, int subject, int other, const char* fix,
                         int code = kAclnnInvalid) {
  return {.id = id,
          .kind = RuleKind::kSameShape,
          .subject = subject,
          .other = other,
          .code = code,
          .fix = fix};
}
// a broadcasts to output.shape.
constexpr Rule Broadcasts(const char* id, int output, int a, const char* fix) {
  return {.id = id,
          .kind = RuleKind::kBroadcasts,
          .subject = output,
          .other = a,
          .output = output,
          .fix = fix};
}
// output.shape is what a.shape and b.shape broadcast to. In place, output is a: its shape stays.
constexpr Rule Broadcasts(const char* id, int output, int a, int b, const char* fix) {
  Rule rule = Broadcasts(id, output, a, fix);
  rule.subject = a;
  rule.other = b;
  return rule;
}
constexpr Rule Broadcasts(const char* id, int output, int a, int b, int c, const char* fix) {
  Rule rule = Broadcasts(id, output, a, b, fix);
  rule.third = c;
  return rule;
}

inline constexpr const char* kReducedFix =
    "allocate the output with the shape that is left, or with 1 in place of what is reduced";
// output.shape is input.shape without the dimensions in the attribute `dims`, one or an array, of
// which nothing or no entry means all; they are kept as 1 when the flag `keep` is true (-1: never).
// Without `dims` (-1) all are reduced, and the output is a single element: [] or [1].
constexpr Rule Reduces(const char* id, int output, int input, int dims, int keep,
                       const char* fix = kReducedFix) {
  return {.id = id,
          .kind = RuleKind::kReduces,
          .subject = output,
          .other = input,
          .third = dims,
          .output = keep,
          .fix = fix};
}

// loss.shape is what a.shape and b.shape broadcast to (b -1: a.shape) where nothing is reduced,
// which `reduction` says as 0 or "none"; else the loss is a single element: [] or [1].
constexpr Rule ReducesLoss(const char* id, int loss, int a, int b, int reduction, const char* fix,
                           int code = kAclnnInvalid) {
  return {.id = id,
          .kind = RuleKind::kReducesLoss,
          .subject = loss,
          .other = a,
          .third = b,
          .output = reduction,
          .code = code,
          .fix = fix};
}

constexpr Rule Custom(const char* id, Predicate violated, const char* statement, const char* fix,
                      int code = kAclnnInvalid) {
  return {.id = id, .code = code, .violated = violated, .statement = statement, .fix = fix};
}

// The parameters that a rule relates, each once, then -1.
constexpr std::array<int, 4> ParametersOf(const Rule& rule) {
  std::array<int, 4> related = {-1, -1, -1, -1};
  size_t count = 0;
  for (int index : {rule.subject, rule.other, rule.third, rule.output}) {
    bool known = index < 0;
    for (int before : related) known = known || before == index;
    if (!known) related[count++] = index;
  }
  return related;
}

// When a rule is looked at (check.h has the order): what says that an argument is missing with the
// nulls, dtypes with the dtypes, numbers before the shapes that may use them.
enum class Stage : uint8_t { kNulls, kDTypes, kAttributes, kRest };

constexpr Stage StageOf(const Rule& rule) {
  if (rule.code == kAclnnNullptr) return Stage::kNulls;
  switch (rule.kind) {
    case RuleKind::kSameDType:
    case RuleKind::kSameDTypeOr:
    case RuleKind::kNamesDType:
    case RuleKind::kConvertsToFloat:
    case RuleKind::kConvertsTo:
    case RuleKind::kPromotes:
    case RuleKind::kScalarFits:
    case RuleKind::kInDType:
      return Stage::kDTypes;
    case RuleKind::kInRange:
    case RuleKind::kOneOf:
    case RuleKind::kReserved:
    case RuleKind::kCount:
      return Stage::kAttributes;
    case RuleKind::kCountOf:
    case RuleKind::kWanted:
    case RuleKind::kAbsent:
    case RuleKind::kElements:
    case RuleKind::kSameRank:
    case RuleKind::kSameShape:
    case RuleKind::kBroadcasts:
    case RuleKind::kReduces:
    case RuleKind::kReducesLoss:
    case RuleKind::kCustom:
      break;
  }
  return Stage::kRest;
}

}  // namespace aclimb::contract
