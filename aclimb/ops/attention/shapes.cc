#include "aclimb/ops/attention/shapes.h"

#include <limits>

namespace aclimb::attention {
namespace {

// "[B, S, N * D]"
std::string LayoutText(std::string_view layout) {
  std::string text;
  for (const char name : layout) {
    text += text.empty() ? "[" : ", ";
    text += name == 'H' ? std::string("N * D") : std::string(1, name);
  }
  return text + "]";
}

bool IsOneOf(const Shape& shape, const std::vector<Shape>& choices) {
  for (const Shape& choice : choices) {
    if (shape == choice) return true;
  }
  return false;
}

// Whether the last two extents are these or, where they may be padded, more, as the operators for
// inference allow; then it is as if they were these.
Shape WithoutPadding(Shape shape, const Places& at, const Sizes& n) {
  if (!at.padded || shape.size() < 2) return shape;
  int64_t& rows = shape[shape.size() - 2];
  int64_t& columns = shape[shape.size() - 1];
  if (rows > n.queries && at.sparse_mode >= 0) rows = n.queries;
  if (columns > n.keys) columns = n.keys;
  return shape;
}

std::string Choices(const std::vector<Shape>& choices) {
  std::string text;
  for (size_t i = 0; i < choices.size(); ++i) {
    // Each once.
    if (IsOneOf(choices[i], {choices.begin(), choices.begin() + static_cast<int64_t>(i)})) continue;
    text += Cat(text.empty() ? "" : " or ", Text(choices[i]));
  }
  return text;
}

// What all shapes follow from.
std::string OperandsAre(const contract::Arguments& arguments, const Places& at) {
  return Cat(ShapeIs(arguments, at, at.query), ", ", ShapeIs(arguments, at, at.key), ", ",
             LayoutIs(arguments, at), " and ", NumberIs(arguments, at, at.heads));
}

}  // namespace

std::string ShapeIs(const contract::Arguments& arguments, const Places& at, int place) {
  return Cat(at.NameOf(place), ".shape is ", Text(ShapeAt(arguments, place)));
}
std::string NumberIs(const contract::Arguments& arguments, const Places& at, int place) {
  return Cat(at.NameOf(place), " is ", arguments.Integer(place));
}
std::string LayoutIs(const contract::Arguments& arguments, const Places& at) {
  return Cat(at.NameOf(at.layout), " is ", arguments.String(at.layout, "null"));
}

Finding WrongQuery(const contract::Arguments& arguments, const Places& at) {
  const std::string_view layout = LayoutOf(arguments, at);
  const auto query = ByHeads(ShapeAt(arguments, at.query), layout, arguments.Integer(at.heads));
  if (query && (*query)[3] > 0) return std::nullopt;
  return Cat(ShapeIs(arguments, at, at.query), ", ", LayoutIs(arguments, at), " and ",
             NumberIs(arguments, at, at.heads), "; expected ", LayoutText(layout), " with ",
             arguments.Integer(at.heads), " heads N and at least one element D of a row.");
}

Finding WrongKey(const contract::Arguments& arguments, const Places& at) {
  const std::string_view layout = LayoutOf(arguments, at);
  const int64_t heads = arguments.Integer(at.heads);
  const PerHead query = *ByHeads(ShapeAt(arguments, at.query), layout, heads);
  const Shape& shape = ShapeAt(arguments, at.key);
  const int64_t key_heads = KeyHeadsOf(shape, layout, query[3]);
  const int64_t asked = at.key_heads < 0 ? 0 : arguments.Integer(at.key_heads);
  // 0 stands for as many as the query has.
  const int64_t wanted = at.key_heads < 0 ? key_heads : asked == 0 ? heads : asked;
  const auto key = ByHeads(shape, layout, key_heads);
  if (key && key_heads > 0 && (*key)[0] == query[0] && (*key)[3] == query[3] &&
      heads % key_heads == 0 && key_heads == wanted) {
    return std::nullopt;
  }
  return Cat(ShapeIs(arguments, at, at.key), ", ", ShapeIs(arguments, at, at.query), ", ",
             LayoutIs(arguments, at), ", ", NumberIs(arguments, at, at.heads),
             at.key_heads < 0 ? std::string() : ", " + NumberIs(arguments, at, at.key_heads),
             "; expected ", LayoutText(layout), " with B ", query[0], ", D ", query[3], " and ",
             at.key_heads < 0 ? std::string("a number of heads N that divides ")
                              : Cat(wanted, " heads N, which divide "),
             heads, ".");
}

Finding WrongValue(const contract::Arguments& arguments, const Places& at) {
  const std::string_view layout = LayoutOf(arguments, at);
  const PerHead query = *ByHeads(ShapeAt(arguments, at.query), layout, arguments.Integer(at.heads));
  const int64_t key_heads = KeyHeadsOf(ShapeAt(arguments, at.key), layout, query[3]);
  const PerHead key = *ByHeads(ShapeAt(arguments, at.key), layout, key_heads);
  const auto value = ByHeads(ShapeAt(arguments, at.value), layout, key_heads);
  if (value && (*value)[0] == key[0] && (*value)[2] == key[2] && (*value)[3] > 0) {
    return std::nullopt;
  }
  return Cat(ShapeIs(arguments, at, at.value), ", ", ShapeIs(arguments, at, at.key), " and ",
             LayoutIs(arguments, at), "; expected ", LayoutText(layout), " with B ", key[0], ", S ",
             key[2], ", N ", key_heads, " and at least one element D of a row.");
}

Finding WrongBias(const contract::Arguments& arguments, const Places& at, bool repeats) {
  if (!arguments.Given(at.bias)) return std::nullopt;
  const Sizes n = SizesOf(arguments, at);
  std::vector<Shape> choices = {{n.batch, n.heads, n.queries, n.keys},
                                {1, n.heads, n.queries, n.keys}};
  if (repeats) choices.push_back({n.batch, n.heads, 1, n.keys});
  if (IsOneOf(WithoutPadding(ShapeAt(arguments, at.bias), at, n), choices)) return std::nullopt;
  return Cat(ShapeIs(arguments, at, at.bias), ", ", OperandsAre(arguments, at), "; expected ",
             Choices(choices), ".");
}

Finding WrongMask(const contract::Arguments& arguments, const Places& at) {
  if (!arguments.Given(at.mask)) return std::nullopt;
  const Shape& shape = ShapeAt(arguments, at.mask);
  if (HasPatternMask(ModeOf(arguments, at))) {
    const Shape pattern = {2048, 2048};
    // Ones in front of it do not matter.
    if (shape == pattern || shape == Shape{1, 2048, 2048} || shape == Shape{1, 1, 2048, 2048}) {
      return std::nullopt;
    }
    return Cat(ShapeIs(arguments, at, at.mask), " and ", NumberIs(arguments, at, at.sparse_mode),
               "; expected ", Text(pattern), ".");
  }
  const Sizes n = SizesOf(arguments, at);
  std::vector<Shape> choices = {{n.queries, n.keys},
                                {n.batch, n.queries, n.keys},
                                {1, n.queries, n.keys},
                                {n.batch, n.heads, n.queries, n.keys},
                                {n.batch, 1, n.queries, n.keys},
                                {1, 1, n.queries, n.keys}};
  // A row for the one query of each batch.
  if (at.sparse_mode < 0) choices.push_back({n.batch, n.keys});
  if (IsOneOf(WithoutPadding(shape, at, n), choices)) return std::nullopt;
  return Cat(ShapeIs(arguments, at, at.mask), ", ", OperandsAre(arguments, at), "; expected ",
             Choices(choices), ".");
}

Finding WrongBand(const contract::Arguments& arguments, const Places& at) {
  const int64_t mode = arguments.Integer(at.sparse_mode);
  const bool reads =
      mode == kBandFromTheRight || (mode == kDefaultMask && arguments.Given(at.mask));
  const int64_t pre = arguments.Integer(at.pre_tokens), next = arguments.Integer(at.next_tokens);
  int64_t sum;
  // Only positive ones overflow upwards.
  const bool overflows = __builtin_add_overflow(pre, next, &sum);
  if (!reads || (overflows ? pre > 0 : sum >= 0)) return std::nullopt;
  return Cat(NumberIs(arguments, at, at.pre_tokens), ", ", NumberIs(arguments, at, at.next_tokens),
             " and ", NumberIs(arguments, at, at.sparse_mode),
             "; expected two whose sum is 0 or more.");
}

Finding WrongKept(const contract::Arguments& arguments, const Places& at) {
  if (!arguments.Given(at.kept) || arguments.Real(at.keep) == 1) return std::nullopt;
  const Sizes n = SizesOf(arguments, at);
  int64_t weights = n.batch;
  for (const int64_t extent : {n.heads, n.queries, n.keys}) {
    if (__builtin_mul_overflow(weights, extent, &weights)) {
      weights = std::numeric_limits<int64_t>::max();
      break;
    }
  }
  const int64_t bytes = weights / 8 + (weights % 8 != 0);
  if (TensorAt(arguments, at.kept).ElementCount() >= bytes) return std::nullopt;
  return Cat(ShapeIs(arguments, at, at.kept), ", ", OperandsAre(arguments, at), "; expected ",
             bytes, " bytes or more, a bit for each of ", weights, " weights.");
}

Finding WrongStatistics(const contract::Arguments& arguments, const Places& at, int place,
                        int64_t last) {
  if (!arguments.Given(place)) return std::nullopt;
  const Sizes n = SizesOf(arguments, at);
  const Shape expected = {n.batch, n.heads, n.queries, last};
  if (ShapeAt(arguments, place) == expected) return std::nullopt;
  return Cat(ShapeIs(arguments, at, place), ", ", ShapeIs(arguments, at, at.query), ", ",
             LayoutIs(arguments, at), " and ", NumberIs(arguments, at, at.heads), "; expected ",
             Text(expected), ".");
}

Finding WrongResult(const contract::Arguments& arguments, const Places& at, int place) {
  const Sizes n = SizesOf(arguments, at);
  const Shape expected =
      InLayout({n.batch, n.heads, n.queries, n.value_width}, ResultLayoutOf(arguments, at));
  if (ShapeAt(arguments, place) == expected) return std::nullopt;
  return Cat(ShapeIs(arguments, at, place), ", ", ShapeIs(arguments, at, at.query), ", ",
             ShapeIs(arguments, at, at.value), ", ", LayoutIs(arguments, at), " and ",
             NumberIs(arguments, at, at.heads), "; expected ",
             std::ranges::find(expected, contract::kOverflows) != expected.end()
                 ? "a width of fewer than 2^63 elements"
                 : Text(expected),
             ".");
}

}  // namespace aclimb::attention
