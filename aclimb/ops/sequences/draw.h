#pragma once

#include <utility>

#include "aclimb/ops/sequences/contracts.h"
#include "aclimb/truth/cast.h"
#include "aclimb/truth/draw_call.h"
#include "aclimb/truth/draw_tensor.h"

namespace aclimb::sequences {

// Eighths, which every dtype with a fraction holds.
inline void DrawNumber(truth::Draw& draw, truth::Call& call, int p, double value) {
  constexpr DType kTypes[] = {DType::kFloat32, DType::kFloat64, DType::kInt64, DType::kInt32,
                              DType::kFloat32, DType::kFloat16, DType::kInt8,  DType::kFloat64};
  DType dtype = draw.Pick(kTypes);
  const bool holds = truth::CastValue(value, DType::kFloat64, dtype) == value;
  call.SetScalar(p, value, holds ? dtype : DType::kFloat64);
}

template <bool kWithEnd>
void DrawRange(truth::Draw& draw, truth::Call& call) {
  std::vector<int64_t> shape = truth::DrawShape(draw, 0, 8);
  int64_t count = 1;
  for (const int64_t extent : shape) count *= extent;
  truth::DrawTensor(draw, call, kOut, std::move(shape));
  const double start = static_cast<double>(draw.Below(9)) - 4;
  const uint64_t least = IsFloating(call.DTypeOf(kOut)) ? 1 : 8;
  const double step = (draw.Flip() ? 1 : -1) * static_cast<double>(least + draw.Below(15)) / 8;
  // As many steps as elements, and less than another one.
  const double steps = static_cast<double>(count) - (kWithEnd ? 1 : 0) +
                       (kWithEnd ? 1 : -1) * static_cast<double>(draw.Below(3)) / 4;
  DrawNumber(draw, call, kStart, start);
  DrawNumber(draw, call, kEnd, start + steps * step);
  DrawNumber(draw, call, kStep, step);
  truth::MarkUnlessObeyed(draw, call);
}

inline void DrawLinspace(truth::Draw& draw, truth::Call& call) {
  std::vector<int64_t> shape = truth::DrawShape(draw, 0, 8);
  int64_t count = 1;
  for (const int64_t extent : shape) count *= extent;
  const double start = static_cast<double>(draw.Below(9)) - 4;
  truth::DrawTensor(draw, call, kOut, std::move(shape));
  // Integers are not cut a rounding error below a whole number.
  const double step = IsFloating(call.DTypeOf(kOut)) ? static_cast<double>(draw.Below(65)) / 16 - 2
                                                     : static_cast<double>(draw.Below(5)) - 2;
  DrawNumber(draw, call, kStart, start);
  DrawNumber(draw, call, kEnd, start + static_cast<double>(count - 1) * step);
  call.SetInteger(kStep, count);
  truth::MarkUnlessObeyed(draw, call);
}

}  // namespace aclimb::sequences
