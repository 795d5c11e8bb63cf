#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "aclimb/ops/pooling/mean_kernels.cc"
#include <hwy/foreach_target.h>
// foreach_target.h first: the -inl headers are included once per target.
#include <algorithm>

#include "aclimb/ops/pooling/kernels.h"
#include "aclimb/simd/float-inl.h"
#include "aclimb/simd/parallel.h"
#include "aclimb/simd/slots.h"
#include "aclimb/simd/weighted-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclimb::pooling {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using namespace aclimb::HWY_NAMESPACE;  // NOLINT: the per-target toolbox

// Sums are made first over rows, all columns side by side, then along the row: each window adds up
// only as many numbers as it is wide. So they are exact enough however large windows are in double,
// and in float32 where there are few terms in each of the two steps.
constexpr int64_t kFewTerms = 16;

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

// Calls compute(k, to) for vectors that cover a row of `count` elements; it stores all lanes of
// kVectors vectors from element k on, which it is a multiple of.
template <int64_t kVectors, class D, class Compute>
HWY_INLINE void FillRow(D d, int64_t count, float* to, const Compute& compute) {
  const auto step = kVectors * static_cast<int64_t>(hn::Lanes(d));
  int64_t k = 0;
  for (; k + step <= count; k += step) compute(k, to + k);
  if (k == count) return;
  // The last vector may overlap the one before.
  if (k > 0 && (count - step) % kVectors == 0) return compute(count - step, to + count - step);
  float rest[kVectors * hn::MaxLanes(D())];
  compute(k, rest);
  std::copy_n(rest, count - k, to + k);
}

// Rows of means, or of their gradients, of windows for which IsSliding() holds. `terms` calls
// use(row, weight) for rows of elements that windows have, or of windows that have elements.
template <typename Sum>
class SlidingRows {
 public:
  // `slot` has MeanSlot() numbers of double.
  SlidingRows(const MeanArgs& args, void* slot)
      : axis_(args.width.axis()),
        columns_(args.Columns()),
        sums_(static_cast<Sum*>(slot) + RoundUp(axis_.kernel, kLine)),
        divisor_(args.divisor != 0 ? args.divisor : static_cast<double>(axis_.kernel)),
        part_(1 / divisor_) {
    // Beside the sums of a row there is padding.
    std::fill_n(static_cast<Sum*>(slot), MeanSlot(args.width), Sum(0));
    const auto is_whole = [&](int64_t o) { return columns_[o].part == part_; };
    whole_ = {0, axis_.out};
    while (whole_.begin < whole_.end && !is_whole(whole_.begin)) ++whole_.begin;
    while (whole_.begin < whole_.end && !is_whole(whole_.end - 1)) --whole_.end;
  }

  template <class Terms>
  HWY_INLINE void Mean(const Terms& terms, float* to) const {
    const D d;
    const int64_t kernel = axis_.kernel;
    const Sum* const from = sums_ - axis_.pad_begin;
    AddWeighted(d, terms, axis_.in, false, sums_);
    if (axis_.stride == 1) {
      FillRow<1>(d, axis_.out, to, [d, from, kernel](int64_t o, float* at) HWY_ATTR {
        StoreAs(d, SumFrom(d, from + o, kernel), false, at);
      });
    } else {
      FillRow<1>(d, axis_.out, to, [d, from, kernel](int64_t o, float* at) HWY_ATTR {
        auto sum = hn::Zero(d);
        const Sum* taps = from + 2 * o;
        for (int64_t left = kernel; left > 0; left -= 2, taps += 2) {
          hn::Vec<D> even, odd;
          hn::LoadInterleaved2(d, taps, even, odd);
          sum = hn::Add(sum, even);
          if (left > 1) sum = hn::Add(sum, odd);
        }
        StoreAs(d, sum, false, at);
      });
    }
    ScaleEnds(to);
  }

  template <class Terms>
  HWY_INLINE void Gradient(const Terms& terms, float* to) const {
    const D d;
    const int64_t kernel = axis_.kernel, pad = axis_.pad_begin;
    AddWeighted(d, terms, axis_.out, false, sums_);
    ScaleEnds(sums_);
    if (axis_.stride == 1) {
      const Sum* const from = sums_ + pad - kernel + 1;
      FillRow<1>(d, axis_.in, to, [d, from, kernel](int64_t k, float* at) HWY_ATTR {
        StoreAs(d, SumFrom(d, from + k, kernel), false, at);
      });
      return;
    }
    // Elements of one parity are even ones of windows, those of the other odd ones.
    const int64_t first = (kernel - pad % 2 + 1) / 2, second = (kernel - (pad + 1) % 2 + 1) / 2;
    const Sum* const from_first = sums_ + pad / 2 - first + 1;
    const Sum* const from_second = sums_ + (pad + 1) / 2 - second + 1;
    FillRow<2>(d, axis_.in, to, [=](int64_t k, float* at) HWY_ATTR {
      const auto a = SumFrom(d, from_first + k / 2, first);
      const auto b = SumFrom(d, from_second + k / 2, second);
      if constexpr (sizeof(Sum) == sizeof(float)) {
        hn::StoreInterleaved2(a, b, d, at);
      } else {
        hn::StoreInterleaved2(ToFloats(d, a), ToFloats(d, b), hn::Rebind<float, D>(), at);
      }
    });
  }

