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

// One call of either operator in plain numbers.
struct ForwardProblem {
  const std::vector<double>* self;
  std::vector<int64_t> map;     // its shape
  std::vector<int64_t> pooled;  // that of the output
  std::vector<double> images;   // of each region
  std::vector<double> boxes;    // four numbers for each
  float scale;
  bool aligned;
  int64_t ratio;
  DType dtype;
};

// The formula of the document, sample by sample. Coordinates in float32 as documented, sums in
// double. Compile without contraction.
inline void ForwardTruth(const ForwardProblem& p, int output, truth::Outputs& outputs) {
  const std::vector<int64_t>&map = p.map, &pooled = p.pooled;
  const float scale = p.scale;
  const bool aligned = p.aligned;
  const int64_t ratio = p.ratio;
  const bool half = p.dtype == DType::kFloat16;
  std::vector<double> out, allowed;
  for (int64_t k = 0; k < pooled[0]; ++k) {
    const double* const row = p.boxes.data() + 4 * k;
    const double image = std::floor(p.images[static_cast<size_t>(k)]);
    const bool known = image >= 0 && image < static_cast<double>(map[0]);
    const auto edge = [&](int column) {
      return static_cast<float>(row[column]) * scale - (aligned ? 0.5f : 0.0f);
    };
    float start[2] = {edge(1), edge(0)}, size[2] = {edge(3) - edge(1), edge(2) - edge(0)};
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
            const double value = (*p.self)[static_cast<size_t>(at)];
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
  outputs.Set(output, std::move(out), std::move(allowed));
}

inline void ForwardTruth(const truth::Call& call, truth::Outputs& outputs) {
  namespace P = forward;
  ForwardProblem problem = {.self = &call.Values(P::kSelf),
                            .map = call.Shape(P::kSelf),
                            .pooled = call.Shape(P::kOut),
                            .images = {},
                            .boxes = {},
                            .scale = call.Float(P::kSpatialScale),
                            .aligned = call.Bool(P::kAligned),
                            .ratio = call.Integer(P::kSamplingRatio),
                            .dtype = call.DTypeOf(P::kOut)};
  const std::vector<double>& boxes = call.Values(P::kBoxes);
  for (size_t i = 0; i < boxes.size(); ++i) {
    (i % 5 == 0 ? problem.images : problem.boxes).push_back(boxes[i]);
  }
  ForwardTruth(problem, P::kOut, outputs);
}

inline void FirstTruth(const truth::Call& call, truth::Outputs& outputs) {
  using P = First;
  ForwardTruth({.self = &call.Values(P::kSelf),
                .map = call.Shape(P::kSelf),
                .pooled = call.Shape(P::kOut),
                .images = call.Values(P::kBatchIndices),
                .boxes = call.Values(P::kRois),
                .scale = call.Float(P::kSpatialScale),
                .aligned = false,
                .ratio = call.Integer(P::kSamplingRatio),
                .dtype = call.DTypeOf(P::kOut)},
               P::kOut, outputs);
}

}  // namespace aclimb::roi_align_v2_backward
