#include "aclimb/ops/upsample/taps.h"

#include <algorithm>
#include <cmath>

#include "aclimb/core/cubic_curve.h"
#include "aclimb/simd/parallel.h"
#include "aclimb/simd/slots.h"

namespace aclimb::upsample {
namespace {

// Elements of a piece of a loop, about.
constexpr int64_t kPiece = 1 << 13;

// The weights of the four elements around a place that is `part` behind the second.
void SetCubic(double part, double* weights) {
  weights[0] = CubicCurve::Far(1 + part);
  weights[1] = CubicCurve::Near(part);
  weights[2] = CubicCurve::Near(1 - part);
  weights[3] = CubicCurve::Far(2 - part);
}

template <typename T>
Taps TapsOf(const AxisOf<T>& axis, Way way, int64_t o) {
  Taps taps = {};
  if (way == Way::kCubic) {
    const T at = axis.CubicPosition(o), below = std::floor(at);
    taps.count = 4;
    SetCubic(static_cast<double>(at) - static_cast<double>(below), taps.weight);
    for (int k = 0; k < 4; ++k) {
      const int64_t index = static_cast<int64_t>(below) - 1 + k;
      taps.index[k] = static_cast<int32_t>(std::clamp<int64_t>(index, 0, axis.in - 1));
    }
    return taps;
  }
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

// The nearest are found in float32 whatever the elements are, as by PyTorch.
template <typename T>
void FillTaps(const Volumes& volumes) {
  Taps* taps = volumes.taps;
  for (int d = 0; d < kAxes; ++d) {
    const int64_t in = volumes.in[d], out = volumes.out[d];
    const AxisOf<float> nearest = {in, out, volumes.factor[d], volumes.corners};
    const AxisOf<T> axis = {in, out, volumes.factor[d], volumes.corners};
    for (int64_t o = 0; o < out; ++o) {
      *taps++ = volumes.way == Way::kNearest
                    ? Taps{1, {static_cast<int32_t>(nearest.Source(o))}, {1}}
                    : TapsOf(axis, volumes.way, o);
    }
  }
}

// A row of the input that a row of the output is made of.
struct Row {
  int64_t first;  // element
  double weight;
};
struct Rows {
  Rows(const Volumes& volumes, int64_t row) {
    const Taps& layers = volumes.taps[row / volumes.out[1]];
    const Taps& lines = volumes.taps[volumes.out[0] + row % volumes.out[1]];
    for (int i = 0; i < layers.count; ++i) {
      for (int j = 0; j < lines.count; ++j) {
        rows[count++] = {(layers.index[i] * volumes.in[1] + lines.index[j]) * volumes.in[2],
                         layers.weight[i] * lines.weight[j]};
      }
    }
  }

  int count = 0;
  Row rows[16];
};

}  // namespace

template <typename T>
bool Combine(const Volumes& volumes) {
  FillTaps<T>(volumes);
  const int64_t rows = volumes.out[0] * volumes.out[1], columns = volumes.out[2];
  const Taps* const taps = volumes.taps + volumes.out[0] + volumes.out[1];
  return ParallelForAll(
      volumes.count * rows, std::max<int64_t>(1, kPiece / columns),
      [&](int64_t begin, int64_t end) {
        for (int64_t r = begin; r < end; ++r) {
          const Rows of(volumes, r % rows);
          const T* const from = static_cast<const T*>(volumes.from) + r / rows * volumes.InSize();
          T* const to = static_cast<T*>(volumes.to) + r * columns;
          for (int64_t o = 0; o < columns; ++o) {
            // One part alone keeps its sign, also of 0.
            double sum = 0;
            for (int i = 0; i < of.count; ++i) {
              const T* const row = from + of.rows[i].first;
              double along = taps[o].weight[0] * static_cast<double>(row[taps[o].index[0]]);
              for (int j = 1; j < taps[o].count; ++j) {
                along += taps[o].weight[j] * static_cast<double>(row[taps[o].index[j]]);
              }
              sum = i == 0 ? of.rows[0].weight * along : sum + of.rows[i].weight * along;
            }
            to[o] = static_cast<T>(sum);
          }
        }
      });
}

template <typename T>
bool Spread(const Volumes& volumes) {
  FillTaps<T>(volumes);
  const int64_t rows = volumes.out[0] * volumes.out[1], columns = volumes.out[2];
  const int64_t in = volumes.InSize();
  const Taps* const taps = volumes.taps + volumes.out[0] + volumes.out[1];
  Slots slots(volumes.slots);
  return ParallelForAll(
      volumes.count, std::max<int64_t>(1, kPiece / (in + volumes.OutSize())),
      [&](int64_t begin, int64_t end) {
        const Slots::Lease lease(slots);
        double* const sums = volumes.sums + lease.number() * in;
        for (int64_t n = begin; n < end; ++n) {
          std::fill_n(sums, in, 0.0);
          const T* from = static_cast<const T*>(volumes.from) + n * volumes.OutSize();
          for (int64_t r = 0; r < rows; ++r, from += columns) {
            const Rows of(volumes, r);
            for (int i = 0; i < of.count; ++i) {
              double* const row = sums + of.rows[i].first;
              for (int64_t o = 0; o < columns; ++o) {
                const double gradient = of.rows[i].weight * static_cast<double>(from[o]);
                for (int j = 0; j < taps[o].count; ++j) {
                  row[taps[o].index[j]] += taps[o].weight[j] * gradient;
                }
              }
            }
          }
          T* const to = static_cast<T*>(volumes.to) + n * in;
          for (int64_t i = 0; i < in; ++i) to[i] = static_cast<T>(sums[i]);
        }
      });
}

template bool Combine<float>(const Volumes&);
template bool Combine<double>(const Volumes&);
template bool Spread<float>(const Volumes&);
template bool Spread<double>(const Volumes&);

}  // namespace aclimb::upsample
