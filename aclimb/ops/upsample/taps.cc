#include "aclimb/ops/upsample/taps.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "aclimb/core/cubic_curve.h"
#include "aclimb/core/divide.h"

namespace aclimb::upsample {
namespace {

// What an element of the output is made of.
struct Taps {
  int32_t count;
  int32_t index[4];
  double weight[4];
};

// The weights of the four elements around a place that is `part` behind the second.
void SetCubic(double part, double* weights) {
  weights[0] = CubicCurve::Far(1 + part);
  weights[1] = CubicCurve::Near(part);
  weights[2] = CubicCurve::Near(1 - part);
  weights[3] = CubicCurve::Far(2 - part);
}

// The nearest element as PyTorch has it. Its gradients take no factor where the output is as large
// as the input or twice as large, and find places in float32 whatever T is.
template <typename T>
int64_t NearestOf(const AxisShape& shape, int64_t o) {
  const bool is_whole = shape.out == shape.in || shape.out == 2 * shape.in;
  if (is_whole && (shape.backward || !IsTold(shape.factor))) return o * shape.in / shape.out;
  return shape.backward ? Axis{shape.in, shape.out, shape.factor}.Source(o)
                        : AxisOf<T>{shape.in, shape.out, shape.factor}.Source(o);
}

template <typename T>
Taps TapsOf(const AxisShape& shape, int64_t o) {
  const AxisOf<T> axis = {shape.in, shape.out, shape.factor, shape.corners};
  Taps taps = {};
  if (shape.way == Way::kNearest) return {1, {static_cast<int32_t>(NearestOf<T>(shape, o))}, {1}};
  if (shape.way == Way::kCubic) {
    const T at = axis.CubicPosition(o), below = std::floor(at);
    taps.count = 4;
    SetCubic(static_cast<double>(at) - static_cast<double>(below), taps.weight);
    for (int k = 0; k < 4; ++k) {
      const int64_t index = static_cast<int64_t>(below) - 1 + k;
      taps.index[k] = static_cast<int32_t>(std::clamp<int64_t>(index, 0, axis.in - 1));
    }
    return taps;
  }
  // Where nothing changes an element has no part of the next one: 0 times infinity is NaN.
  if (axis.in == axis.out) return {1, {static_cast<int32_t>(o)}, {1}};
  const T at = axis.Position(o);
  const int64_t index = IndexBelow(axis.in, at);
  taps.count = index + 1 < axis.in ? 2 : 1;
  taps.index[0] = static_cast<int32_t>(index);
  taps.index[1] = taps.index[0] + 1;
  const double part = std::clamp(static_cast<double>(at) - static_cast<double>(index), 0.0, 1.0);
  taps.weight[0] = taps.count == 2 ? 1 - part : 1;
  taps.weight[1] = part;
  return taps;
}

}  // namespace

int64_t PartsBytes(const AxisShape& shape) {
  const int64_t parts = RoundUp(shape.most_parts(), int64_t{2});
  return (shape.result() + 1) * int64_t{sizeof(int64_t)} + parts * int64_t{sizeof(double)} +
         parts * int64_t{sizeof(int32_t)};
}

template <typename T>
Parts MakeParts(const AxisShape& shape, void* memory) {
  const int64_t count = shape.result();
  Parts parts;
  parts.begin = static_cast<int64_t*>(memory);
  parts.weight = reinterpret_cast<double*>(parts.begin + count + 1);
  parts.index = reinterpret_cast<int32_t*>(parts.weight + shape.most_parts());
  std::fill_n(parts.begin, count + 1, 0);
  if (shape.backward) {
    for (int64_t o = 0; o < shape.out; ++o) {
      const Taps taps = TapsOf<T>(shape, o);
      for (int k = 0; k < taps.count; ++k) ++parts.begin[taps.index[k] + 1];
    }
    std::partial_sum(parts.begin, parts.begin + count + 1, parts.begin);
  }
  int64_t next = 0;
  for (int64_t o = 0; o < shape.out; ++o) {
    const Taps taps = TapsOf<T>(shape, o);
    for (int k = 0; k < taps.count; ++k) {
      const int64_t at = shape.backward ? parts.begin[taps.index[k]]++ : next++;
      parts.index[at] = shape.backward ? static_cast<int32_t>(o) : taps.index[k];
      parts.weight[at] = taps.weight[k];
    }
    if (!shape.backward) parts.begin[o + 1] = next;
  }
  if (shape.backward) {
    // Each has come to where the next one began.
    std::copy_backward(parts.begin, parts.begin + count, parts.begin + count + 1);
    parts.begin[0] = 0;
  }
  for (int64_t i = 0; i < count; ++i) parts.most = std::max(parts.most, parts.CountOf(i));
  return parts;
}

template Parts MakeParts<float>(const AxisShape&, void*);
template Parts MakeParts<double>(const AxisShape&, void*);

}  // namespace aclimb::upsample
