#pragma once

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>
#include <vector>

#include "aclimb/ops/pads/edge_contracts.h"
#include "aclimb/truth/cast.h"
#include "aclimb/truth/each.h"
#include "aclimb/truth/outputs.h"
#include "aclimb/truth/rounding.h"

namespace aclimb::pads {

inline void ConstantTruth(const truth::Call& call, truth::Outputs& outputs) {
  using namespace constant;  // NOLINT: the positions
  const std::vector<int64_t>& shape = call.Shape(kSelf);
  const double around = truth::CastScalar(call, kValue, call.DTypeOf(kSelf));
  const auto value = [&](std::vector<int64_t> index) {
    for (size_t d = 0; d < shape.size(); ++d) {
      index[d] -= PairOf(call.Ints(kPad), shape.size(), d).before;
      if (index[d] < 0 || index[d] >= shape[d]) return around;
    }
    return truth::ValueAt(call, kSelf, index);
  };
  outputs.Set(kOut, truth::EachIndex(call.Shape(kOut), value), truth::Allowance{});
}

// The index of self that stands at this index of what is around it.
template <Edge kEdge>
std::vector<int64_t> IndexWithin(std::vector<int64_t> index, const std::vector<int64_t>& shape,
                                 const std::vector<int64_t>& padding) {
  for (size_t d = 0; d < shape.size(); ++d) {
    index[d] -= PairOf(padding, shape.size(), d).before;
    if (kEdge == Edge::kMirrored) {
      index[d] = std::abs(index[d]);
      index[d] = std::min(index[d], 2 * (shape[d] - 1) - index[d]);
    } else {
      index[d] = std::min(std::max<int64_t>(0, index[d]), shape[d] - 1);
    }
  }
  return index;
}

template <Edge kEdge>
void AroundTruth(const truth::Call& call, truth::Outputs& outputs) {
  using namespace around;  // NOLINT: the positions
  const auto value = [&](std::vector<int64_t> index) {
    return truth::ValueAt(
        call, kSelf, IndexWithin<kEdge>(std::move(index), call.Shape(kSelf), call.Ints(kPadding)));
  };
  outputs.Set(kOut, truth::EachIndex(call.Shape(kOut), value), truth::Allowance{});
}

template <Edge kEdge>
void GradientTruth(const truth::Call& call, truth::Outputs& outputs) {
  using namespace gradient;  // NOLINT: the positions
  const std::vector<int64_t>& shape = call.Shape(kSelf);
  const auto count = static_cast<size_t>(call.ElementCount(kGradInput));
  std::vector<double> values(count, 0.0), sizes(count, 0.0), terms(count, 0.0);
  truth::EachIndex(call.Shape(kGradOutput), [&](std::vector<int64_t> index) {
    const double term = truth::ValueAt(call, kGradOutput, index);
    size_t number = 0;
    const std::vector<int64_t> within =
        IndexWithin<kEdge>(std::move(index), shape, call.Ints(kPadding));
    for (size_t d = 0; d < shape.size(); ++d) {
      number = number * static_cast<size_t>(shape[d]) + static_cast<size_t>(within[d]);
    }
    values[number] += term;
    sizes[number] += std::fabs(term);
    ++terms[number];
    return term;
  });
  const DType dtype = call.DTypeOf(kGradInput);
  // Both sums are in double, with a rounding for each term at most; then comes one to float32 and
  // one to the dtype.
  std::vector<double> allowed(count);
  for (size_t i = 0; i < count; ++i) {
    allowed[i] =
        2.3e-16 * terms[i] * sizes[i] +
        (truth::RoundingOf(dtype) + (dtype == DType::kFloat64 ? 0 : 6e-8)) * std::fabs(values[i]) +
        truth::LeastOf(dtype);
  }
  outputs.Set(kGradInput, std::move(values), std::move(allowed));
}

}  // namespace aclimb::pads
