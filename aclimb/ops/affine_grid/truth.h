#pragma once

#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "aclimb/ops/affine_grid/contract.h"
#include "aclimb/truth/call.h"
#include "aclimb/truth/draw_call.h"
#include "aclimb/truth/draw_tensor.h"
#include "aclimb/truth/outputs.h"
#include "aclimb/truth/rounding.h"

namespace aclimb::affine_grid {

// The centers of equal parts of [-1, 1], or equal steps from -1 to 1.
inline std::vector<double> PlacesOf(int64_t extent, bool corners) {
  const auto count = static_cast<double>(extent);
  std::vector<double> places;
  for (int64_t i = 0; i < extent; ++i) {
    const auto number = static_cast<double>(i);
    if (2 * i + 1 == extent) {
      places.push_back(0);
    } else if (corners) {
      places.push_back(-1 + number * (2 / (count - 1)));
    } else {
      places.push_back(-1 + (number + 0.5) * (2 / count));
    }
  }
  return places;
}

inline void Truth(const truth::Call& call, truth::Outputs& outputs) {
  const std::vector<int64_t>& size = call.Ints(kSize);
  const size_t axes = size.size() - 2;
  // The last axis is x.
  std::vector<std::vector<double>> places;
  int64_t elements = 1;
  for (size_t a = 0; a < axes; ++a) {
    const int64_t extent = size[size.size() - 1 - a];
    places.push_back(PlacesOf(extent, call.Bool(kAlignCorners)));
    elements *= extent;
  }
  const double rounding = truth::RoundingOf(call.DTypeOf(kOut));
  std::vector<double> values, allowed;
  for (int64_t n = 0; n < size[0]; ++n) {
    const double* const map = &call.Values(kTheta)[static_cast<size_t>(n) * axes * (axes + 1)];
    for (int64_t element = 0; element < elements; ++element) {
      for (size_t row = 0; row < axes; ++row) {
        int64_t rest = element;
        double sum = map[row * (axes + 1) + axes], most = std::fabs(sum);
        for (size_t a = 0; a < axes; ++a) {
          const auto extent = static_cast<int64_t>(places[a].size());
          const double term =
              map[row * (axes + 1) + a] * places[a][static_cast<size_t>(rest % extent)];
          rest /= extent;
          sum += term;
          most += std::fabs(term);
        }
        values.push_back(sum);
        // Of FLOAT16 and BFLOAT16 sums are rounded to FLOAT before.
        allowed.push_back(1e-7 * most + rounding * std::fabs(sum) +
                          truth::LeastOf(call.DTypeOf(kOut)));
      }
    }
  }
  outputs.Set(kOut, std::move(values), std::move(allowed));
}

inline void Draw(truth::Draw& draw, truth::Call& call) {
  const int64_t axes = draw.Flip() ? 2 : 3;
  std::vector<int64_t> size = {1 + draw.Below(3), 1 + draw.Below(4)};
  for (int64_t a = 0; a < axes; ++a) size.push_back(1 + draw.Below(7));
  std::vector<int64_t> grid = {size[0]};
  grid.insert(grid.end(), size.begin() + 2, size.end());
  grid.push_back(axes);
  truth::DrawTensor(draw, call, kTheta, {size[0], axes, axes + 1});
  call.SetInts(kSize, size);
  call.SetInteger(kAlignCorners, draw.Flip() ? 1 : 0);
  truth::DrawTensor(draw, call, kOut, grid);
  truth::MarkUnlessObeyed(draw, call);
}

}  // namespace aclimb::affine_grid
