#include "aclimb/truth/draw_shapes.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "aclimb/contract/broadcast.h"

namespace aclimb::truth {
namespace {

using contract::Dimension;
using contract::Kind;
using contract::Parameter;
using contract::Role;
using contract::Rule;
using contract::RuleKind;
using contract::ShapePattern;

using Shape = std::vector<int64_t>;

constexpr int kMostRank = 8;

struct Ranks {
  int least = 0;
  int most = kMostRank;

  void Narrow(const Ranks& other) {
    least = std::max(least, other.least);
    most = std::max(least, std::min(most, other.most));
  }
};

class Shapes {
 public:
  Shapes(Draw& draw, const Call& call, const std::vector<bool>& present)
      : draw_(draw), call_(call), present_(present), shapes_(present.size()) {}

  std::vector<Shape> Make() {
    for (int p = 0; p < call_.size(); ++p) {
      if (HasPattern(p)) Set(p, FromPattern(p));
    }
    for (const Rule& rule : call_.contract().rules) {
      if (rule.kind == RuleKind::kBroadcasts) MakeBroadcast(rule);
    }
    for (int p = 0; p < call_.size(); ++p) {
      if (IsOpen(p)) Set(p, DrawWithRanks(RanksOf(p)));
    }
    std::vector<Shape> shapes;
    for (std::optional<Shape>& shape : shapes_)
      shapes.push_back(std::move(shape).value_or(Shape()));
    return shapes;
  }

 private:
  bool Present(int p) const { return p >= 0 && present_[static_cast<size_t>(p)]; }
  std::optional<Shape>& At(int p) { return shapes_[static_cast<size_t>(p)]; }
  // Whether it still needs a shape.
  bool IsOpen(int p) {
    return Present(p) && contract::HasTensors(call_.ParameterAt(p).kind) && !At(p);
  }
  bool HasPattern(int p) const { return Present(p) && call_.ParameterAt(p).HasShape(); }
  ShapePattern PatternOf(int p) const { return call_.ParameterAt(p).Shape(); }

  // Gives the shape also to all that have to have the same one.
  void Set(int p, const Shape& shape) {
    if (!Present(p) || At(p)) return;
    At(p) = shape;
    for (const Rule& rule : call_.contract().rules) {
      if (rule.kind != RuleKind::kSameShape) continue;
      if (rule.subject == p) Set(rule.other, shape);
      if (rule.other == p) Set(rule.subject, shape);
    }
  }

  // ---- By rules

  // What it accepts itself, and what those do that have to have its shape or rank.
  Ranks RanksOf(int p) {
    Ranks ranks;
    std::vector<bool> seen(shapes_.size());
    NarrowBy(p, ranks, seen);
    return ranks;
  }
  void NarrowBy(int p, Ranks& ranks, std::vector<bool>& seen) {
    if (!Present(p) || seen[static_cast<size_t>(p)]) return;
    seen[static_cast<size_t>(p)] = true;
    const Parameter& parameter = call_.ParameterAt(p);
    ranks.Narrow({parameter.min_rank, parameter.max_rank});
    if (At(p)) ranks.least = ranks.most = static_cast<int>(At(p)->size());
    for (const Rule& rule : call_.contract().rules) {
      if (rule.kind != RuleKind::kSameShape && rule.kind != RuleKind::kSameRank) continue;
      if (rule.subject == p) NarrowBy(rule.other, ranks, seen);
      if (rule.other == p) NarrowBy(rule.subject, ranks, seen);
    }
  }

  Shape DrawWithRanks(const Ranks& ranks) { return DrawShape(draw_, ranks.least, ranks.most); }

  void MakeBroadcast(const Rule& rule) {
    std::vector<int> open;
    Shape whole;
    bool any_known = false;
    for (const int p : {rule.subject, rule.other, rule.third}) {
      if (!Present(p) || p == rule.output) continue;
      if (IsOpen(p)) {
        open.push_back(p);
      } else {
        whole = Joined(whole, *At(p));
        any_known = true;
      }
    }
    if (Present(rule.output) && At(rule.output)) {
      whole = *At(rule.output);
    } else if (!any_known) {
      Ranks ranks = Present(rule.output) ? RanksOf(rule.output) : Ranks();
      for (const int p : open) ranks.least = std::max(ranks.least, RanksOf(p).least);
      whole = DrawWithRanks(ranks);
    }
    std::vector<size_t> least_ranks;
    for (const int p : open) least_ranks.push_back(static_cast<size_t>(RanksOf(p).least));
    const bool has_whole = any_known || rule.output == rule.subject;
    const std::vector<Shape> parts = DrawParts(whole, least_ranks, has_whole);
    for (size_t i = 0; i < open.size(); ++i) Set(open[i], parts[i]);
    Set(rule.output, whole);
  }

  static Shape Joined(const Shape& a, const Shape& b) {
    int64_t extents[kMostRank];
    size_t count = a.size();
    std::ranges::copy(a, extents);
    contract::BroadcastInto(b, extents, count);
    return {extents, extents + count};
  }

