#pragma once

#include <algorithm>
#include <utility>

#include "aclimb/ops/repeats/by_tensor_contracts.h"
#include "aclimb/ops/repeats/contracts.h"
#include "aclimb/truth/draw_call.h"
#include "aclimb/truth/draw_tensor.h"

namespace aclimb::repeats {

inline void DrawExpand(truth::Draw& draw, truth::Call& call) {
  using namespace expand;  // NOLINT: the positions
  const std::vector<int64_t> whole = truth::DrawShape(draw, 0, 8);
  const int64_t less = draw.Flip() ? draw.Below(static_cast<int64_t>(whole.size()) + 1) : 0;
  std::vector<int64_t> own(whole.begin() + less, whole.end()), size = whole;
  for (size_t d = 0; d < own.size(); ++d) {
    if (draw.Byte() >= 160) own[d] = 1;
    if (own[d] == whole[d + static_cast<size_t>(less)] && draw.Byte() >= 192) {
      size[d + static_cast<size_t>(less)] = -1;
    }
  }
  truth::DrawTensor(draw, call, kSelf, std::move(own));
  call.SetInts(kSize, std::move(size));
  truth::DrawTensor(draw, call, kOut, whole, call.DTypeOf(kSelf));
  truth::MarkUnlessObeyed(draw, call);
}

// So that the repeated tensor is not larger than others.
class FewerElements {
 public:
  explicit FewerElements(truth::Draw& draw) : draw_(draw), most_(draw.most_elements()) {
    draw.SetMostElements(std::max<int64_t>(1, most_ / 16));
  }
  ~FewerElements() { draw_.SetMostElements(most_); }
  FewerElements(const FewerElements&) = delete;
  FewerElements& operator=(const FewerElements&) = delete;

 private:
  truth::Draw& draw_;
  const int64_t most_;
};

inline void DrawRepeat(truth::Draw& draw, truth::Call& call) {
  using namespace repeat;  // NOLINT: the positions
  constexpr int64_t kTimes[] = {1, 2, 3, 1, 5, 1, 16, 0};
  const FewerElements fewer(draw);
  std::vector<int64_t> whole = truth::DrawShape(draw, 0, 8);
  const int64_t less = draw.Flip() ? draw.Below(static_cast<int64_t>(whole.size()) + 1) : 0;
  std::fill_n(whole.begin(), less, 1);
  truth::DrawTensor(draw, call, kSelf, std::vector<int64_t>(whole.begin() + less, whole.end()));
  std::vector<int64_t> repeats;
  int64_t product = 1;
  for (int64_t& extent : whole) {
    int64_t times = draw.Pick(kTimes);
    if (product * times > 16) times = 1;
    product *= std::max<int64_t>(1, times);
    repeats.push_back(times);
    extent *= times;
  }
  call.SetInts(kRepeats, std::move(repeats));
  truth::DrawTensor(draw, call, kOut, std::move(whole), call.DTypeOf(kSelf));
  truth::MarkUnlessObeyed(draw, call);
}

inline void DrawInterleave(truth::Draw& draw, truth::Call& call) {
  using namespace interleave;  // NOLINT: the positions
  constexpr int64_t kTimes[] = {2, 1, 3, 7, 16, 0, 2, 4};
  const FewerElements fewer(draw);
  truth::DrawTensor(draw, call, kSelf);
  std::vector<int64_t> shape = call.Shape(kSelf);
  if (shape.empty()) shape = {1};
  const auto rank = static_cast<int64_t>(shape.size());
  const int64_t dim = draw.Below(rank), times = draw.Pick(kTimes);
  shape[static_cast<size_t>(dim)] *= times;
  call.SetInteger(kRepeats, times);
  call.SetInteger(kDim, draw.Byte() >= 192 ? dim - rank : dim);
  call.SetInteger(kOutputSize, shape[static_cast<size_t>(dim)]);
  truth::DrawTensor(draw, call, kOut, std::move(shape), call.DTypeOf(kSelf));
  truth::MarkUnlessObeyed(draw, call);
}

inline void DrawInterleaveAll(truth::Draw& draw, truth::Call& call) {
  using namespace interleave_all;  // NOLINT: the positions
  constexpr int64_t kTimes[] = {2, 1, 3, 7, 16, 0, 2, 4};
  const FewerElements fewer(draw);
  truth::DrawTensor(draw, call, kSelf);
  const int64_t times = draw.Pick(kTimes), size = times * call.ElementCount(kSelf);
  call.SetInteger(kRepeats, times);
  call.SetInteger(kOutputSize, size);
  truth::DrawTensor(draw, call, kOut, {size}, call.DTypeOf(kSelf));
  truth::MarkUnlessObeyed(draw, call);
}

// A number for each of `extent`, or one for all. Returns their sum.
inline int64_t DrawRepeats(truth::Draw& draw, truth::Call& call, int parameter, int64_t extent) {
  const bool single = extent == 1 || draw.Byte() >= 192;
  const int64_t count = single ? 1 : extent;
  std::vector<double> repeats;
  int64_t sum = 0;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t times = draw.Below(4);
    repeats.push_back(static_cast<double>(times));
    sum += times;
  }
  call.SetTensor(parameter,
                 single && draw.Flip() ? std::vector<int64_t>() : std::vector<int64_t>{count},
                 draw.Flip() ? DType::kInt64 : DType::kInt32, std::move(repeats));
  return single ? sum * extent : sum;
}
inline void DrawInterleaveByTensor(truth::Draw& draw, truth::Call& call) {
  using namespace interleave_by_tensor;  // NOLINT: the positions
  const FewerElements fewer(draw);
  truth::DrawTensor(draw, call, kSelf);
  const int64_t size = DrawRepeats(draw, call, kRepeats, call.ElementCount(kSelf));
  call.SetInteger(kOutputSize, size);
  truth::DrawTensor(draw, call, kOut, {size}, call.DTypeOf(kSelf));
  truth::MarkUnlessObeyed(draw, call);
}
inline void DrawInterleaveDimByTensor(truth::Draw& draw, truth::Call& call) {
  using namespace interleave_dim_by_tensor;  // NOLINT: the positions
  const FewerElements fewer(draw);
  truth::DrawTensor(draw, call, kSelf);
  std::vector<int64_t> shape = call.Shape(kSelf);
  if (shape.empty()) shape = {1};
  const auto rank = static_cast<int64_t>(shape.size());
  const int64_t dim = draw.Below(rank);
  int64_t& extent = shape[static_cast<size_t>(dim)];
  extent = DrawRepeats(draw, call, kRepeats, extent);
  call.SetInteger(kDim, draw.Byte() >= 192 ? dim - rank : dim);
  call.SetInteger(kOutputSize, extent);
  truth::DrawTensor(draw, call, kOut, std::move(shape), call.DTypeOf(kSelf));
  truth::MarkUnlessObeyed(draw, call);
}

}  // namespace aclimb::repeats
