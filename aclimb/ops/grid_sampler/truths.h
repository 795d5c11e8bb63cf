#pragma once

#include <algorithm>
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
  if (std::isnan(distance)) return {distance, distance};
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

// The place of a coordinate among the elements of an axis, rounded to T at each step as PyTorch
// does.
template <typename T>
Place<T> PlaceOf(const Axis<T>& axis, double coordinate) {
  const T size = static_cast<T>(axis.extent), from_first = static_cast<T>(coordinate) + 1;
  if (axis.corners) return {from_first / 2 * (size - 1), (size - 1) / 2};
  return {(from_first * size - 1) / 2, size / 2};
}

// What the padding makes of it: beyond the ends the axis is what a mirror at each of them shows.
template <typename T>
Place<T> PaddedPlace(const Axis<T>& axis, Place<T> place) {
  const T last = static_cast<T>(axis.extent - 1);
  if (axis.padding == kZeros) return place;
  if (axis.padding == kReflection) {
    const T mirror = axis.corners ? T{0} : T{-0.5}, period = 2 * (last - 2 * mirror);
    if (period == 0) return {0, 0};
    const T beyond = std::remainder(place.at - mirror, period);
    place = {mirror + std::fabs(beyond), beyond < 0 ? -place.slope : place.slope};
  }
  // What is no number is the first element, as on PyTorch's GPUs.
  const T at = std::isnan(place.at) ? T{0} : std::clamp(place.at, T{0}, last);
  return {at, at > 0 && at < last ? place.slope : T{0}};
}

// The element at a place, or -1 where there is none.
template <typename T>
int64_t IndexAt(const Axis<T>& axis, T at) {
  return at >= 0 && at < static_cast<T>(axis.extent) ? static_cast<int64_t>(at) : -1;
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
  Place<T> place = PlaceOf(axis, coordinate);
  if (interpolation != kBicubic) place = PaddedPlace(axis, place);
  std::vector<Part> parts;
  if (interpolation == kNearest) {
    const int64_t index = IndexAt(axis, std::nearbyint(place.at));
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
    const T at = interpolation == kBicubic ? PaddedPlace(axis, {element, 0}).at : element;
    const int64_t index = IndexAt(axis, at);
    if (index >= 0) parts.push_back({index, weight, rise * slope, std::fabs(slope)});
  }
  return parts;
}

// The parts of every place of a grid along each axis, the outermost first.
using Parts = std::vector<std::vector<std::vector<Part>>>;
inline Parts AllParts(const truth::Call& call, int input, int grid, int interpolation) {
  const auto mode = Interpolation(call.Integer(interpolation));
  const auto padding = Padding(call.Integer(interpolation + 1));
  const bool corners = call.Bool(interpolation + 2);
  const std::vector<double>& values = call.Values(grid);
  const size_t axes = call.Shape(input).size() - 2;
  Parts parts(axes);
  for (size_t i = 0; i < values.size(); ++i) {
    // x, the last axis, comes first.
    const size_t d = axes - 1 - i % axes;
    const int64_t extent = call.Shape(input)[2 + d];
    parts[d].push_back(call.DTypeOf(grid) == DType::kFloat64
                           ? PartsOf(Axis<double>{extent, padding, corners}, mode, values[i])
                           : PartsOf(Axis<float>{extent, padding, corners}, mode, values[i]));
  }
  return parts;
}

// Calls use(place, element of the input, element of the result, the axes' parts) for all that meet.
template <typename Use>
void EachMeeting(const truth::Call& call, int input, int grid, const Parts& parts, Use use) {
  const std::vector<int64_t>& image = call.Shape(input);
  const int64_t batch = image[0], channels = image[1];
  const int64_t places =
      batch == 0 ? 0 : call.ElementCount(grid) / batch / static_cast<int64_t>(parts.size());
  std::vector<const Part*> chosen(parts.size());
  for (int64_t p = 0; p < batch * places; ++p) {
    const auto at = static_cast<size_t>(p);
    for (int64_t c = 0; c < channels; ++c) {
      const int64_t plane = p / places * channels + c;
      const auto result = static_cast<size_t>(plane * places + p % places);
      const auto choose = [&](auto& self, size_t d, int64_t element) -> void {
        if (d == parts.size()) return use(at, static_cast<size_t>(element), result, chosen);
        for (const Part& part : parts[d][at]) {
          chosen[d] = &part;
          self(self, d + 1, element * image[2 + d] + part.index);
        }
      };
      choose(choose, 0, plane);
    }
  }
}

