#pragma once

#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "aclimb/ops/upsample/taps.h"
#include "aclimb/ops/upsample/truths.h"

namespace aclimb::upsample {

// The curve through elements that are 1 apart, by its definition (a = -0.75).
inline double CubicAt(double distance) {
  const double d = std::fabs(distance), a = -0.75;
  if (d <= 1) return (a + 2) * d * d * d - (a + 3) * d * d + 1;
  return d < 2 ? a * d * d * d - 5 * a * d * d + 8 * a * d - 4 * a : 0;
}

// What element `o` of the output is made of along an axis. Compile without contraction, as
// PartsOf.
template <typename T>
std::vector<Part> VolumeParts(const AxisOf<T>& axis, Way way, int64_t o) {
  if (way == Way::kNearest) {
    return {{SourceOf(Axis{axis.in, axis.out, axis.factor, axis.corners}, o), 1}};
  }
  if (way == Way::kLinear) return LinearParts(axis, o);
  const double at = RoundedLike(axis.CubicPosition(o), PlaceInDouble(axis, o), -2,
                                static_cast<double>(axis.in + 2));
  std::vector<Part> parts;
  for (int step = -1; step <= 2; ++step) {
    const double element = std::floor(at) + step;
    const double last = static_cast<double>(axis.in - 1);
    parts.push_back(
        {static_cast<int64_t>(std::min(last, std::max(0.0, element))), CubicAt(element - at)});
  }
  return parts;
}

template <typename T, typename Use>
void EachPartOfVolume(const truth::Call& call, int output, bool backward, Way way, int first_factor,
                      Use use) {
  const std::vector<int64_t>& in = call.Shape(backward ? output : 0);
  const std::vector<int64_t>& out = call.Shape(backward ? 0 : output);
  const bool corners = way != Way::kNearest && call.Bool(first_factor - 1);
  // Of each element along each axis, the outermost first.
  std::vector<std::vector<std::vector<Part>>> parts;
  for (size_t d = 2; d < in.size(); ++d) {
    const AxisOf<T> axis = {in[d], out[d], call.Real(first_factor + static_cast<int>(d) - 2),
                            corners};
    parts.emplace_back();
    for (int64_t o = 0; o < out[d]; ++o) parts.back().push_back(VolumeParts(axis, way, o));
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
    for (const Part& part : meets)
      use(static_cast<size_t>(part.index), static_cast<size_t>(o), part);
  }
}

template <Way kWay, bool kBackward>
void VolumeTruth(const truth::Call& call, truth::Outputs& outputs) {
  const int output = call.size() - 1;
  const int first_factor = output - static_cast<int>(call.Shape(0).size()) + 2;
  const DType dtype = call.DTypeOf(output);
  const std::vector<double>& from = call.Values(0);
  std::vector<double> values(static_cast<size_t>(call.ElementCount(output))), sizes(values.size());
  const auto add = [&](size_t in, size_t out, const Part& part) {
    const size_t to = kBackward ? in : out;
    const double value = from[kBackward ? out : in];
    values[to] += part.weight * value;
    // The parts of a cubic curve cancel.
    sizes[to] += kWay == Way::kCubic ? std::fabs(value) : std::fabs(part.weight * value);
  };
  if (dtype == DType::kFloat64) {
    EachPartOfVolume<double>(call, output, kBackward, kWay, first_factor, add);
  } else {
    EachPartOfVolume<float>(call, output, kBackward, kWay, first_factor, add);
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
