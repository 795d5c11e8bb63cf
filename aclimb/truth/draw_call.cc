#include "aclimb/truth/draw_call.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "aclimb/contract/promotion.h"
#include "aclimb/truth/draw_tensor.h"
#include "aclimb/truth/elements.h"
#include "aclimb/truth/obeys.h"
#include "aclimb/truth/reduced.h"

namespace aclimb::truth {
namespace {

using contract::Bounds;
using contract::Dimension;
using contract::Kind;
using contract::Parameter;
using contract::Role;
using contract::Rule;
using contract::RuleKind;

// Numbers that are right by all rules about an attribute.
struct Range {
  double least = -Bounds::kInfinity;
  double most = Bounds::kInfinity;
  bool open = false;  // `least` itself is wrong

  void Narrow(const Bounds& bounds) {
    if (bounds.least >= least) {
      open = bounds.open || (open && bounds.least == least);
      least = bounds.least;
    }
    most = std::min(most, bounds.most);
  }
  bool Has(double number) const {
    return (open ? number > least : number >= least) && number <= most;
  }
};

// One of the dtypes that the rule allows.
DType DrawNamedDType(Draw& draw, const Call& call, const Rule& rule) {
  const DType to = call.DTypeOf(rule.other);
  if (rule.third < 0) return to;
  contract::DTypeMask fitting = 0;
  const contract::DTypeMask mask = call.ParameterAt(rule.other).dtypes[draw.product()];
  for (int i = 0; i < 64; ++i) {
    const auto dtype = static_cast<DType>(i);
    if (contract::Has(mask, dtype) && contract::ResultConverts(call.DTypeOf(rule.third), dtype) &&
        contract::ResultConverts(dtype, to)) {
      fitting |= contract::DTypes(dtype);
    }
  }
  return fitting == 0 || draw.Flip() ? to : DrawDType(draw, fitting);
}

// What the rules say of one parameter when the others are there.
void FollowOthers(Draw& draw, Call& call) {
  for (const Rule& rule : call.contract().rules) {
    if (rule.kind == RuleKind::kNamesDType) {
      call.SetInteger(rule.subject, static_cast<int64_t>(DrawNamedDType(draw, call, rule)));
    }
    if (rule.kind != RuleKind::kReduces || !call.IsGiven(rule.subject)) continue;
    std::optional<std::vector<int64_t>> shape = ReducedShapeOf(call, rule);
    if (!shape) continue;
    if (rule.third < 0 && draw.Flip()) shape->push_back(1);
    call.SetTensor(rule.subject, std::move(*shape), call.DTypeOf(rule.subject));
  }
}

// Draws a call part by part: first what shapes depend on, last what depends on them.
class CallDraw {
 public:
  CallDraw(Draw& draw, Call& call)
      : draw_(draw), call_(call), present_(static_cast<size_t>(call.size())) {}

  void Make() {
    ForEach([&](int p) { present_[At(p)] = !call_.ParameterAt(p).optional || !draw_.Flip(); });
    ForEach([&](int p) {
      if (call_.ParameterAt(p).kind == Kind::kBoolArray && present_[At(p)]) DrawBools(p);
    });
    FollowFlags();
    // A range may hold only where a flag is true.
    ForEach([&](int p) {
      if (IsFlag(p)) DrawAttribute(p);
    });
    ForEach([&](int p) {
      if (present_[At(p)] && !IsFlag(p) && !IsDimension(p) && !IsShape(p)) DrawAttribute(p);
    });
    FollowAttributes();
    const std::vector<std::vector<int64_t>> shapes = DrawShapes(draw_, call_, present_);
    const std::vector<DType> dtypes = DrawDTypes(draw_, call_.contract(), present_);
    ForEach([&](int p) {
      if (!present_[At(p)]) return;
      const Kind kind = call_.ParameterAt(p).kind;
      if (kind == Kind::kTensor) DrawTensor(draw_, call_, p, shapes[At(p)], dtypes[At(p)]);
      if (kind == Kind::kTensorList) SetTensors(p, shapes[At(p)], dtypes[At(p)]);
      if (kind == Kind::kScalar) SetScalar(p, p, dtypes[At(p)]);
      if (kind == Kind::kScalarList) SetScalars(p, dtypes[At(p)]);
      if (IsShape(p)) call_.SetInts(p, shapes[At(p)]);
    });
    ForEach([&](int p) {
      if (present_[At(p)] && IsDimension(p)) DrawAttribute(p);
    });
    FollowOthers(draw_, call_);
  }

