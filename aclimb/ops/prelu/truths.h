#pragma once

#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "aclimb/contract/promotion.h"
#include "aclimb/ops/prelu/contracts.h"
#include "aclimb/truth/draw_call.h"
#include "aclimb/truth/draw_dtypes.h"
#include "aclimb/truth/draw_tensor.h"
#include "aclimb/truth/each.h"
#include "aclimb/truth/outputs.h"
#include "aclimb/truth/rounding.h"

namespace aclimb::prelu {

// The weight's number for each element of self.
inline std::vector<size_t> WeightPlaces(const truth::Call& call, int self, int weight) {
  const std::vector<int64_t>& shape = call.Shape(self);
  std::vector<size_t> places(static_cast<size_t>(call.ElementCount(self)));
  if (call.ElementCount(weight) == 1) return places;
  size_t inner = 1;
  for (size_t d = 2; d < shape.size(); ++d) inner *= static_cast<size_t>(shape[d]);
  for (size_t i = 0; i < places.size(); ++i) {
    places[i] = i / inner % static_cast<size_t>(shape[1]);
  }
  return places;
}

inline void ForwardTruth(const truth::Call& call, truth::Outputs& outputs) {
  using namespace forward;  // NOLINT: the positions
  const DType out = call.DTypeOf(kOut);
  const DType promoted = *contract::PromoteTensors(call.DTypeOf(kSelf), call.DTypeOf(kWeight));
  const std::vector<size_t> places = WeightPlaces(call, kSelf, kWeight);
  std::vector<double> values;
  for (size_t i = 0; i < places.size(); ++i) {
    const double x = call.Values(kSelf)[i];
    values.push_back(x > 0 ? x : call.Values(kWeight)[places[i]] * x);
  }
  // A product in float32, and what it is rounded to.
  const double relative = 6e-8 + truth::RoundingOf(promoted) + truth::RoundingOf(out);
  std::vector<double> allowed;
  for (const double value : values) {
    allowed.push_back(std::isfinite(value) ? relative * std::fabs(value) + 1e-40 +
                                                 truth::LeastOf(promoted) + truth::LeastOf(out)
                                           : 0);
  }
  outputs.Set(kOut, std::move(values), std::move(allowed));
}

inline void BackwardTruth(const truth::Call& call, truth::Outputs& outputs) {
  using namespace backward;  // NOLINT: the positions
  const DType dtype = call.DTypeOf(kSelf);
  const std::vector<size_t> places = WeightPlaces(call, kSelf, kWeight);
  const auto pairs = truth::BroadcastPlaces(call, {kGradOutput, kSelf});
  const double relative = 6e-8 + truth::RoundingOf(dtype);
  const auto allowance = [&](double value, double size) {
    if (!std::isfinite(value)) return 0.0;
    return relative * std::fabs(value) + 4e-7 * size + 1e-40 + truth::LeastOf(dtype);
  };
  std::vector<double> inputs, allowed, weights(static_cast<size_t>(call.ElementCount(kWeight)));
  std::vector<double> sizes(weights.size());
  for (size_t i = 0; i < places.size(); ++i) {
    const double g = call.Values(kGradOutput)[pairs[i][0]], x = call.Values(kSelf)[i];
    inputs.push_back(x > 0 ? g : call.Values(kWeight)[places[i]] * g);
    allowed.push_back(allowance(inputs.back(), 0));
    if (x > 0) continue;
    weights[places[i]] += g * x;
    sizes[places[i]] += std::fabs(g * x);
  }
  outputs.Set(kGradInput, std::move(inputs), std::move(allowed));
  for (size_t i = 0; i < weights.size(); ++i) sizes[i] = allowance(weights[i], sizes[i]);
  outputs.Set(kGradWeight, std::move(weights), std::move(sizes));
}

// self, and a weight for all channels or one for each.
inline void DrawWeight(truth::Draw& draw, truth::Call& call, int self, int weight, DType dtype) {
  const std::vector<int64_t>& shape = call.Shape(self);
  std::vector<int64_t> own = {draw.Flip() ? 1 : ChannelsOf(shape)};
  if (draw.Flip()) {
    own.insert(own.begin(), 1);
    own.insert(own.end(), static_cast<size_t>(draw.Below(7)), 1);
  } else if (own[0] == 1 && draw.Flip()) {
    own.clear();
  }
  truth::DrawTensor(draw, call, weight, std::move(own), dtype);
}

inline void DrawForward(truth::Draw& draw, truth::Call& call) {
  using namespace forward;  // NOLINT: the positions
  const contract::DTypeMask mask = kDTypes[draw.product()];
  truth::DrawTensor(draw, call, kSelf);
  DrawWeight(draw, call, kSelf, kWeight,
             draw.Flip() ? call.DTypeOf(kSelf) : truth::DrawDType(draw, mask));
  truth::DrawTensor(draw, call, kOut, call.Shape(kSelf),
                    draw.Flip() ? call.DTypeOf(kSelf) : truth::DrawDType(draw, mask));
  truth::MarkUnlessObeyed(draw, call);
}

inline void DrawBackward(truth::Draw& draw, truth::Call& call) {
  using namespace backward;  // NOLINT: the positions
  truth::DrawTensor(draw, call, kSelf);
  const DType dtype = call.DTypeOf(kSelf);
  std::vector<int64_t> shape = call.Shape(kSelf), part = shape;
  for (int64_t& extent : part) extent = draw.Below(6) == 1 ? 1 : extent;
  if (!part.empty() && draw.Below(6) == 1) part.erase(part.begin());
  truth::DrawTensor(draw, call, kGradOutput, std::move(part), dtype);
  DrawWeight(draw, call, kSelf, kWeight, dtype);
  truth::DrawTensor(draw, call, kGradInput, std::move(shape), dtype);
  const int64_t count = call.ElementCount(kWeight);
  truth::DrawTensor(draw, call, kGradWeight,
                    count == 1 ? call.Shape(kWeight) : std::vector<int64_t>{count}, dtype);
  truth::MarkUnlessObeyed(draw, call);
}

}  // namespace aclimb::prelu
