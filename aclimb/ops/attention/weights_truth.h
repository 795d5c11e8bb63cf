#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "aclimb/ops/attention/shapes.h"
#include "aclimb/truth/call.h"

namespace aclimb::attention {

// The scores of a query, in double.
struct TrueScores {
  std::vector<double> scores;  // -infinity where a key takes no part
  double error = 0;            // how far float32 may leave one of them off
  double max = -std::numeric_limits<double>::infinity();
  bool some_are_nan = false;
  double sum = 0;  // of exp(score - max)

  // The share of key `k` by a largest score and a sum, if its score is `off` above its own. No
  // share is above 1 / of_sum.
  double Share(size_t k, double of_largest, double of_sum, double off = 0) const {
    return std::exp(std::min(scores[k] - of_largest + off, 0.0)) / of_sum;
  }
  double Weight(size_t k) const { return sum == 0 ? 0 : Share(k, max, sum); }
  bool TakesNoPart(size_t k) const { return scores[k] == -std::numeric_limits<double>::infinity(); }
  // How far float32 may leave a share off, whose score and largest score may be off each.
  double ShareError(size_t k, double of_largest, double of_sum) const {
    const double share = Share(k, of_largest, of_sum);
    return std::max(Share(k, of_largest, of_sum, 2 * error) - share,
                    share - Share(k, of_largest, of_sum, -2 * error)) +
           1e-6 * share;
  }
};

// What the truths of the operators of attention look up in a call.
struct TrueAttention {
  const truth::Call& call;
  Places at;
  Sizes n;
  std::string layout;
  Band band;
  double scale = 1;
  double bias_factor = 1;
  std::vector<int64_t> query_counts = {}, key_counts = {};

  TrueAttention(const truth::Call& of, const Places& places) : call(of), at(places) {
    layout = LayoutOf(std::string_view(call.Text(at.layout, "")));
    const PerHead query = *ByHeads(Shape(at.query), layout, call.Integer(at.heads));
    const int64_t key_heads = KeyHeadsOf(Shape(at.key), layout, query[3]);
    const PerHead key = *ByHeads(Shape(at.key), layout, key_heads);
    const PerHead value = *ByHeads(Shape(at.value), layout, key_heads);
    n = {.batch = query[0],
         .heads = query[1],
         .key_heads = key_heads,
         .queries = query[2],
         .keys = key[2],
         .width = query[3],
         .value_width = value[3]};
    if (at.sparse_mode < 0) return;
    band = BandOf(call.Integer(at.sparse_mode), call.IsGiven(at.mask), call.Integer(at.pre_tokens),
                  call.Integer(at.next_tokens));
  }

  // Lists have one tensor here.
  truth::Slot SlotOf(int place) const {
    return call.ParameterAt(place).kind == contract::Kind::kTensorList ? truth::Slot(place, 0)
                                                                       : truth::Slot(place);
  }
  const std::vector<int64_t>& Shape(int place) const { return call.Shape(SlotOf(place)); }

  int64_t Group() const { return n.heads / n.key_heads; }

  // The number of an element [b, h, s, d] of a tensor in that layout.
  static size_t Number(const std::string& in, const PerHead& of, int64_t b, int64_t h, int64_t s,
                       int64_t d) {
    int64_t number = 0;
    for (const char name : in) {
      if (name == 'B') number = number * of[0] + b;
      if (name == 'N') number = number * of[1] + h;
      if (name == 'S') number = number * of[2] + s;
      if (name == 'H') number = (number * of[1] + h) * of[3] + d;
      if (name == 'D') number = number * of[3] + d;
    }
    return static_cast<size_t>(number);
  }
  PerHead QuerySizes(int64_t width) const { return {n.batch, n.heads, n.queries, width}; }
  PerHead KeySizes(int64_t width) const { return {n.batch, n.key_heads, n.keys, width}; }