 private:
  static size_t At(int p) { return static_cast<size_t>(p); }
  template <typename Action>
  void ForEach(Action&& action) const {
    for (int p = 0; p < call_.size(); ++p) action(p);
  }
  template <typename Action>
  void ForEachRule(RuleKind kind, int subject, Action&& action) const {
    for (const Rule& rule : call_.contract().rules) {
      if (rule.kind == kind && rule.subject == subject) action(rule);
    }
  }

  bool IsFlag(int p) const { return call_.ParameterAt(p).kind == Kind::kBool; }
  // An int array whose numbers follow a pattern.
  bool IsShape(int p) const {
    return call_.ParameterAt(p).kind == Kind::kIntArray && call_.ParameterAt(p).HasShape();
  }
  // An attribute that names dimensions of a tensor.
  bool IsDimension(int p) const {
    bool is = false;
    ForEachRule(RuleKind::kInRange, p, [&](const Rule& rule) { is = is || rule.other >= 0; });
    return is;
  }
  bool IsReserved(int p) const {
    bool is = false;
    ForEachRule(RuleKind::kReserved, p, [&](const Rule&) { is = !draw_.extensions(); });
    return is;
  }
  // Whether a pattern names the attribute: extents of a shape.
  bool IsInPattern(int p) const {
    for (const Parameter& parameter : call_.contract().parameters) {
      if (!parameter.HasShape()) continue;
      for (const Dimension& each : parameter.Shape()) {
        const bool names_attributes =
            each.kind == Dimension::Kind::kAttribute || each.kind == Dimension::Kind::kArray;
        if (names_attributes && each.name == call_.ParameterAt(p).name) return true;
      }
    }
    return false;
  }

  // Outputs that a flag asks for, and tensors that have to be absent.
  void FollowFlags() {
    for (const Rule& rule : call_.contract().rules) {
      for (int p = 0; p < call_.size(); ++p) {
        if (rule.IsAbout(p)) present_[At(p)] = false;
      }
      const bool by_array =
          rule.kind == RuleKind::kWanted && call_.ParameterAt(rule.other).kind == Kind::kBoolArray;
      if (by_array && present_[At(rule.other)]) {
        const std::vector<int64_t>& flags = call_.Ints(rule.other);
        const auto entry = static_cast<size_t>(rule.entry);
        if (entry < flags.size() && flags[entry] != 0) present_[At(rule.subject)] = true;
      }
      if (rule.kind != RuleKind::kReserved || !IsReserved(rule.subject)) continue;
      if (call_.ParameterAt(rule.subject).optional) present_[At(rule.subject)] = false;
    }
  }

  // Tensors that a flag or a number asks for.
  void FollowAttributes() {
    for (const Rule& rule : call_.contract().rules) {
      if (rule.kind != RuleKind::kWanted) continue;
      const Kind kind = call_.ParameterAt(rule.other).kind;
      if (kind == Kind::kBoolArray) continue;
      const bool wanted = kind == Kind::kBool ? call_.Integer(rule.other) != 0
                          : kind == Kind::kReal
                              ? call_.Real(rule.other) != rule.unless
                              : static_cast<double>(call_.Integer(rule.other)) != rule.unless;
      if (wanted) present_[At(rule.subject)] = true;
    }
  }