// The product of the parts' weights, with the slope of one of them in place of its weight.
inline double WeightOf(const std::vector<const Part*>& parts, size_t sloping) {
  double weight = 1;
  for (size_t d = 0; d < parts.size(); ++d) {
    weight *= d == sloping ? parts[d]->slope : parts[d]->weight;
  }
  return weight;
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
    const double each = dtype == DType::kFloat64 ? 1e-14 : 4e-7;
    for (size_t i = 0; i < values.size(); ++i) {
      sizes[i] = each * sizes[i] + truth::RoundingOf(dtype) * std::fabs(values[i]) +
                 truth::LeastOf(dtype) + 1e-40;
      if (dtype != DType::kFloat64) sizes[i] += 6e-8 * std::fabs(values[i]);
    }
    outputs.Set(output, std::move(values), std::move(sizes));
  }

  std::vector<double> values, sizes;
};

// For every place of the grid: NaN where a curve is laid through a place that is no number,
// whatever the padding; else 0. Straight lines read nothing there, as PyTorch's in volumes and on
// GPUs.
inline std::vector<double> WithoutElements(const truth::Call& call, int input, int grid,
                                           int interpolation) {
  const std::vector<double>& values = call.Values(grid);
  const std::vector<int64_t>& image = call.Shape(input);
  const size_t axes = image.size() - 2;
  std::vector<double> sums(values.size() / axes);
  if (call.Integer(interpolation) != kBicubic || image[1] == 0) return sums;
  const bool corners = call.Bool(interpolation + 2), wide = call.DTypeOf(grid) == DType::kFloat64;
  for (size_t i = 0; i < values.size(); ++i) {
    const int64_t extent = image[1 + axes - i % axes];
    const double at =
        wide ? PlaceOf(Axis<double>{extent, kZeros, corners}, values[i]).at
             : static_cast<double>(PlaceOf(Axis<float>{extent, kZeros, corners}, values[i]).at);
    if (!std::isfinite(at)) sums[i / axes] = std::nan("");
  }
  return sums;
}

inline void ForwardTruth(const truth::Call& call, truth::Outputs& outputs) {
  using namespace forward;  // NOLINT: the positions
  Sums sums(call.ElementCount(kOut));
  const std::vector<double>& input = call.Values(kInput);
  const std::vector<double> empty = WithoutElements(call, kInput, kGrid, kInterpolation);
  const auto channels = static_cast<size_t>(call.Shape(kOut)[1]);
  const size_t places =
      empty.size() / std::max<size_t>(1, static_cast<size_t>(call.Shape(kOut)[0]));
  for (size_t i = 0; i < sums.values.size(); ++i) {
    sums.values[i] = empty[i / places / channels * places + i % places];
  }
  EachMeeting(call, kInput, kGrid, AllParts(call, kInput, kGrid, kInterpolation),
              [&](size_t, size_t in, size_t out, const std::vector<const Part*>& parts) {
                sums.Add(out, WeightOf(parts, parts.size()) * input[in], std::fabs(input[in]));
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
                [&](size_t, size_t in, size_t out, const std::vector<const Part*>& own) {
                  sums.Add(in, WeightOf(own, own.size()) * gradient[out], std::fabs(gradient[out]));
                });
    sums.Set(outputs, kInputGrad, call.DTypeOf(kInputGrad));
  }
  if (call.Ints(kMask)[1] != 0) {
    Sums sums(call.ElementCount(kGridGrad));
    const std::vector<double> empty = WithoutElements(call, kInput, kGrid, kInterpolation);
    for (size_t i = 0; i < sums.values.size(); ++i) sums.values[i] = empty[i / parts.size()];
    // What is nearest does not move with the place.
    const bool moves = call.Integer(kInterpolation) != kNearest;
    EachMeeting(call, kInput, kGrid, parts,
                [&](size_t place, size_t in, size_t out, const std::vector<const Part*>& own) {
                  if (!moves) return;
                  const double of = gradient[out] * call.Values(kInput)[in];
                  for (size_t d = 0; d < own.size(); ++d) {
                    sums.Add(own.size() * place + own.size() - 1 - d, of * WeightOf(own, d),
                             std::fabs(of) * own[d]->most);
                  }
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

// One gradient or both are wanted; the other is left alone.
inline void DrawBackward(truth::Draw& draw, truth::Call& call) {
  using namespace backward;  // NOLINT: the positions
  DrawSampler<kGrid>(draw, call);
  std::vector<int64_t> mask;
  for (const auto& [output, like] : {std::pair(kInputGrad, kInput), std::pair(kGridGrad, kGrid)}) {
    mask.push_back(draw.Byte() % 4 == 3 ? 0 : 1);
    call.SetTensor(output, std::vector<int64_t>(call.Shape(like)), call.DTypeOf(kInput)).touched =
        mask.back() != 0;
  }
  call.SetInts(kMask, std::move(mask));
}

}  // namespace aclimb::grid_sampler
