#pragma once

#include <cstdint>
#include <vector>

#include "aclimb/ops/rotary/contract.h"
#include "aclimb/truth/draw_call.h"
#include "aclimb/truth/draw_tensor.h"

namespace aclimb::rotary {

// Rows of 4, 8, ... elements.
inline std::vector<int64_t> DrawRows(truth::Draw& draw) {
  std::vector<int64_t> shape = {1, 1, 1, 0};
  const bool is_large = draw.most_elements() >= 200'000;
  for (size_t d = 0; d < 3; ++d) {
    shape[d] = truth::DrawExtent(draw);
    if (is_large) shape[d] = shape[d] % 8 + 12;
    if (shape[d] > 12 && !is_large) shape[d] %= 12;
  }
  constexpr int64_t kWidths[] = {8, 4, 64, 20, 0, 128};
  shape[3] = draw.Pick(kWidths);
  return shape;
}

namespace rotary_position_embedding {
inline void DrawCall(truth::Draw& draw, truth::Call& call) {
  const std::vector<int64_t> shape = DrawRows(draw);
  std::vector<int64_t> angles = shape;
  for (size_t d = 0; d < 3; ++d) {
    if (draw.Flip()) angles[d] = 1;
  }
  truth::DrawTensor(draw, call, kX, shape);
  const DType dtype = call.DTypeOf(kX);
  truth::DrawTensor(draw, call, kCos, angles, dtype);
  truth::DrawTensor(draw, call, kSin, angles, dtype);
  call.SetInteger(kMode, draw.Below(4));
  call.SetTensor(kOut, shape, dtype);
}
}  // namespace rotary_position_embedding

namespace rotary_position_embedding_grad {
inline void DrawCall(truth::Draw& draw, truth::Call& call) {
  const std::vector<int64_t> shape = DrawRows(draw);
  std::vector<int64_t> angles = shape;
  for (size_t d = 0; d < 3; ++d) {
    if (draw.Flip()) angles[d] = 1;
  }
  truth::DrawTensor(draw, call, kDy, shape);
  const DType dtype = call.DTypeOf(kDy);
  truth::DrawTensor(draw, call, kCos, angles, dtype);
  truth::DrawTensor(draw, call, kSin, angles, dtype);
  call.SetInteger(kMode, draw.Below(4));
  call.SetTensor(kDx, shape, dtype);
  if (draw.Below(4) != 0) {
    truth::DrawTensor(draw, call, kX, shape, dtype);
    call.SetTensor(kDcos, angles, dtype);
    call.SetTensor(kDsin, angles, dtype);
  } else if (draw.Flip()) {
    call.SetTensor(kDcos, {3}, dtype);
  }
}
}  // namespace rotary_position_embedding_grad

namespace apply_rotary_pos_emb {
inline void DrawCall(truth::Draw& draw, truth::Call& call) {
  const std::vector<int64_t> shape = DrawRows(draw);
  std::vector<int64_t> keys = shape, angles = shape;
  keys[2] = draw.Below(5);
  angles[2] = 1;
  truth::DrawTensor(draw, call, kQuery, shape);
  const DType dtype = call.DTypeOf(kQuery);
  truth::DrawTensor(draw, call, kKey, keys, dtype);
  truth::DrawTensor(draw, call, kCos, angles, dtype);
  truth::DrawTensor(draw, call, kSin, angles, dtype);
  call.SetInteger(kLayout, 1);
}
}  // namespace apply_rotary_pos_emb

}  // namespace aclimb::rotary
