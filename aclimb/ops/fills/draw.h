#pragma once

#include <utility>

#include "aclimb/ops/fills/contracts.h"
#include "aclimb/truth/draw_call.h"
#include "aclimb/truth/draw_tensor.h"

namespace aclimb::fills {

inline void DrawFillTensor(truth::Draw& draw, truth::Call& call) {
  using namespace inplace_fill_tensor;  // NOLINT: the positions
  truth::DrawTensor(draw, call, kSelfRef);
  truth::DrawTensor(draw, call, kValue,
                    draw.Flip() ? std::vector<int64_t>{1} : std::vector<int64_t>{});
  truth::MarkUnlessObeyed(draw, call);
}

inline void DrawFillDiagonal(truth::Draw& draw, truth::Call& call) {
  using namespace inplace_fill_diagonal;  // NOLINT: the positions
  std::vector<int64_t> shape = truth::DrawShape(draw, 2, 8);
  if (shape.size() == 2 && draw.Flip()) shape[0] = 3 * shape[1] + draw.Below(5);
  if (shape.size() > 2) {
    shape.assign(shape.size(), draw.Below(shape.size() > 5 ? 4 : 6));
  }
  truth::DrawTensor(draw, call, kSelfRef, std::move(shape));
  call.SetScalar(kFillValue, static_cast<double>(draw.Below(2)), DType::kInt64);
  if (IsFloating(call.DTypeOf(kSelfRef)) && draw.Flip()) call.SetScalar(kFillValue, -2.3);
  call.SetInteger(kWrap, draw.Flip() ? 1 : 0);
  truth::MarkUnlessObeyed(draw, call);
}

inline void DrawEye(truth::Draw& draw, truth::Call& call) {
  std::vector<int64_t> shape = truth::DrawShape(draw, 2, 2);
  call.SetInteger(eye::kN, shape[0]);
  call.SetInteger(eye::kM, shape[1]);
  truth::DrawTensor(draw, call, eye::kOut, std::move(shape));
  truth::MarkUnlessObeyed(draw, call);
}

inline void DrawOneHot(truth::Draw& draw, truth::Call& call) {
  using namespace one_hot;  // NOLINT: the positions
  constexpr int64_t kClasses[] = {5, 1, 2, 33, 0, 127, 16, 3};
  const int64_t most = draw.most_elements();
  const int64_t classes = draw.Pick(kClasses);
  draw.SetMostElements(std::max<int64_t>(1, most / std::max<int64_t>(1, classes)));
  truth::DrawTensor(draw, call, kSelf);
  draw.SetMostElements(most);
  // Some are outside.
  call.SetTensor(kSelf, call.Shape(kSelf), call.DTypeOf(kSelf),
                 truth::DrawIndices(draw, call.ElementCount(kSelf), classes + draw.Below(2)));
  call.SetInteger(kNumClasses, classes);
  std::vector<int64_t> shape = call.Shape(kSelf);
  const int64_t axis = draw.Below(static_cast<int64_t>(shape.size()) + 2) - 1;
  call.SetInteger(kAxis, axis);
  shape.insert(axis < 0 ? shape.end() : shape.begin() + axis, classes);
  truth::DrawTensor(draw, call, kOut, std::move(shape));
  for (const int value : {kOnValue, kOffValue}) {
    truth::DrawTensor(draw, call, value,
                      draw.Flip() ? std::vector<int64_t>{1} : std::vector<int64_t>{},
                      call.DTypeOf(kOut));
  }
  truth::MarkUnlessObeyed(draw, call);
}

}  // namespace aclimb::fills
