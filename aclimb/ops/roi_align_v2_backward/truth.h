#pragma once

#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "aclimb/ops/roi_align_v2_backward/contract.h"
#include "aclimb/truth/call.h"
#include "aclimb/truth/outputs.h"

namespace aclimb::roi_align_v2_backward {

// Dense arguments of one problem, as the C function takes them.
struct TruthProblem {
  int64_t regions, images, channels, pooled_height, pooled_width, height, width;
  float spatial_scale;
  int64_t sampling_ratio;
  bool aligned;
};

// The formula of the document, sample by sample. Coordinates in float32 as
// documented, sums in double. Compile without contraction. Time grows with the sampling grid.
//   grad_output  [regions, channels, pooled_height, pooled_width]    boxes  [regions, 5]
//   returns      [images, channels, height, width]
//   touched      when not null, sum over regions of |d| that reach each element
inline std::vector<double> Truth(const TruthProblem& p, const float* grad_output,
                                 const float* boxes, std::vector<double>* touched = nullptr) {
  std::vector<double> out(static_cast<size_t>(p.images * p.channels * p.height * p.width), 0.0);
  if (touched != nullptr) touched->assign(out.size(), 0.0);
  if (out.empty()) return out;
  for (int64_t k = 0; k < p.regions; ++k) {
    const float* box = boxes + 5 * k;
    const float image = std::floor(box[0]);
    if (!(image >= 0 && image < static_cast<float>(p.images))) continue;
    const float offset = p.aligned ? 0.5f : 0.0f;
    const float x1 = box[1] * p.spatial_scale - offset, y1 = box[2] * p.spatial_scale - offset;
    const float x2 = box[3] * p.spatial_scale - offset, y2 = box[4] * p.spatial_scale - offset;
    float rw = x2 - x1, rh = y2 - y1;
    if (!p.aligned) rw = rw < 1 ? 1 : rw, rh = rh < 1 ? 1 : rh;
    const float bw = rw / static_cast<float>(p.pooled_width);
    const float bh = rh / static_cast<float>(p.pooled_height);
    const float gh = p.sampling_ratio > 0 ? static_cast<float>(p.sampling_ratio) : std::ceil(bh);
    const float gw = p.sampling_ratio > 0 ? static_cast<float>(p.sampling_ratio) : std::ceil(bw);
    const double count = static_cast<double>(gh) * static_cast<double>(gw);
    for (int64_t ph = 0; ph < p.pooled_height; ++ph) {
      for (int64_t iy = 0; static_cast<float>(iy) < gh; ++iy) {
        const float sampled_y =
            y1 + static_cast<float>(ph) * bh + (static_cast<float>(iy) + 0.5f) * bh / gh;
        if (!(sampled_y >= -1 && sampled_y <= static_cast<float>(p.height))) continue;
        float y = sampled_y < 0 ? 0 : sampled_y;
        int64_t yl = static_cast<int64_t>(y), yh = yl + 1;
        if (yl >= p.height - 1) yl = yh = p.height - 1, y = static_cast<float>(yl);
        const double ly = static_cast<double>(y) - static_cast<double>(yl), hy = 1 - ly;
        for (int64_t pw = 0; pw < p.pooled_width; ++pw) {
          for (int64_t ix = 0; static_cast<float>(ix) < gw; ++ix) {
            const float sampled_x =
                x1 + static_cast<float>(pw) * bw + (static_cast<float>(ix) + 0.5f) * bw / gw;
            if (!(sampled_x >= -1 && sampled_x <= static_cast<float>(p.width))) continue;
            float x = sampled_x < 0 ? 0 : sampled_x;
            int64_t xl = static_cast<int64_t>(x), xh = xl + 1;
            if (xl >= p.width - 1) xl = xh = p.width - 1, x = static_cast<float>(xl);
            const double lx = static_cast<double>(x) - static_cast<double>(xl), hx = 1 - lx;
            for (int64_t c = 0; c < p.channels; ++c) {
              const int64_t bin =
                  ((k * p.channels + c) * p.pooled_height + ph) * p.pooled_width + pw;
              const double d = static_cast<double>(grad_output[bin]) / count;
              const int64_t plane =
                  (static_cast<int64_t>(image) * p.channels + c) * p.height * p.width;
              const auto add = [&](int64_t row, int64_t column, double weight) {
                const size_t at = static_cast<size_t>(plane + row * p.width + column);
                out[at] += d * weight;
                if (touched != nullptr) (*touched)[at] += std::abs(d) * weight;
              };
              add(yl, xl, hy * hx);
              add(yl, xh, hy * lx);
              add(yh, xl, ly * hx);
              add(yh, xh, ly * lx);
            }
          }
        }
      }
    }
  }
  return out;
}

inline void Truth(const truth::Call& call, truth::Outputs& outputs) {
  const std::vector<int64_t>& pooled = call.Shape(kGradOutput);
  const std::vector<int64_t>& image = call.Shape(kGradInput);
  const TruthProblem problem = {.regions = pooled[0],
                                .images = image[0],
                                .channels = image[1],
                                .pooled_height = pooled[2],
                                .pooled_width = pooled[3],
                                .height = image[2],
                                .width = image[3],
                                .spatial_scale = call.Float(kSpatialScale),
                                .sampling_ratio = call.Integer(kSamplingRatio),
                                .aligned = call.Bool(kAligned)};
  const auto floats = [&](int parameter) {
    const std::vector<double>& values = call.Values(parameter);
    return std::vector<float>(values.begin(), values.end());
  };
  std::vector<double> allowed;
  std::vector<double> values =
      Truth(problem, floats(kGradOutput).data(), floats(kBoxes).data(), &allowed);
  for (double& magnitude : allowed) magnitude = 3e-6 * magnitude + 0x1p-149;
  outputs.Set(kGradInput, std::move(values), std::move(allowed));
}

}  // namespace aclimb::roi_align_v2_backward
