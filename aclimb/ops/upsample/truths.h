#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "aclimb/ops/upsample/contracts.h"
#include "aclimb/ops/upsample/taps.h"
#include "aclimb/truth/call.h"
#include "aclimb/truth/outputs.h"
#include "aclimb/truth/rounding.h"

namespace aclimb::upsample {

// One element of an input that one of an output is made of.
struct Part {
  int64_t index;
  double weight;
};

// Where element `o` of the output lies in the input, rounded to T at each step as PyTorch does.
// Compile without contraction.
template <typename T>
T PlaceOf(const AxisShape& axis, int64_t o) {
  const auto in = static_cast<T>(axis.in), out = static_cast<T>(axis.out), at = static_cast<T>(o);
  if (axis.corners) return axis.out == 1 ? 0 : at * ((in - 1) / (out - 1));
  const bool has_factor = axis.factor > 0 && axis.factor != 1;
  const T step = has_factor ? static_cast<T>(1 / axis.factor) : in / out;
  return axis.way == Way::kNearest ? at * step : (at + T{0.5}) * step - T{0.5};
}

inline double LastOf(const AxisShape& axis) { return static_cast<double>(axis.in - 1); }

template <typename T>
std::vector<Part> NearestParts(const AxisShape& axis, int64_t o) {
  // PyTorch's gradients know these two sizes, and are otherwise in float32.
  if (axis.backward && axis.out == axis.in) return {{o, 1}};
  if (axis.backward && axis.out == 2 * axis.in) return {{o / 2, 1}};
  const float at =
      axis.backward ? PlaceOf<float>(axis, o) : static_cast<float>(PlaceOf<T>(axis, o));
  // At a factor near 0 the first place is NaN.
  const double index = std::min(std::max(0.0, static_cast<double>(at)), LastOf(axis));
  return {{static_cast<int64_t>(index), 1}};
}

// At the last element, and where nothing changes, an element is all there is: the next one would
// have a part of 0, which makes NaN of infinity. PyTorch has twice the same element there, once by
// 0, so that an infinite one becomes NaN.
template <typename T>
std::vector<Part> LinearParts(const AxisShape& axis, int64_t o) {
  if (axis.in == axis.out) return {{o, 1}};
  const double last = LastOf(axis);
  const double at = std::clamp(static_cast<double>(PlaceOf<T>(axis, o)), 0.0, last);
  const auto index = static_cast<int64_t>(at);
  if (at == last) return {{index, 1}};
  const double weight = at - static_cast<double>(index);
  return {{index, 1 - weight}, {index + 1, weight}};
}

// The curve through elements that are 1 apart, by its definition (a = -0.75).
inline double CubicAt(double distance) {
  const double d = std::fabs(distance), a = -0.75;
  if (d <= 1) return (a + 2) * d * d * d - (a + 3) * d * d + 1;
  return d < 2 ? a * d * d * d - 5 * a * d * d + 8 * a * d - 4 * a : 0;
}

// Two elements beyond an end, and further, all parts are of the element at the end.
template <typename T>
std::vector<Part> CubicParts(const AxisShape& axis, int64_t o) {
  const double last = LastOf(axis);
  const double at = std::clamp(static_cast<double>(PlaceOf<T>(axis, o)), -2.0, last + 3);
  std::vector<Part> parts;
  for (int step = -1; step <= 2; ++step) {
    const double element = std::floor(at) + step;
    parts.push_back({static_cast<int64_t>(std::clamp(element, 0.0, last)), CubicAt(element - at)});
  }
  return parts;
}

template <typename T>
std::vector<Part> PartsOf(const AxisShape& axis, int64_t o) {
  if (axis.way == Way::kNearest) return NearestParts<T>(axis, o);
  return axis.way == Way::kLinear ? LinearParts<T>(axis, o) : CubicParts<T>(axis, o);
}

// Calls use(element of the input, element of the output, weight) for all that meet.
template <typename T, typename Use>
void EachPart(const truth::Call& call, Way way, bool backward, Use use) {
  const int output = call.size() - 1;
  const std::vector<int64_t>&in = call.Shape(backward ? output : 0),
        &out = call.Shape(backward ? 0 : output);
  // The factors, where there are any, stand before the output, alignCorners before them.
  const bool has_factors = call.ParameterAt(output - 1).kind == Kind::kReal;
  const int first_factor = output - (has_factors ? static_cast<int>(in.size()) - 2 : 0);
  // What each element is made of along each axis, the outermost first.
  std::vector<std::vector<std::vector<Part>>> parts;
  for (size_t d = 2; d < in.size(); ++d) {
    const AxisShape axis = {
        .in = in[d],
        .out = out[d],
        .factor = has_factors ? call.Real(first_factor + static_cast<int>(d) - 2) : 0,
        .corners = way != Way::kNearest && call.Bool(first_factor - 1),
        .way = way,
        .backward = backward};
    parts.emplace_back();
    for (int64_t o = 0; o < out[d]; ++o) parts.back().push_back(PartsOf<T>(axis, o));
  }
  const int64_t count = call.ElementCount(backward ? 0 : output);
  for (int64_t o = 0; o < count; ++o) {
    int64_t rest = o;
    std::vector<const std::vector<Part>*> own(parts.size());
    for (size_t d = parts.size(); d-- > 0; rest /= out[2 + d]) {
      own[d] = &parts[d][static_cast<size_t>(rest % out[2 + d])];
    }
    std::vector<Part> meets = {{rest, 1}};
    for (size_t d = 0; d < parts.size(); ++d) {
      std::vector<Part> next;
      for (const Part& part : meets) {
        for (const Part& along : *own[d]) {
          next.push_back({part.index * in[2 + d] + along.index, part.weight * along.weight});
        }
      }
      meets = std::move(next);
    }
    for (const Part& part : meets) {
      use(static_cast<size_t>(part.index), static_cast<size_t>(o), part.weight);
    }
  }
}

template <Way kWay, bool kBackward>
void Truth(const truth::Call& call, truth::Outputs& outputs) {
  const int output = call.size() - 1;
  const DType dtype = call.DTypeOf(output);
  const std::vector<double>& from = call.Values(0);
  std::vector<double> values(static_cast<size_t>(call.ElementCount(output))), sizes(values.size());
  const auto add = [&](size_t in, size_t out, double weight) {
    const size_t to = kBackward ? in : out;
    const double value = from[kBackward ? out : in];
    values[to] += weight * value;
    // The parts of a cubic curve cancel.
    sizes[to] += kWay == Way::kCubic ? std::fabs(value) : std::fabs(weight * value);
  };
  if (dtype == DType::kFloat64) {
    EachPart<double>(call, kWay, kBackward, add);
  } else {
    EachPart<float>(call, kWay, kBackward, add);
  }
  // Sums are float64, or float32 of a few terms.
  const double each = dtype == DType::kFloat64 ? 1e-14 : 4e-7;
  for (size_t i = 0; i < values.size(); ++i) {
    const bool exact = kWay == Way::kNearest && !kBackward;
    sizes[i] = exact || !std::isfinite(values[i])
                   ? 0
                   : each * sizes[i] + truth::RoundingOf(dtype) * std::fabs(values[i]) +
                         truth::LeastOf(dtype) + 1e-40;
  }
  outputs.Set(output, std::move(values), std::move(sizes));
}

}  // namespace aclimb::upsample