  // Shapes that broadcast to `whole`: together to exactly that, unless somebody else has it.
  std::vector<Shape> DrawParts(const Shape& whole, const std::vector<size_t>& least_ranks,
                               bool has_whole) {
    std::vector<Shape> parts(least_ranks.size(), whole);
    // Zeros draw equal shapes.
    if (parts.empty() || (draw_.Byte() & 1) == 0) return parts;
    // Which part has to have each dimension.
    constexpr size_t kNone = ~size_t{0};
    std::vector<size_t> keepers(whole.size(), kNone);
    if (!has_whole) {
      for (size_t& keeper : keepers) keeper = size_t(draw_.Below(int64_t(parts.size())));
    }
    for (size_t i = 0; i < parts.size(); ++i) {
      size_t missing = 0;
      while (missing + least_ranks[i] < whole.size() && keepers[missing] != i) ++missing;
      missing = draw_.Flip() ? size_t(draw_.Below(int64_t(missing) + 1)) : 0;
      parts[i].erase(parts[i].begin(), parts[i].begin() + int64_t(missing));
      for (size_t d = missing; d < whole.size(); ++d) {
        if (keepers[d] != i && draw_.Byte() % 4 == 1) parts[i][d - missing] = 1;
      }
    }
    return parts;
  }

  // ---- By patterns

  Shape FromPattern(int p) {
    Shape shape;
    for (const Dimension& each : PatternOf(p)) {
      Shape part = Extents(each);
      if (each.kind == Dimension::Kind::kBroadcast && parts_.contains(p)) part = parts_[p];
      shape.insert(shape.end(), part.begin(), part.end());
    }
    return shape;
  }

  Shape Extents(const Dimension& dimension) {
    switch (dimension.kind) {
      case Dimension::Kind::kNumber:
        return {dimension.number};
      case Dimension::Kind::kAttribute:
        return {call_.Integer(call_.contract().IndexOf(dimension.name))};
      case Dimension::Kind::kArray:
        return call_.Ints(call_.contract().IndexOf(dimension.name));
      case Dimension::Kind::kExtent:
        if (!named_.contains(dimension.name)) Bind(dimension.name, {DrawExtent(draw_)});
        return named_[dimension.name];
      case Dimension::Kind::kRun:
        if (!named_.contains(dimension.name)) BindRun(dimension.name);
        return named_[dimension.name];
      case Dimension::Kind::kBroadcast:
        if (!named_.contains(dimension.name)) BindBatch(dimension.name);
        return named_[dimension.name];
    }
    return {};
  }

  // As many dimensions as there is room for in every pattern.
  void BindRun(std::string_view name) {
    int most = kMostRank;
    for (int p = 0; p < call_.size(); ++p) {
      if (!HasPattern(p)) continue;
      int others = 0;
      bool has_it = false;
      for (const Dimension& each : PatternOf(p)) {
        if (each.IsOpen()) {
          has_it = has_it || each.name == name;
        } else {
          others += each.IsSingle() ? 1 : static_cast<int>(Extents(each).size());
        }
      }
      if (has_it) most = std::min(most, kMostRank - others);
    }
    Shape shape(static_cast<size_t>(draw_.Below(std::max(most, 0) + 1)));
    for (int64_t& extent : shape) extent = DrawExtent(draw_);
    Bind(name, std::move(shape));
  }

  // Inputs get a part of it each.
  void BindBatch(std::string_view name) {
    BindRun(name);
    std::vector<int> inputs;
    bool has_whole = false;
    for (int p = 0; p < call_.size(); ++p) {
      if (!HasPattern(p) || !PatternOf(p).Broadcasts() || PatternOf(p)[0].name != name) continue;
      if (call_.ParameterAt(p).role == Role::kInput) inputs.push_back(p);
      has_whole = has_whole || call_.ParameterAt(p).role == Role::kInOut;
    }
    const std::vector<Shape> parts =
        DrawParts(named_[name], std::vector<size_t>(inputs.size()), has_whole);
    for (size_t i = 0; i < inputs.size(); ++i) parts_[inputs[i]] = parts[i];
  }

  // Makes extents 1, from the last one on, until no tensor is too large.
  void Bind(std::string_view name, Shape shape) {
    Shape& bound = named_[name] = std::move(shape);
    for (size_t d = bound.size(); d-- > 0 && !AllFit();) bound[d] = std::min<int64_t>(bound[d], 1);
  }
  bool AllFit() {
    for (int p = 0; p < call_.size(); ++p) {
      if (!HasPattern(p)) continue;
      int64_t count = 1;
      for (const Dimension& each : PatternOf(p)) {
        const bool is_named = each.IsOpen() || each.kind == Dimension::Kind::kExtent;
        if (is_named && !named_.contains(each.name)) continue;
        for (const int64_t extent : Extents(each)) count *= std::max<int64_t>(extent, 1);
      }
      if (count > draw_.most_elements()) return false;
    }
    return true;
  }

  Draw& draw_;
  const Call& call_;
  const std::vector<bool>& present_;
  std::vector<std::optional<Shape>> shapes_;
  std::map<std::string_view, Shape> named_;
  std::map<int, Shape> parts_;  // of what is broadcast, by parameter
};

}  // namespace

int64_t DrawExtent(Draw& draw) {
  constexpr int64_t kExtents[] = {3, 1, 2, 5, 8, 17, 1, 0, 33, 4, 7, 64, 2, 130, 257, 1000};
  return draw.Pick(kExtents);
}

std::vector<int64_t> DrawShape(Draw& draw, int least_rank, int most_rank) {
  std::vector<int64_t> shape(
      static_cast<size_t>(least_rank + draw.Below(most_rank - least_rank + 1)));
  int64_t count = 1;
  for (int64_t& extent : shape) {
    extent = DrawExtent(draw);
    if (count * extent > draw.most_elements()) extent = 1;
    if (extent > 0) count *= extent;
  }
  return shape;
}

std::vector<std::vector<int64_t>> DrawShapes(Draw& draw, const Call& call,
                                             const std::vector<bool>& present) {
  return Shapes(draw, call, present).Make();
}

}  // namespace aclimb::truth
