#pragma once

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "aclimb/ops/trace/contract.h"
#include "aclimb/truth/draw_call.h"
#include "aclimb/truth/draw_tensor.h"
#include "aclimb/truth/outputs.h"
#include "aclimb/truth/rounding.h"

namespace aclimb::trace {

inline void Truth(const truth::Call& call, truth::Outputs& outputs) {
  const int64_t rows = call.Shape(kSelf)[0], columns = call.Shape(kSelf)[1];
  double sum = 0, size = 0;
  for (int64_t i = 0; i < std::min(rows, columns); ++i) {
    const double x = call.Values(kSelf)[static_cast<size_t>(i * columns + i)];
    sum += x;
    size += std::fabs(x);
  }
  const DType out = call.DTypeOf(kOut);
  // Terms are added in float32 or DOUBLE, a few at a time; then comes one rounding.
  const double sums = !IsFloating(out) ? 0 : out == DType::kFloat64 ? 1e-14 : 4e-7;
  const double rounding = truth::RoundingOf(out) * std::fabs(sum) + truth::LeastOf(out);
  std::vector<double> allowed = {std::isfinite(sum) && IsFloating(out) ? sums * size + rounding
                                                                       : 0};
  outputs.Set(kOut, {sum}, std::move(allowed));
}

inline void DrawTrace(truth::Draw& draw, truth::Call& call) {
  truth::DrawTensor(draw, call, kSelf);
  truth::DrawTensor(draw, call, kOut, std::vector<int64_t>(draw.Flip() ? 1 : 0, 1),
                    SumDType(call.DTypeOf(kSelf)));
  truth::MarkUnlessObeyed(draw, call);
}

}  // namespace aclimb::trace
