#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "aclimb/ops/upsample/contracts.h"
#include "aclimb/truth/call.h"
#include "aclimb/truth/outputs.h"
#include "aclimb/truth/rounding.h"

namespace aclimb::upsample {

// One element of an input that one of an output is made of.
struct Part {
  int64_t index;
  double weight;
};

// Where element `o` of the output lies in the input, as mathematics has it.
template <typename T>
double PlaceInDouble(const AxisOf<T>& axis, int64_t o) {
  const auto in = static_cast<double>(axis.in), out = static_cast<double>(axis.out);
  const auto place = static_cast<double>(o);
  if (axis.corners) return out == 1 ? 0 : place / (out - 1) * (in - 1);
  const bool told = axis.factor > 0 && axis.factor != 1;
  return told ? (place + 0.5) / axis.factor - 0.5 : (place + 0.5) * in / out - 0.5;
}

// How far the rounding of T may move it.
template <typename T>
double RoundingAt(double place) {
  return 8 * static_cast<double>(std::numeric_limits<T>::epsilon()) * (std::fabs(place) + 1);
}

// A place in double, between the bounds; as kernels have it where that is the same but for
// rounding.
template <typename T>
double RoundedLike(T kernel, double place, double least, double most) {
  const double own = std::clamp(place, least, most);
  const auto rounded = static_cast<double>(kernel);
  return std::fabs(rounded - own) <= RoundingAt<T>(place) ? rounded : own;
}

template <typename T>
double PositionOf(const AxisOf<T>& axis, int64_t o) {
  const double place = axis.in == axis.out ? static_cast<double>(o) : PlaceInDouble(axis, o);
  return RoundedLike(axis.Position(o), place, 0, std::numeric_limits<double>::infinity());
}

// The element that is repeated. Where the place is an element but for rounding, kernels choose.
template <typename T>
int64_t SourceOf(const AxisOf<T>& axis, int64_t o) {
  if (axis.in == axis.out) return o;
  const bool told = axis.factor > 0 && axis.factor != 1;
  const double place = told ? static_cast<double>(o) / axis.factor
                            : static_cast<double>(o * axis.in) / static_cast<double>(axis.out);
  const double rounding = RoundingAt<T>(place);
  const int64_t least = IndexBelow(axis.in, std::floor(place - rounding));
  return std::clamp(axis.Source(o), least, IndexBelow(axis.in, std::floor(place + rounding)));
}

// Between two elements. At the last one, and where nothing changes, an element is all there is: the
// next one would have a part of 0, which makes NaN of infinity. PyTorch has twice the same element
// there, once by 0, so that an infinite one becomes NaN.
template <typename T>
std::vector<Part> LinearParts(const AxisOf<T>& axis, int64_t o) {
  if (axis.in == axis.out) return {{o, 1}};
  const double at = PositionOf(axis, o);
  const int64_t index = IndexBelow(axis.in, at);
  if (index == axis.in - 1) return {{index, 1}};
  const double weight = at - static_cast<double>(index);
  return {{index, 1 - weight}, {index + 1, weight}};
}

// Compile without contraction: positions are float32, as documented.
inline std::vector<Part> PartsOf(const Axis& axis, int64_t o, bool linear) {
  return linear ? LinearParts(axis, o) : std::vector<Part>{{SourceOf(axis, o), 1}};
}

struct Problem {
  std::vector<int64_t> in, out;
  Axis height, width;
  bool linear = false;
};

// A line is an image of one row.
inline std::vector<int64_t> ImageShape(std::vector<int64_t> shape) {
  if (shape.size() == 3) shape.insert(shape.begin() + 2, 1);
  return shape;
}
inline Problem ProblemOf(const std::vector<int64_t>& in_shape,
                         const std::vector<int64_t>& out_shape, double factor_h, double factor_w,
                         bool corners, bool linear) {
  const std::vector<int64_t> in = ImageShape(in_shape), out = ImageShape(out_shape);
  return {in, out, {in[2], out[2], factor_h, corners}, {in[3], out[3], factor_w, corners}, linear};
}

// Calls use(element of the input, element of the output, weight) for all that meet.
template <typename Use>
void EachPart(const Problem& problem, Use use) {
  const int64_t rows = problem.height.out, columns = problem.width.out;
  for (int64_t o = 0; o < problem.out[0] * problem.out[1] * rows * columns; ++o) {
    const int64_t plane = o / (rows * columns);
    for (const Part& row : PartsOf(problem.height, o / columns % rows, problem.linear)) {
      for (const Part& column : PartsOf(problem.width, o % columns, problem.linear)) {
        const int64_t y = plane * problem.height.in + row.index;
        use(static_cast<size_t>(y * problem.width.in + column.index), static_cast<size_t>(o),
            row.weight * column.weight);
      }
    }
  }
}

inline void TruthOf(const truth::Call& call, truth::Outputs& outputs, const Problem& problem,
                    int output, bool backward) {
  const std::vector<double>& from = call.Values(0);
  const auto count = static_cast<size_t>(call.ElementCount(output));
  std::vector<double> values(count, 0.0), sizes(count, 0.0);
  const DType dtype = call.DTypeOf(output);
  EachPart(problem, [&](size_t in, size_t out, double weight) {
    const size_t to = backward ? in : out;
    const double term =
        problem.linear ? weight * from[backward ? out : in] : from[backward ? out : in];
    values[to] += term;
    sizes[to] += std::fabs(term);
  });
  const bool exact = !problem.linear && !backward;
  for (size_t i = 0; i < count; ++i) {
    sizes[i] = exact ? 0
                     : 4e-7 * sizes[i] + truth::RoundingOf(dtype) * std::fabs(values[i]) +
                           truth::LeastOf(dtype);
  }
  outputs.Set(output, std::move(values), std::move(sizes));
}

inline void NearestTruth(const truth::Call& call, truth::Outputs& outputs) {
  using namespace nearest;  // NOLINT: the positions
  TruthOf(call, outputs, ProblemOf(call.Shape(kSelf), call.Shape(kOut), 0, 0, false, false), kOut,
          false);
}
inline void NearestGradientTruth(const truth::Call& call, truth::Outputs& outputs) {
  using namespace nearest_backward;  // NOLINT: the positions
  TruthOf(call, outputs,
          ProblemOf(call.Shape(kGradInput), call.Shape(kGradOut), call.Real(kScalesH),
                    call.Real(kScalesW), false, false),
          kGradInput, true);
}
inline void BilinearTruth(const truth::Call& call, truth::Outputs& outputs) {
  using namespace bilinear;  // NOLINT: the positions
  TruthOf(call, outputs,
          ProblemOf(call.Shape(kSelf), call.Shape(kOut), call.Real(kScalesH), call.Real(kScalesW),
                    call.Bool(kAlignCorners), true),
          kOut, false);
}
inline void BilinearGradientTruth(const truth::Call& call, truth::Outputs& outputs) {
  using namespace bilinear_backward;  // NOLINT: the positions
  TruthOf(call, outputs,
          ProblemOf(call.Shape(kOut), call.Shape(kGradOut), call.Real(kScalesH),
                    call.Real(kScalesW), call.Bool(kAlignCorners), true),
          kOut, true);
}

inline void Nearest1dTruth(const truth::Call& call, truth::Outputs& outputs) {
  using namespace nearest1d;  // NOLINT: the positions
  TruthOf(call, outputs, ProblemOf(call.Shape(kSelf), call.Shape(kOut), 0, 0, false, false), kOut,
          false);
}
inline void Nearest1dGradientTruth(const truth::Call& call, truth::Outputs& outputs) {
  using namespace nearest1d_backward;  // NOLINT: the positions
  TruthOf(call, outputs,
          ProblemOf(call.Shape(kOut), call.Shape(kGradOut), 0, call.Real(kScales), false, false),
          kOut, true);
}
inline void Linear1dTruth(const truth::Call& call, truth::Outputs& outputs) {
  using namespace linear1d;  // NOLINT: the positions
  TruthOf(call, outputs,
          ProblemOf(call.Shape(kSelf), call.Shape(kOut), 0, call.Real(kScales),
                    call.Bool(kAlignCorners), true),
          kOut, false);
}
inline void Linear1dGradientTruth(const truth::Call& call, truth::Outputs& outputs) {
  using namespace linear1d_backward;  // NOLINT: the positions
  TruthOf(call, outputs,
          ProblemOf(call.Shape(kOut), call.Shape(kGradOut), 0, call.Real(kScales),
                    call.Bool(kAlignCorners), true),
          kOut, true);
}

}  // namespace aclimb::upsample
