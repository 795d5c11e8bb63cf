#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "aclimb/ops/trace/contract.h"
#include "aclimb/truth/call.h"
#include "aclimb/truth/draw_call.h"
#include "aclimb/truth/draw_tensor.h"
#include "aclimb/truth/outputs.h"
#include "aclimb/truth/rounding.h"

namespace aclimb::trace {

inline void Truth(const truth::Call& call, truth::Outputs& outputs) {
  const std::vector<int64_t>& shape = call.Shape(kSelf);
  long double sum = 0, size = 0;
  for (int64_t i = 0; i < std::min(shape[0], shape[1]); ++i) {
    const double x = call.Values(kSelf)[static_cast<size_t>(i * (shape[1] + 1))];
    sum += x;
    size += std::fabs(x);
  }
  const auto value = static_cast<double>(sum);
  const DType out = call.DTypeOf(kOut);
  const double allowed = IsFloating(out)
                             ? 1e-14 * static_cast<double>(size) +
                                   truth::RoundingOf(out) * std::fabs(value) + truth::LeastOf(out)
                             : 0;
  outputs.Set(kOut, {value}, std::vector<double>{allowed});
}

inline void Draw(truth::Draw& draw, truth::Call& call) {
  truth::DrawTensor(draw, call, kSelf);
  const DType dtype = call.DTypeOf(kSelf);
  truth::DrawTensor(draw, call, kOut,
                    draw.Flip() ? std::vector<int64_t>() : std::vector<int64_t>{1},
                    IsFloating(dtype) ? dtype : DType::kInt64);
  truth::MarkUnlessObeyed(draw, call);
}

}  // namespace aclimb::trace