  Range RangeOf(int p) const {
    Range range;
    ForEachRule(RuleKind::kInRange, p, [&](const Rule& rule) {
      if (rule.third >= 0 && call_.Integer(rule.third) == 0) return;
      if (rule.bounds.is_uint64) range.Narrow({.least = 0});
      if (rule.other < 0) return range.Narrow(rule.bounds);
      const double rank = static_cast<double>(RankFor(rule));
      range.Narrow({.least = -rank, .most = rank - 1});
    });
    return range;
  }
  // How many dimensions the numbers count.
  int64_t RankFor(const Rule& rule) const {
    const auto rank = static_cast<int64_t>(call_.Shape(rule.other).size());
    return std::max<int64_t>(rank + rule.bounds.more, 1);
  }
  int64_t CountFor(int p) {
    Range range{.least = 0, .most = 3};
    ForEachRule(RuleKind::kCount, p, [&](const Rule& rule) {
      range.least = std::max(range.least, rule.bounds.least);
      range.most = std::min(rule.bounds.most, range.least + 3);
    });
    return DrawInteger(range);
  }

  // Zeros draw the least number, or 0 where there is none.
  int64_t DrawInteger(const Range& range) {
    double least = range.least, most = range.most;
    if (range.open) least = std::floor(least) + 1;
    if (least == -Bounds::kInfinity) least = most == Bounds::kInfinity ? 0 : std::floor(most) - 3;
    if (most == Bounds::kInfinity) most = std::ceil(least) + 3;
    const auto first = static_cast<int64_t>(std::ceil(least));
    const auto last = static_cast<int64_t>(std::floor(most));
    return first + draw_.Below(std::max<int64_t>(last - first + 1, 1));
  }
  double DrawReal(const Range& range) {
    const uint8_t byte = draw_.Byte();
    const double number = (byte % 32 - 8) / 8.0;
    if (range.Has(number)) return number;
    if (range.least == -Bounds::kInfinity) return range.most - (byte % 32) / 8.0;
    if (range.most == Bounds::kInfinity) return range.least + (byte % 32 + 1) / 8.0;
    return range.least + (range.most - range.least) * (byte + 1) / 256;
  }

  int64_t DrawIntegerFor(int p) {
    const Range range = RangeOf(p);
    if (!IsInPattern(p)) return DrawInteger(range);
    int64_t extent = DrawExtent(draw_);
    if (told_ * extent > draw_.most_elements()) extent = 1;
    if (!range.Has(static_cast<double>(extent))) extent = DrawInteger(range);
    told_ *= std::max<int64_t>(extent, 1);
    return extent;
  }

  void DrawBools(int p) {
    std::vector<int64_t> values(At(static_cast<int>(CountFor(p))));
    for (int64_t& value : values) value = draw_.Below(2);
    call_.SetInts(p, std::move(values));
  }

  // Some of the dimensions in any order, counted from the first or the last.
  void DrawDistinct(int p, int64_t rank) {
    std::vector<int64_t> all;
    for (int64_t d = 0; d < rank; ++d) all.push_back(d);
    std::vector<int64_t> chosen;
    for (int64_t count = std::min(CountFor(p), rank); count > 0; --count) {
      const auto at = all.begin() + draw_.Below(static_cast<int64_t>(all.size()));
      chosen.push_back(draw_.Flip() ? *at - rank : *at);
      all.erase(at);
    }
    call_.SetInts(p, std::move(chosen));
  }

  void DrawInts(int p) {
    int64_t distinct_of = -1;
    ForEachRule(RuleKind::kInRange, p, [&](const Rule& rule) {
      if (rule.bounds.distinct) distinct_of = RankFor(rule);
    });
    if (distinct_of >= 0) return DrawDistinct(p, distinct_of);
    std::vector<int64_t> values(At(static_cast<int>(CountFor(p))));
    for (int64_t& value : values) value = DrawIntegerFor(p);
    call_.SetInts(p, std::move(values));
  }

