#pragma once

#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "aclimb/ops/cumulate/contract.h"
#include "aclimb/ops/cumulate/extreme_contracts.h"
#include "aclimb/truth/call.h"
#include "aclimb/truth/cast.h"
#include "aclimb/truth/outputs.h"
#include "aclimb/truth/rounding.h"

namespace aclimb::cumulate {

// Elements along a dimension: how far apart they are, and how many.
struct Line {
  Line(const std::vector<int64_t>& shape, int64_t dim) {
    const auto rank = static_cast<int64_t>(shape.size());
    if (rank == 0) return;
    if (dim < 0) dim += rank;
    for (int64_t d = dim + 1; d < rank; ++d) step *= static_cast<size_t>(shape[size_t(d)]);
    length = static_cast<size_t>(shape[size_t(dim)]);
  }
  size_t PlaceOf(size_t element) const { return element / step % length; }

  size_t step = 1;
  size_t length = 1;
};

// fold(whole number so far, element) for each element but the first of a line.
template <typename Fold>
void FoldIntegers(const truth::Call& call, const Line& line, int out, uint64_t start,
                  truth::Outputs& outputs, Fold fold) {
  std::vector<int64_t> whole = call.Ints(kSelf);
  for (size_t i = 0; i < whole.size(); ++i) {
    const uint64_t before =
        line.PlaceOf(i) == 0 ? start : static_cast<uint64_t>(whole[i - line.step]);
    whole[i] = truth::CastInteger(
        static_cast<int64_t>(fold(before, static_cast<uint64_t>(whole[i]))), call.DTypeOf(out));
  }
  outputs.SetIntegers(out, std::move(whole));
}

inline void SumTruth(const truth::Call& call, truth::Outputs& outputs) {
  const Line line(call.Shape(kSelf), call.Integer(kDim));
  const DType dtype = call.DTypeOf(kOut);
  if (!IsFloating(dtype)) {
    return FoldIntegers(call, line, kOut, 0, outputs,
                        [](uint64_t sum, uint64_t x) { return sum + x; });
  }
  std::vector<double> sums = call.Values(kSelf), allowed(sums.size());
  for (size_t i = 0; i < sums.size(); ++i) {
    sums[i] = truth::CastValue(sums[i], call.DTypeOf(kSelf), dtype);
    double size = std::fabs(sums[i]);
    if (line.PlaceOf(i) != 0) {
      sums[i] += sums[i - line.step];
      size += allowed[i - line.step];
    }
    allowed[i] = size;
  }
  // Until now the size of all that was added.
  for (size_t i = 0; i < sums.size(); ++i) {
    const double rounding = std::isfinite(sums[i]) ? std::fabs(sums[i]) : 0;
    allowed[i] = std::isfinite(allowed[i]) ? 1e-13 * allowed[i] : 0;
    allowed[i] += rounding * truth::RoundingOf(dtype) + truth::LeastOf(dtype);
  }
  outputs.Set(kOut, std::move(sums), std::move(allowed));
}

// kResult is kSelf in place. Products are made in double, in order, and rounded once.
template <int kResult>
void ProductTruth(const truth::Call& call, truth::Outputs& outputs) {
  const Line line(call.Shape(kSelf), static_cast<int64_t>(call.Real(kDim)));
  const DType dtype = call.DTypeOf(kResult);
  if (!IsFloating(dtype)) {
    return FoldIntegers(call, line, kResult, 1, outputs,
                        [](uint64_t product, uint64_t x) { return product * x; });
  }
  std::vector<double> products = call.Values(kSelf), allowed;
  for (size_t i = 0; i < products.size(); ++i) {
    products[i] = truth::CastValue(products[i], call.DTypeOf(kSelf), dtype);
    if (line.PlaceOf(i) != 0) products[i] *= products[i - line.step];
  }
  for (const double product : products) {
    const double size = std::isfinite(product) ? std::fabs(product) : 0;
    allowed.push_back(size * truth::RoundingOf(dtype) + truth::LeastOf(dtype));
  }
  outputs.Set(kResult, std::move(products), std::move(allowed));
}

// Whether x takes the place of the best so far: NaN does, and so do equals.
template <bool kGreatest, typename T>
bool Replaces(T x, T best) {
  if (x != x) return true;
  if (best != best) return false;
  return kGreatest ? !(x < best) : !(best < x);
}

template <bool kGreatest>
void ExtremeTruth(const truth::Call& call, truth::Outputs& outputs) {
  using P = Extremes;
  const Line line(call.Shape(kSelf), call.Integer(kDim));
  std::vector<double> values = call.Values(kSelf);
  std::vector<int64_t> whole = call.Ints(kSelf), indices(values.size());
  const bool is_whole = !whole.empty();
  for (size_t i = 0; i < values.size(); ++i) {
    const size_t place = line.PlaceOf(i), before = i - line.step;
    indices[i] = static_cast<int64_t>(place);
    if (place == 0) continue;
    const bool replaces = is_whole ? Replaces<kGreatest>(whole[i], whole[before])
                                   : Replaces<kGreatest>(values[i], values[before]);
    if (replaces) continue;
    values[i] = values[before];
    if (is_whole) whole[i] = whole[before];
    indices[i] = indices[before];
  }
  if (is_whole) {
    outputs.SetIntegers(P::kValues, std::move(whole));
  } else {
    outputs.Set(P::kValues, std::move(values), truth::Allowance{});
  }
  outputs.SetIntegers(P::kIndices, std::move(indices));
}

}  // namespace aclimb::cumulate
