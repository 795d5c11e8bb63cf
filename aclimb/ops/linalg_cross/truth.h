#pragma once

#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "aclimb/ops/linalg_cross/contract.h"
#include "aclimb/truth/cast.h"
#include "aclimb/truth/draw_call.h"
#include "aclimb/truth/draw_tensor.h"
#include "aclimb/truth/each.h"
#include "aclimb/truth/outputs.h"
#include "aclimb/truth/rounding.h"

namespace aclimb::linalg_cross {

inline void Truth(const truth::Call& call, truth::Outputs& outputs) {
  const std::vector<int64_t>& shape = call.Shape(kOut);
  const DType dtype = call.DTypeOf(kOut);
  const auto pairs = truth::BroadcastPlaces(call, {kSelf, kOther});
  const auto rank = static_cast<int64_t>(shape.size());
  const int64_t dim = call.Integer(kDim) < 0 ? call.Integer(kDim) + rank : call.Integer(kDim);
  size_t step = 1;
  for (int64_t d = dim + 1; d < rank; ++d)
    step *= static_cast<size_t>(shape[static_cast<size_t>(d)]);
  std::vector<int64_t> wholes;
  std::vector<double> values, allowed;
  for (size_t i = 0; i < pairs.size(); ++i) {
    const size_t which = i / step % 3, first = i - which * step;
    const auto& next = pairs[first + (which + 1) % 3 * step];
    const auto& last = pairs[first + (which + 2) % 3 * step];
    if (!IsFloating(dtype)) {
      const auto number = [&](int p, size_t place) {
        return static_cast<uint64_t>(call.Ints(p)[place]);
      };
      const uint64_t whole = number(kSelf, next[0]) * number(kOther, last[1]) -
                             number(kSelf, last[0]) * number(kOther, next[1]);
      wholes.push_back(truth::CastInteger(static_cast<int64_t>(whole), dtype));
      continue;
    }
    const double added = call.Values(kSelf)[next[0]] * call.Values(kOther)[last[1]];
    const double taken = call.Values(kSelf)[last[0]] * call.Values(kOther)[next[1]];
    const double value = added - taken, size = std::fabs(added) + std::fabs(taken);
    values.push_back(value);
    // Products and their difference are rounded to float32, or stay in float64.
    const double each = dtype == DType::kFloat64 ? 4e-16 : 1.2e-7;
    allowed.push_back(std::isfinite(value)
                          ? each * size + truth::RoundingOf(dtype) * std::fabs(value) +
                                truth::LeastOf(dtype)
                          : 0);
  }
  if (IsFloating(dtype)) {
    outputs.Set(kOut, std::move(values), std::move(allowed));
  } else {
    outputs.SetIntegers(kOut, std::move(wholes));
  }
}

// A dimension of vectors, along which one operand may repeat its only element.
inline void DrawCross(truth::Draw& draw, truth::Call& call) {
  truth::DrawTensor(draw, call, kSelf);
  const DType dtype = call.DTypeOf(kSelf);
  std::vector<int64_t> shape = call.Shape(kSelf);
  if (shape.empty()) shape.push_back(3);
  const auto rank = static_cast<int64_t>(shape.size());
  const int64_t dim = draw.Below(rank);
  shape[static_cast<size_t>(dim)] = 3;
  call.SetInteger(kDim, draw.Flip() ? dim - rank : dim);
  // One of them may lack the outer dimensions.
  const int shorter = draw.Flip() ? kSelf : kOther;
  const int64_t lacking = draw.Below(3) == 1 ? draw.Below(rank + 1) : 0;
  for (const int operand : {kSelf, kOther}) {
    std::vector<int64_t> own = shape;
    for (int64_t d = 0; d < rank; ++d) {
      // Each dimension is repeated by one of them at most.
      if (draw.Below(8) == 1 + d % 2 * 2 + operand) own[static_cast<size_t>(d)] = 1;
    }
    if (operand == shorter) own.erase(own.begin(), own.begin() + lacking);
    truth::DrawTensor(draw, call, operand, std::move(own), dtype);
  }
  std::vector<int64_t> out = truth::BroadcastShape(call, {kSelf, kOther});
  truth::DrawTensor(draw, call, kOut, std::move(out), dtype);
  truth::MarkUnlessObeyed(draw, call);
}

}  // namespace aclimb::linalg_cross