  void DrawText(int p) {
    std::string text;
    ForEachRule(RuleKind::kOneOf, p, [&](const Rule& rule) {
      std::string_view choices = rule.choices;
      const auto count = std::ranges::count(choices, '|') + 1;
      for (int64_t skip = draw_.Below(count); skip > 0; --skip) {
        choices.remove_prefix(choices.find('|') + 1);
      }
      text = choices.substr(0, choices.find('|'));
    });
    call_.SetText(p, std::move(text));
  }

  // All but tensors and scalars, whose dtypes come from rules.
  void DrawAttribute(int p) {
    switch (call_.ParameterAt(p).kind) {
      case Kind::kReal:
        return call_.SetReal(p, IsReserved(p) ? 0 : DrawReal(RangeOf(p)));
      case Kind::kBool:
        return call_.SetInteger(p, draw_.Flip() ? 1 : 0);
      case Kind::kInteger:
        return call_.SetInteger(p, IsReserved(p) ? 0 : DrawIntegerFor(p));
      case Kind::kIntArray:
        return DrawInts(p);
      case Kind::kString:
        return DrawText(p);
      case Kind::kFloatArray:
        return DrawFloats(p);
      case Kind::kTensor:
      case Kind::kTensorList:
      case Kind::kScalar:
      case Kind::kScalarList:
      case Kind::kBoolArray:
        break;
    }
  }

  // ---- Lists

  bool IsList(int p) const { return contract::IsList(call_.ParameterAt(p).kind); }
  // Whether a rule of this kind relates the tensors of a list with each other, or with one tensor.
  bool IsUniform(RuleKind kind, int list) const {
    return std::ranges::any_of(call_.contract().rules, [&](const Rule& rule) {
      if (rule.kind != kind || (rule.subject != list && rule.other != list)) return false;
      const int other = rule.subject == list ? rule.other : rule.subject;
      return other == list || !IsList(other);
    });
  }
  // The element of a list before that this one has to be like by a rule of this kind, or itself.
  Slot LeaderOf(RuleKind kind, Slot slot) const {
    if (IsUniform(kind, slot.parameter)) return {slot.parameter, 0};
    for (const Rule& rule : call_.contract().rules) {
      if (rule.kind != kind || (rule.subject != slot.parameter && rule.other != slot.parameter)) {
        continue;
      }
      const int other = rule.subject == slot.parameter ? rule.other : rule.subject;
      const bool is_there = other < slot.parameter && call_.IsGiven(other);
      if (is_there && slot.element < call_.ListSize(other)) return {other, slot.element};
    }
    return slot;
  }
  // Lists of one call are about the same things.
  int SizeFor(int p) {
    constexpr int kSizes[] = {2, 1, 3, 5, 4, 1, 2, 20};
    for (int before = 0; before < p; ++before) {
      if (IsList(before) && call_.IsGiven(before)) return call_.ListSize(before);
    }
    bool counts = false;
    ForEachRule(RuleKind::kCount, p, [&](const Rule&) { counts = true; });
    return counts ? static_cast<int>(CountFor(p)) : draw_.Pick(kSizes);
  }

  //   shape, dtype  of the first one
  void SetTensors(int p, const std::vector<int64_t>& shape, DType dtype) {
    const bool one_pattern = call_.ParameterAt(p).HasShape();
    call_.SetList(p, SizeFor(p));
    for (int i = 0; i < call_.ListSize(p); ++i) {
      const Slot slot{p, i};
      const Slot shaped = LeaderOf(RuleKind::kSameShape, slot);
      const Slot typed = LeaderOf(RuleKind::kSameDType, slot);
      DrawTensor(draw_, call_, slot,
                 shaped != slot          ? call_.Shape(shaped)
                 : i == 0 || one_pattern ? shape
                                         : DrawShapes(draw_, call_, present_)[At(p)],
                 typed != slot ? call_.DTypeOf(typed)
                 : i == 0      ? dtype
                               : DrawDTypes(draw_, call_.contract(), present_)[At(p)]);
    }
  }
  void SetScalars(int p, DType dtype) {
    call_.SetList(p, SizeFor(p));
    for (int i = 0; i < call_.ListSize(p); ++i) SetScalar(p, {p, i}, dtype);
  }
  void DrawFloats(int p) {
    std::vector<double> values(At(static_cast<int>(CountFor(p))));
    for (double& value : values) value = DrawReal(RangeOf(p));
    call_.SetFloats(p, values);
  }