  // The elements of a head, which are neighbours in every layout.
  const double* Query(int64_t b, int64_t h, int64_t q) const {
    return call.Values(SlotOf(at.query)).data() + Number(layout, QuerySizes(n.width), b, h, q, 0);
  }
  const double* Key(int64_t b, int64_t h, int64_t k) const {
    return call.Values(SlotOf(at.key)).data() +
           Number(layout, KeySizes(n.width), b, h / Group(), k, 0);
  }
  const double* Value(int64_t b, int64_t h, int64_t k) const {
    return call.Values(SlotOf(at.value)).data() +
           Number(layout, KeySizes(n.value_width), b, h / Group(), k, 0);
  }

  // The number of an element of a tensor [B, N, Sq, Skv], or one that repeats.
  size_t WeightNumber(int place, int64_t b, int64_t h, int64_t q, int64_t k) const {
    const std::vector<int64_t>& shape = Shape(place);
    const bool lacks_both = shape.size() == 2 && at.sparse_mode < 0;
    const int64_t index[] = {b, h, q, k};
    int64_t extents[] = {1, 1, 1, 1};
    std::copy(shape.begin(), shape.end(), extents + 4 - shape.size());
    if (lacks_both) std::swap(extents[0], extents[2]);
    if (shape.size() == 3) std::swap(extents[0], extents[1]);
    int64_t number = 0;
    for (size_t d = 0; d < 4; ++d) {
      number = number * extents[d] + (extents[d] == 1 ? 0 : index[d]);
    }
    return static_cast<size_t>(number);
  }

  bool IsMasked(int64_t b, int64_t h, int64_t q, int64_t k) const {
    if (!call.IsGiven(at.mask)) return false;
    if (at.sparse_mode >= 0 && HasPatternMask(call.Integer(at.sparse_mode))) return false;
    return call.Values(at.mask)[WeightNumber(at.mask, b, h, q, k)] != 0;
  }
  // What dropout makes of a weight.
  double Kept(int64_t b, int64_t h, int64_t q, int64_t k) const {
    const double keep = at.keep < 0 ? 1 : call.Real(at.keep);
    if (keep == 1) return 1;
    const int64_t bit = ((b * n.heads + h) * n.queries + q) * n.keys + k;
    const auto byte = static_cast<int>(call.Values(at.kept)[static_cast<size_t>(bit / 8)]);
    return keep > 0 && (byte >> (bit % 8) & 1) != 0 ? 1 / keep : 0;
  }

  TrueScores ScoresOf(int64_t b, int64_t h, int64_t q) const {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    TrueScores row;
    const auto counted = [b](const std::vector<int64_t>& counts, int64_t all) {
      return counts.empty() ? all : counts[static_cast<size_t>(b)];
    };
    const int64_t queries = counted(query_counts, n.queries);
    const Range keys = band.KeysOf(q, queries, counted(key_counts, n.keys));
    const bool takes_part = q < queries;
    const double* const query = Query(b, h, q);
    for (int64_t k = 0; k < n.keys; ++k) {
      if (!takes_part || k < keys.begin || k >= keys.end || IsMasked(b, h, q, k)) {
        row.scores.push_back(-kInfinity);
        continue;
      }
      double product = 0, size = 0;
      const double* const key = Key(b, h, k);
      for (int64_t d = 0; d < n.width; ++d) {
        const double term = scale * query[d] * key[d];
        product += term;
        size += std::fabs(term);
      }
      const double bias =
          call.IsGiven(at.bias)
              ? bias_factor * call.Values(at.bias)[WeightNumber(at.bias, b, h, q, k)]
              : 0;
      if (bias == -kInfinity) {
        row.scores.push_back(bias);
        continue;
      }
      const double score = product + bias;
      row.scores.push_back(score);
      row.some_are_nan = row.some_are_nan || std::isnan(score);
      // Products are added in float32; then come a factor, an addition and a subtraction.
      const double error = 1e-6 * size + (bias == 0 ? 0 : 3e-7 * std::fabs(bias));
      if (std::isfinite(score)) row.error = std::max(row.error, error);
      row.max = std::max(row.max, score);
    }
    if (row.max == -kInfinity && !row.some_are_nan) return row;
    for (const double score : row.scores) row.sum += std::exp(score - row.max);
    return row;
  }
};

}  // namespace aclimb::attention
