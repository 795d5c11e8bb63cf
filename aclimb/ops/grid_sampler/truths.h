#pragma once

#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "aclimb/ops/grid_sampler/contracts.h"
#include "aclimb/ops/grid_sampler/places.h"
#include "aclimb/truth/draw_call.h"
#include "aclimb/truth/outputs.h"
#include "aclimb/truth/rounding.h"

namespace aclimb::grid_sampler {

// What the element that is `distance` away counts, by the definition of the curve that is laid
// through the elements; and the derivative with the place, which is where distance is 0.
inline std::pair<double, double> CountAt(Interpolation interpolation, double distance) {
  const double d = std::fabs(distance), a = -0.75;
  const double towards = distance > 0 ? -1 : 1;  // of the derivative with the distance
  if (interpolation == kBilinear) {
    return d < 1 ? std::pair{1 - d, -towards} : std::pair{0.0, 0.0};
  }
  if (d <= 1) {
    return {(a + 2) * d * d * d - (a + 3) * d * d + 1,
            towards * (3 * (a + 2) * d * d - 2 * (a + 3) * d)};
  }
  if (d < 2) {
    return {a * d * d * d - 5 * a * d * d + 8 * a * d - 4 * a,
            towards * (3 * a * d * d - 10 * a * d + 8 * a)};
  }
  return {0, 0};
}

// An element of an axis that one of the result is made of.
struct Part {
  int64_t index;
  double weight;
  double slope;  // with the coordinate
  double most;   // what the slope is a part of
};

template <typename T>
std::vector<Part> PartsOf(const Axis<T>& axis, Interpolation interpolation, double coordinate) {
  Place<T> place = axis.Of(static_cast<T>(coordinate));
  if (interpolation != kBicubic) place = axis.Padded(place);
  std::vector<Part> parts;
  if (interpolation == kNearest) {
    const int64_t index = axis.Index(std::nearbyint(place.at));
    if (index >= 0) parts.push_back({index, 1, 0, 0});
    return parts;
  }
  const T below = std::floor(place.at);
  const auto slope = static_cast<double>(place.slope);
  for (int step = -1; step <= 2; ++step) {
    const T element = below + static_cast<T>(step);
    // Exactly, and where a place is an element, that and the next one have parts.
    double distance = static_cast<double>(element) - static_cast<double>(place.at);
    auto [weight, rise] = CountAt(interpolation, distance);
    if (interpolation == kBilinear) {
      if (step < 0 || step > 1) continue;
      rise = step == 0 ? -1 : 1;
    }
    const T at = interpolation == kBicubic ? axis.Padded({element, 0}).at : element;
    const int64_t index = axis.Index(at);
    if (index >= 0) parts.push_back({index, weight, rise * slope, std::fabs(slope)});
  }
  return parts;
}

// The parts of every place of a grid, along rows and columns.
struct Parts {
  std::vector<std::vector<Part>> rows, columns;
};
inline Parts AllParts(const truth::Call& call, int input, int grid, int interpolation) {
  const auto mode = Interpolation(call.Integer(interpolation));
  const auto padding = Padding(call.Integer(interpolation + 1));
  const bool corners = call.Bool(interpolation + 2);
  const std::vector<int64_t>& image = call.Shape(input);
  const std::vector<double>& values = call.Values(grid);
  Parts parts;
  const auto add = [&](auto rows, auto columns) {
    for (size_t i = 0; i + 1 < values.size(); i += 2) {
      parts.columns.push_back(PartsOf(columns, mode, values[i]));
      parts.rows.push_back(PartsOf(rows, mode, values[i + 1]));
    }
  };
  if (call.DTypeOf(grid) == DType::kFloat64) {
    add(Axis<double>{image[2], padding, corners}, Axis<double>{image[3], padding, corners});
  } else {
    add(Axis<float>{image[2], padding, corners}, Axis<float>{image[3], padding, corners});
  }
  return parts;
}

// Calls use(place, element of the input, element of the result, row's part, column's part) for all
// that meet.
template <typename Use>
void EachMeeting(const truth::Call& call, int input, int grid, const Parts& parts, Use use) {
  const std::vector<int64_t>& image = call.Shape(input);
  const int64_t places = call.Shape(grid)[1] * call.Shape(grid)[2];
  for (int64_t p = 0; p < call.Shape(grid)[0] * places; ++p) {
    const auto at = static_cast<size_t>(p);
    for (int64_t c = 0; c < image[1]; ++c) {
      const int64_t plane = p / places * image[1] + c;
      for (const Part& row : parts.rows[at]) {
        for (const Part& column : parts.columns[at]) {
          use(at, static_cast<size_t>((plane * image[2] + row.index) * image[3] + column.index),
              static_cast<size_t>(plane * places + p % places), row, column);
        }
      }
    }
  }
}

// Sums, and how large their terms are.
struct Sums {
  explicit Sums(int64_t count)
      : values(static_cast<size_t>(count)), sizes(static_cast<size_t>(count)) {}