  // Of integers also those that are above a few.
  void SetScalar(int p, Slot slot, DType dtype) {
    if (IsReserved(p)) return call_.SetScalar(slot, 0, dtype);
    Range range = RangeOf(p);
    // What is drawn is small, so that a sign alone can take a float out of a dtype.
    ForEachRule(RuleKind::kInDType, p, [&](const Rule& rule) {
      if (IsFloating(dtype) && IsUnsigned(call_.DTypeOf(rule.other))) range.Narrow({.least = 0});
    });
    const double number = DrawReal(range);
    for (const double each : {IsFloating(dtype) ? number : 4 * number, number, std::ceil(number),
                              std::floor(number), range.least + 1}) {
      if (!range.Has(Rounded(each, dtype))) continue;
      return call_.SetScalar(slot, each, dtype);
    }
    call_.SetScalar(slot, number, dtype);
  }

  Draw& draw_;
  Call& call_;
  std::vector<bool> present_;
  int64_t told_ = 1;  // elements of a tensor with all extents that attributes tell
};

// Integers from the ends of the dtype's range, whose sums and products wrap; reals close to zero,
// whose errors no larger ones hide. INT64 is left out: double does not have all of its numbers.
double Extreme(Stream& stream, DType dtype, double value) {
  if (IsFloating(dtype)) return std::ldexp(value, -static_cast<int>(stream.Next() % 24));
  const bool is_int4 = dtype == DType::kInt4;
  if (!is_int4 && (!IsInteger(dtype) || SizeOf(dtype) > 4)) return value;
  const double values = is_int4 ? 16 : std::ldexp(1.0, 8 * static_cast<int>(SizeOf(dtype)));
  const double least = IsUnsigned(dtype) ? 0 : -values / 2, most = least + values - 1;
  return stream.Next() % 2 == 0 ? least + std::fabs(value) : most - std::fabs(value);
}

}  // namespace

std::vector<double> DrawValues(Draw& draw, DType dtype, int64_t count) {
  const uint8_t mode = draw.Byte();
  Stream stream(mode);
  std::vector<double> values(static_cast<size_t>(count));
  const bool floating = IsFloating(dtype);
  const bool is_signed = floating || dtype == DType::kInt4 || dtype == DType::kInt8 ||
                         dtype == DType::kInt16 || dtype == DType::kInt32 || dtype == DType::kInt64;
  for (double& each : values) {
    double value = stream.Unit() * 8 - 4;
    const bool whole = !floating || (mode % 4 == 3 && stream.Next() % 4 == 0);
    if (whole) value = std::trunc(value);
    if (!is_signed) value = std::fabs(value);
    each = mode % 4 == 2 && stream.Next() % 8 == 0 ? Extreme(stream, dtype, value) : value;
  }
  return values;
}

std::vector<double> DrawIndices(Draw& draw, int64_t count, int64_t end) {
  const uint8_t mode = draw.Byte();
  Stream stream(mode);
  const int64_t most = std::max<int64_t>(1, mode % 4 == 3 ? std::min<int64_t>(end, 3) : end);
  std::vector<double> values(static_cast<size_t>(count));
  for (double& value : values) {
    value = static_cast<double>(stream.Next() % static_cast<uint64_t>(most));
  }
  return values;
}

void DrawFromContract(Draw& draw, Call& call) {
  CallDraw(draw, call).Make();
  if (!Obeys(call, draw.product(), draw.extensions())) draw.MarkStrange();
}

}  // namespace aclimb::truth
