#pragma once

#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "aclimb/ops/roi_align_v2_backward/forward_contract.h"
#include "aclimb/truth/call.h"
#include "aclimb/truth/outputs.h"

namespace aclimb::roi_align_v2_backward {

// What a sample on one axis reads: two pixels next to each other, the second one with weight
// `beyond`. Nothing when it is outside.
struct TruthSample {
  bool inside = false;
  int64_t low = 0, high = 0;
  double beyond = 0;
};
inline TruthSample TruthSampleAt(float at, int64_t extent) {
  if (extent == 0 || !(at >= -1 && at <= static_cast<float>(extent))) return {};
  if (at < 0) at = 0;
  const auto low = static_cast<int64_t>(at);
  if (low >= extent - 1) return {true, extent - 1, extent - 1, 0};
  return {true, low, low + 1, static_cast<double>(at) - static_cast<double>(low)};
}

// The formula of the document, sample by sample. Coordinates in float32 as documented, sums in
// double. Compile without contraction.
inline void ForwardTruth(const truth::Call& call, truth::Outputs& outputs) {
  using P = Forward;
  const std::vector<int64_t>&map = call.Shape(P::kSelf), &pooled = call.Shape(P::kOut);
  const float scale = call.Float(P::kSpatialScale);
  const bool aligned = call.Bool(P::kAligned);
  const int64_t ratio = call.Integer(P::kSamplingRatio);
  const bool half = call.DTypeOf(P::kOut) == DType::kFloat16;
  std::vector<double> out, allowed;
  for (int64_t k = 0; k < pooled[0]; ++k) {
    const double* const row = call.Values(P::kBoxes).data() + 5 * k;
    const double image = std::floor(row[0]);
    const bool known = image >= 0 && image < static_cast<double>(map[0]);
    const auto edge = [&](int column) {
      return static_cast<float>(row[column]) * scale - (aligned ? 0.5f : 0.0f);
    };
    float start[2] = {edge(2), edge(1)}, size[2] = {edge(4) - edge(2), edge(3) - edge(1)};
    float bin[2], grid[2];
    for (int axis = 0; axis < 2; ++axis) {
      if (!aligned && size[axis] < 1) size[axis] = 1;
      bin[axis] = size[axis] / static_cast<float>(pooled[static_cast<size_t>(2 + axis)]);
      grid[axis] = ratio > 0 ? static_cast<float>(ratio) : std::ceil(bin[axis]);
    }
    const double count = static_cast<double>(grid[0]) * static_cast<double>(grid[1]);
    const auto sample = [&](int axis, int64_t b, int64_t i) {
      const float at = start[axis] + static_cast<float>(b) * bin[axis] +
                       (static_cast<float>(i) + 0.5f) * bin[axis] / grid[axis];
      return TruthSampleAt(at, map[static_cast<size_t>(2 + axis)]);
    };
    for (int64_t n = 0; n < pooled[1] * pooled[2] * pooled[3]; ++n) {
      const int64_t c = n / (pooled[2] * pooled[3]);
      const int64_t ph = n / pooled[3] % pooled[2], pw = n % pooled[3];
      double sum = 0, size_of_sum = 0;
      for (int64_t iy = 0; known && static_cast<float>(iy) < grid[0]; ++iy) {
        const TruthSample y = sample(0, ph, iy);
        if (!y.inside) continue;
        for (int64_t ix = 0; static_cast<float>(ix) < grid[1]; ++ix) {
          const TruthSample x = sample(1, pw, ix);
          if (!x.inside) continue;
          const auto add = [&](int64_t r, int64_t s, double weight) {
            const int64_t at =
                ((static_cast<int64_t>(image) * map[1] + c) * map[2] + r) * map[3] + s;
            const double value = call.Values(P::kSelf)[static_cast<size_t>(at)];
            sum += weight * value / count;
            size_of_sum += std::fabs(weight * value) / count;
          };
          add(y.low, x.low, (1 - y.beyond) * (1 - x.beyond));
          add(y.low, x.high, (1 - y.beyond) * x.beyond);
          add(y.high, x.low, y.beyond * (1 - x.beyond));
          add(y.high, x.high, y.beyond * x.beyond);
        }
      }
      out.push_back(sum);
      allowed.push_back(3e-6 * size_of_sum +
                        (half ? 0x1p-11 * std::fabs(sum) + 0x1p-25 : 0x1p-149));
    }
  }
  outputs.Set(P::kOut, std::move(out), std::move(allowed));
}

}  // namespace aclimb::roi_align_v2_backward
