#include "aclimb/ops/pooling/kernels.h"
#include "aclimb/simd/parallel.h"
#include "aclimb/simd/slots.h"

namespace aclimb::pooling {
namespace {

// Sums are made in double: first over rows, all columns side by side, then along the row. So they
// are exact enough however large windows are, and each window adds up only as many numbers as it is
// wide.

// A row of a layer of a plane; all follow each other.
struct RowAt {
  RowAt(int64_t number, int64_t of_plane, int64_t of_layer)
      : layers(of_plane),
        lines(of_layer),
        plane(number / (layers * lines)),
        layer(number / lines % layers),
        line(number % lines) {}
  void Next() {
    if (++line < lines) return;
    line = 0;
    if (++layer < layers) return;
    layer = 0;
    ++plane;
  }

  int64_t layers, lines, plane, layer, line;
};

// Rows [first, last) of means.
void MeanRows(const MeanArgs& args, int64_t first, int64_t last, double* sums) {
  const MeanWindows &depth = args.depth, &height = args.height, &width = args.width;
  RowAt at(first, depth.out(), height.out());
  for (int64_t r = first; r < last; ++r, at.Next()) {
    const float* const plane = args.from + at.plane * depth.in() * height.in() * width.in();
    float* const to = args.to + r * width.out();
    const Range layers = depth.Of(at.layer), lines = height.Of(at.line);
    std::fill_n(sums, width.in(), 0.0);
    for (int64_t z = layers.begin; z < layers.end; ++z) {
      for (int64_t i = lines.begin; i < lines.end; ++i) {
        const float* const from = plane + (z * height.in() + i) * width.in();
        for (int64_t k = 0; k < width.in(); ++k) sums[k] += static_cast<double>(from[k]);
      }
    }
    const double part = args.divisor != 0 ? 1
                        : layers.size() == 0 || lines.size() == 0
                            ? 0
                            : 1 / (depth.Divisor(at.layer) * height.Divisor(at.line));
    for (int64_t o = 0; o < width.out(); ++o) {
      const MeanWindow& window = args.windows[o];
      double sum = 0;
      for (int64_t k = window.begin; k < window.end; ++k) sum += sums[k];
      to[o] = static_cast<float>(sum * (part * window.part));
    }
  }
}

// Adds what is given for each window of a row to its elements.
void Spread(const MeanArgs& args, const WindowsOfTaps& having, const double* shares, double* to) {
  const Axis& axis = args.width.axis();
  if (args.width.adaptive() || axis.kernel > WindowsOfTaps::kMostKept) {
    for (int64_t o = 0; o < axis.out; ++o) {
      const MeanWindow& window = args.windows[o];
      for (int64_t k = window.begin; k < window.end; ++k) to[k] += shares[o];
    }
    return;
  }
  // Short windows that overlap would each wait for what the one before has written.
  for (int64_t tap = 0; tap < axis.kernel; ++tap) {
    const Range windows = having[tap];
    const int64_t first = axis.Start(0) + tap;
    for (int64_t o = windows.begin; o < windows.end; ++o) to[first + o * axis.stride] += shares[o];
  }
}

// Rows [first, last) of the gradient of what the means were made of.
void GradientRows(const MeanArgs& args, const WindowsOfTaps& having, int64_t first, int64_t last,
                  double* sums) {
  const MeanWindows &depth = args.depth, &height = args.height, &width = args.width;
  double* const spread = sums + width.out();
  RowAt at(first, depth.in(), height.in());
  Range layers, lines;
  for (int64_t r = first; r < last; ++r, at.Next()) {
    const float* const plane = args.from + at.plane * depth.out() * height.out() * width.out();
    float* const to = args.to + r * width.in();
    const bool follows = r > first && (at.layer > 0 || at.line > 0);
    const Range other_layers = depth.Having(at.layer), other_lines = height.Having(at.line);
    if (follows && other_layers == layers && other_lines == lines) {
      // The windows that have it are those of the row before.
      std::copy_n(to - width.in(), width.in(), to);
      continue;
    }
    layers = other_layers;
    lines = other_lines;
    std::fill_n(sums, width.out(), 0.0);
    for (int64_t z = layers.begin; z < layers.end; ++z) {
      for (int64_t i = lines.begin; i < lines.end; ++i) {
        const float* const from = plane + (z * height.out() + i) * width.out();
        const double part = args.divisor != 0 ? 1 : 1 / (depth.Divisor(z) * height.Divisor(i));
        for (int64_t o = 0; o < width.out(); ++o) sums[o] += part * static_cast<double>(from[o]);
      }
    }
    std::fill_n(spread, width.in(), 0.0);
    for (int64_t o = 0; o < width.out(); ++o) sums[o] *= args.windows[o].part;
    Spread(args, having, sums, spread);
    for (int64_t k = 0; k < width.in(); ++k) to[k] = static_cast<float>(spread[k]);
  }
}

// `rows` of each plane of what is written, each with `to_row` elements, from planes of
// `from_plane`: by compute(first, last, numbers of a slot).
template <typename Compute>
bool AllRows(const MeanArgs& args, int64_t rows, int64_t to_row, int64_t from_plane,
             Compute compute) {
  FindWindows(args);
  // What a row costs on the average: its part of all that is read, or more where windows overlap.
  const int64_t per_row = std::max<int64_t>(1, from_plane / std::max<int64_t>(1, rows) + to_row);
  const int64_t slot = MeanSlot(args.width);
  Slots slots(args.slots);
  return ParallelForAll(args.planes * rows, std::max<int64_t>(1, kPiece / per_row),
                        [&](int64_t first, int64_t last) {
                          const Slots::Lease lease(slots);
                          compute(first, last, args.rows + lease.number() * slot);
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

void FindWindows(const MeanArgs& args) {
  for (int64_t o = 0; o < args.width.out(); ++o) {
    const Range window = args.width.Of(o);
    const double divisor = args.divisor != 0 ? args.divisor : args.width.Divisor(o);
    args.windows[o] = {window.begin, window.end, window.size() == 0 ? 0 : 1 / divisor};
  }
}

int64_t MeanSlot(const MeanWindows& width) { return width.in() + width.out(); }

bool MeanPool(const MeanArgs& args) {
  return AllRows(
      args, args.depth.out() * args.height.out(), args.width.out(),
      args.depth.in() * args.height.in() * args.width.in(),
      [&](int64_t first, int64_t last, double* sums) { MeanRows(args, first, last, sums); });
}

bool MeanGradient(const MeanArgs& args) {
  const WindowsOfTaps having(args.width.axis());
  return AllRows(args, args.depth.in() * args.height.in(), args.width.in(),
                 args.depth.out() * args.height.out() * args.width.out(),
                 [&](int64_t first, int64_t last, double* sums) {
                   GradientRows(args, having, first, last, sums);
                 });
}

}  // namespace aclimb::pooling