  void Add(size_t to, double term, double size) {
    values[to] += term;
    sizes[to] += size;
  }
  void Set(truth::Outputs& outputs, int output, DType dtype) {
    const double each = dtype == DType::kFloat64 ? 1e-14 : 1e-7;
    for (size_t i = 0; i < values.size(); ++i) {
      sizes[i] = each * sizes[i] + truth::RoundingOf(dtype) * std::fabs(values[i]) +
                 truth::LeastOf(dtype) + 1e-40;
      if (dtype != DType::kFloat64) sizes[i] += 6e-8 * std::fabs(values[i]);
    }
    outputs.Set(output, std::move(values), std::move(sizes));
  }

  std::vector<double> values, sizes;
};

inline void ForwardTruth(const truth::Call& call, truth::Outputs& outputs) {
  using namespace forward;  // NOLINT: the positions
  Sums sums(call.ElementCount(kOut));
  const std::vector<double>& input = call.Values(kInput);
  EachMeeting(call, kInput, kGrid, AllParts(call, kInput, kGrid, kInterpolation),
              [&](size_t, size_t in, size_t out, const Part& row, const Part& column) {
                sums.Add(out, row.weight * column.weight * input[in], std::fabs(input[in]));
              });
  sums.Set(outputs, kOut, call.DTypeOf(kOut));
}

inline void BackwardTruth(const truth::Call& call, truth::Outputs& outputs) {
  using namespace backward;  // NOLINT: the positions
  const Parts parts = AllParts(call, kInput, kGrid, kInterpolation);
  const std::vector<double>& gradient = call.Values(kGradOutput);
  if (call.Ints(kMask)[0] != 0) {
    Sums sums(call.ElementCount(kInputGrad));
    EachMeeting(call, kInput, kGrid, parts,
                [&](size_t, size_t in, size_t out, const Part& row, const Part& column) {
                  sums.Add(in, row.weight * column.weight * gradient[out],
                           std::fabs(gradient[out]));
                });
    sums.Set(outputs, kInputGrad, call.DTypeOf(kInputGrad));
  }
  if (call.Ints(kMask)[1] != 0) {
    Sums sums(call.ElementCount(kGridGrad));
    EachMeeting(call, kInput, kGrid, parts,
                [&](size_t place, size_t in, size_t out, const Part& row, const Part& column) {
                  const double of = gradient[out] * call.Values(kInput)[in];
                  const double x = of * row.weight * column.slope;
                  const double y = of * row.slope * column.weight;
                  sums.Add(2 * place, x, std::fabs(of) * column.most);
                  sums.Add(2 * place + 1, y, std::fabs(of) * row.most);
                });
    sums.Set(outputs, kGridGrad, call.DTypeOf(kGridGrad));
  }
}

// Half of the grids are most of the time within the image.
template <int kGridPosition>
void DrawSampler(truth::Draw& draw, truth::Call& call) {
  truth::DrawFromContract(draw, call);
  if (!draw.Flip() || !call.IsGiven(kGridPosition)) return;
  std::vector<double> places = call.Values(kGridPosition);
  for (double& place : places) place *= 0.3;
  call.SetTensor(kGridPosition, std::vector<int64_t>(call.Shape(kGridPosition)),
                 call.DTypeOf(kGridPosition), std::move(places));
}

}  // namespace aclimb::grid_sampler
