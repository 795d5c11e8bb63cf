#include "aclimb/ops/pooling/kernels.h"
#include "aclimb/simd/parallel.h"
#include "aclimb/simd/slots.h"

namespace aclimb::pooling {
namespace {

// Elements of a piece of a loop, about.
constexpr int64_t kPiece = 1 << 15;

// Sums are made in double: first over rows, all columns side by side, then along the row. So they
// are exact enough however large windows are, and a window costs its height and its width.

void MeanRow(const MeanArgs& args, const float* plane, int64_t row, double* sums, float* to) {
  const MeanWindows& width = args.width;
  const Range lines = args.height.Of(row);
  std::fill_n(sums, width.in(), 0.0);
  for (int64_t i = lines.begin; i < lines.end; ++i) {
    const float* const from = plane + i * width.in();
    for (int64_t k = 0; k < width.in(); ++k) sums[k] += static_cast<double>(from[k]);
  }
  const double lines_divisor = args.height.Divisor(row);
  for (int64_t o = 0; o < width.out(); ++o) {
    const Range window = width.Of(o);
    double sum = 0;
    for (int64_t k = window.begin; k < window.end; ++k) sum += sums[k];
    const double divisor = args.divisor != 0 ? args.divisor : lines_divisor * width.Divisor(o);
    to[o] = lines.size() == 0 || window.size() == 0 ? 0.0f : static_cast<float>(sum / divisor);
  }
}

void GradientRow(const MeanArgs& args, const float* plane, int64_t row, double* sums, float* to) {
  const MeanWindows& width = args.width;
  double* const spread = sums + width.out();
  std::fill_n(sums, width.out(), 0.0);
  const Range having = args.height.Having(row);
  for (int64_t i = having.begin; i < having.end; ++i) {
    const float* const from = plane + i * width.out();
    const double part = args.divisor != 0 ? 1 : 1 / args.height.Divisor(i);
    for (int64_t o = 0; o < width.out(); ++o) sums[o] += part * static_cast<double>(from[o]);
  }
  std::fill_n(spread, width.in(), 0.0);
  for (int64_t o = 0; o < width.out(); ++o) {
    const double share = sums[o] / (args.divisor != 0 ? args.divisor : width.Divisor(o));
    const Range window = width.Of(o);
    for (int64_t k = window.begin; k < window.end; ++k) spread[k] += share;
  }
  for (int64_t k = 0; k < width.in(); ++k) to[k] = static_cast<float>(spread[k]);
}

using Row = void (*)(const MeanArgs& args, const float* plane, int64_t row, double* sums,
                     float* to);

// Rows of `to` planes of [rows, to_row] from planes of `from_plane` elements.
bool EachRow(const MeanArgs& args, Row compute, int64_t rows, int64_t to_row, int64_t from_plane) {
  // What a row costs on the average: its part of all that is read, or more where windows overlap.
  const int64_t per_row = std::max<int64_t>(1, from_plane / std::max<int64_t>(1, rows) + to_row);
  const int64_t slot = MeanSlot(args.width);
  Slots slots(args.slots);
  return ParallelForAll(
      args.planes * rows, std::max<int64_t>(1, kPiece / per_row), [&](int64_t first, int64_t last) {
        const Slots::Lease lease(slots);
        double* const sums = args.rows + lease.number() * slot;
        for (int64_t r = first; r < last; ++r) {
          compute(args, args.from + r / rows * from_plane, r % rows, sums, args.to + r * to_row);
        }
      });
}

}  // namespace

MeanWindows MeanWindows::Sliding(const Axis& axis, bool with_padding) {
  MeanWindows windows;
  windows.axis_ = axis;
  windows.with_padding_ = with_padding;
  return windows;
}

MeanWindows MeanWindows::Adaptive(int64_t in, int64_t out) {
  MeanWindows windows;
  windows.axis_ = {.in = in, .out = out};
  windows.adaptive_ = true;
  return windows;
}

Range MeanWindows::Of(int64_t o) const {
  if (adaptive_) return AdaptiveWindow(o, axis_.in, axis_.out);
  const int64_t start = axis_.Start(o);
  return {std::max<int64_t>(0, start), std::min(axis_.in, start + axis_.kernel)};
}

double MeanWindows::Divisor(int64_t o) const {
  if (!with_padding_) return static_cast<double>(Of(o).size());
  const int64_t start = axis_.Start(o);
  return static_cast<double>(std::min(start + axis_.kernel, axis_.in + axis_.pad_end) - start);
}

Range MeanWindows::Having(int64_t element) const {
  if (adaptive_) {
    // The other way around the same rule holds: elements are windows over windows.
    return AdaptiveWindow(element, axis_.out, axis_.in);
  }
  const int64_t from_begin = element + axis_.pad_begin;
  return {std::max<int64_t>(0, CeilDivide(from_begin - axis_.kernel + 1, axis_.stride)),
          std::min(axis_.out, from_begin / axis_.stride + 1)};
}

int64_t MeanSlot(const MeanWindows& width) { return width.in() + width.out(); }

bool MeanPool(const MeanArgs& args) {
  return EachRow(args, &MeanRow, args.height.out(), args.width.out(),
                 args.height.in() * args.width.in());
}

bool MeanGradient(const MeanArgs& args) {
  return EachRow(args, &GradientRow, args.height.in(), args.width.in(),
                 args.height.out() * args.width.out());
}

}  // namespace aclimb::pooling