  // Weights have this part: see KeepsInRange().
  double part() const { return part_; }

 private:
  using D = hn::ScalableTag<Sum>;
  static constexpr int64_t kLine = 64 / sizeof(Sum);

  // Of `count` vectors, each one element behind the one before.
  static HWY_INLINE hn::Vec<D> SumFrom(D d, const Sum* first, int64_t count) {
    auto sum = hn::Zero(d);
    for (int64_t j = 0; j < count; ++j) sum = hn::Add(sum, hn::LoadU(d, first + j));
    return sum;
  }
  // Windows that are divided by a smaller number.
  template <typename T>
  HWY_INLINE void ScaleEnds(T* row) const {
    const auto scale = [&](int64_t o) {
      row[o] = static_cast<T>(static_cast<double>(row[o]) * (columns_[o].part * divisor_));
    };
    for (int64_t o = 0; o < whole_.begin; ++o) scale(o);
    for (int64_t o = whole_.end; o < axis_.out; ++o) scale(o);
  }

  Axis axis_;
  const MeanWindow* columns_;
  Sum* sums_;
  double divisor_, part_;  // of windows that are whole
  Range whole_;
};

// The same for windows of any kind.
class AnyRows {
 public:
  AnyRows(const MeanArgs& args, void* sums)
      : args_(args), sums_(static_cast<double*>(sums)), spread_(sums_ + args.width.out()) {}

  template <class Terms>
  void Mean(const Terms& terms, float* to) {
    AddWeighted(hn::ScalableTag<double>(), terms, args_.width.in(), false, sums_);
    for (int64_t o = 0; o < args_.width.out(); ++o) {
      const MeanWindow& window = args_.Columns()[o];
      double sum = 0;
      for (int64_t k = window.begin; k < window.end; ++k) sum += sums_[k];
      to[o] = static_cast<float>(sum * window.part);
    }
  }

  template <class Terms>
  void Gradient(const Terms& terms, float* to) {
    const int64_t in = args_.width.in();
    AddWeighted(hn::ScalableTag<double>(), terms, args_.width.out(), false, sums_);
    std::fill_n(spread_, in, 0.0);
    for (int64_t o = 0; o < args_.width.out(); ++o) {
      const MeanWindow& window = args_.Columns()[o];
      const double share = sums_[o] * window.part;
      for (int64_t k = window.begin; k < window.end; ++k) spread_[k] += share;
    }
    for (int64_t k = 0; k < in; ++k) to[k] = static_cast<float>(spread_[k]);
  }

  double part() const { return 1; }

 private:
  const MeanArgs& args_;
  double *sums_, *spread_;
};

// Rows [first, last) of means.
template <class Rows>
void MeanRows(const MeanArgs& args, int64_t first, int64_t last, Rows rows) {
  const int64_t lines_of_layer = args.height.in(), columns = args.width.in();
  RowAt at(first, args.depth.out(), args.height.out());
  for (int64_t r = first; r < last; ++r, at.Next()) {
    const float* const plane = args.from + at.plane * args.depth.in() * lines_of_layer * columns;
    const MeanWindow layers = args.Layers()[at.layer], lines = args.Lines()[at.line];
    const double weight = layers.part * lines.part * rows.part();
    const auto terms = [=](const auto& use) HWY_ATTR {
      for (int64_t z = layers.begin; z < layers.end; ++z) {
        for (int64_t i = lines.begin; i < lines.end; ++i) {
          use(plane + (z * lines_of_layer + i) * columns, weight);
        }
      }
    };
    rows.Mean(terms, args.to + r * args.width.out());
  }
}

// Rows [first, last) of the gradient of what the means were made of.
template <class Rows>
void GradientRows(const MeanArgs& args, int64_t first, int64_t last, Rows rows) {
  const int64_t lines_of_layer = args.height.out(), columns = args.width.out();
  const MeanWindow *const all_layers = args.Layers(), *const all_lines = args.Lines();
  RowAt at(first, args.depth.in(), args.height.in());
  Range layers = args.depth.Having(at.layer), lines = args.height.Having(at.line);
  for (int64_t r = first; r < last; ++r, at.Next()) {
    const float* const plane = args.from + at.plane * args.depth.out() * lines_of_layer * columns;
    float* const to = args.to + r * args.width.in();
    const bool follows = r > first && (at.layer > 0 || at.line > 0);
    const Range layers_before = layers, lines_before = lines;
    if (at.line == 0) {
      layers = args.depth.Having(at.layer);
      lines = args.height.Having(0);
    }
    while (lines.begin < lines_of_layer && all_lines[lines.begin].end <= at.line) ++lines.begin;
    while (lines.end < lines_of_layer && all_lines[lines.end].begin <= at.line) ++lines.end;
    if (follows && layers == layers_before && lines == lines_before) {
      // The windows that have it are those of the row before.
      std::copy_n(to - args.width.in(), args.width.in(), to);
      continue;
    }
    const double part = rows.part();
    const auto terms = [=](const auto& use) HWY_ATTR {
      for (int64_t z = layers.begin; z < layers.end; ++z) {
        const double part_of_layer = part * all_layers[z].part;
        for (int64_t i = lines.begin; i < lines.end; ++i) {
          use(plane + (z * lines_of_layer + i) * columns, part_of_layer * all_lines[i].part);
        }
      }
    };
    rows.Gradient(terms, to);
  }
}

void SomeRows(const MeanArgs& args, bool gradient, int64_t first, int64_t last, void* slot) {
  const auto compute = [&](auto rows) {
    gradient ? GradientRows(args, first, last, rows) : MeanRows(args, first, last, rows);
  };
  if (!IsSliding(args.width)) return compute(AnyRows(args, slot));
  // Elements of a window, or windows of an element.
  const auto most = [gradient](const MeanWindows& windows) {
    const Axis& axis = windows.axis();
    if (windows.adaptive()) {
      return (gradient ? CeilDivide(axis.out, axis.in) : CeilDivide(axis.in, axis.out)) + 1;
    }
    return gradient ? std::min(CeilDivide(axis.kernel, axis.stride), axis.out)
                    : std::min(axis.kernel, axis.in);
  };
  const int64_t rows = most(args.depth) * most(args.height), columns = most(args.width);
  const bool few = std::max(rows, columns) <= kFewTerms && args.KeepsInRange(rows * columns);
  few ? compute(SlidingRows<float>(args, slot)) : compute(SlidingRows<double>(args, slot));
}

}  // namespace HWY_NAMESPACE
}  // namespace aclimb::pooling
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclimb::pooling {
namespace {

HWY_EXPORT(SomeRows);

// `rows` of each plane of what is written, each with `to_row` elements, from planes of
// `from_plane`.
bool AllRows(const MeanArgs& args, bool gradient, int64_t rows, int64_t to_row,
             int64_t from_plane) {
  FindWindows(args);
  // What a row costs on the average: its part of all that is read, or more where windows overlap.
  const int64_t per_row = std::max<int64_t>(1, from_plane / std::max<int64_t>(1, rows) + to_row);
  const int64_t slot = MeanSlot(args.width);
  Slots slots(args.slots);
  return ParallelForAll(args.planes * rows, std::max<int64_t>(1, kPiece / per_row),
                        [&](int64_t first, int64_t last) {
                          const Slots::Lease lease(slots);
                          HWY_DYNAMIC_DISPATCH(SomeRows)
                          (args, gradient, first, last, args.rows + lease.number() * slot);
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
  if (out > 0 && in >= out && in % out == 0) {
    return Sliding({.in = in, .out = out, .kernel = in / out, .stride = in / out}, false);
  }
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
  MeanWindow* next = args.windows;
  for (const MeanWindows* each : {&args.depth, &args.height, &args.width}) {
    for (int64_t o = 0; o < each->out(); ++o) {
      const Range window = each->Of(o);
      const double divisor = args.divisor == 0     ? each->Divisor(o)
                             : each == &args.width ? args.divisor
                                                   : 1;
      *next++ = {window, window.size() == 0 ? 0 : 1 / divisor};
    }
  }
}

bool IsSliding(const MeanWindows& width) {
  return !width.adaptive() && width.axis().stride <= 2 && width.axis().kernel <= width.in();
}

int64_t MeanSlot(const MeanWindows& width) {
  // Vectors of every second element end behind the last one.
  constexpr int64_t kMostLanes = 16, kLine = 64 / sizeof(double);
  const int64_t padding = IsSliding(width) ? 2 * width.axis().kernel + 3 * kMostLanes : 0;
  return RoundUp(width.in() + width.out() + padding, kLine);
}

bool MeanPool(const MeanArgs& args) {
  return AllRows(args, false, args.depth.out() * args.height.out(), args.width.out(),
                 args.depth.in() * args.height.in() * args.width.in());
}

bool MeanGradient(const MeanArgs& args) {
  return AllRows(args, true, args.depth.in() * args.height.in(), args.width.in(),
                 args.depth.out() * args.height.out() * args.width.out());
}

}  // namespace aclimb::pooling
#endif
