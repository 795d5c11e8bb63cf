#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "aclimb/ops/pooling/side_by_side_kernels.cc"
#include <hwy/foreach_target.h>
// foreach_target.h first: the -inl headers are included once per target.
#include <algorithm>
#include <limits>
#include <utility>

#include "aclimb/copy/transpose.h"
#include "aclimb/ops/pooling/kernels.h"
#include "aclimb/simd/parallel.h"
#include "aclimb/simd/transpose-inl.h"
#include "aclimb/simd/weighted-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclimb::pooling {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using namespace aclimb::HWY_NAMESPACE;  // NOLINT: the per-target toolbox

constexpr size_t kLanes = hn::MaxLanes(hn::ScalableTag<float>());

// Row `r` of windows, where planes lie side by side; lanes are planes. Elements are compared as by
// MaxPool().
template <bool kIndexed>
void MaxRow(const MaxArgs& args, int64_t r, float* to, int32_t* indices) {
  const Windows& windows = args.windows;
  const Axis &depth = windows.depth, &height = windows.height, &width = windows.width;
  const int64_t rows = depth.out * height.out, row = r % rows, inner = windows.inner;
  const int64_t layer = row / height.out, line = row % height.out;
  const Range layers = depth.Taps(layer), lines = height.Taps(line);
  const float* const planes =
      static_cast<const float*>(args.input) + r / rows * windows.In() * inner;
  const int64_t column_step = width.dilation, line_step = height.dilation * width.in;
  const int64_t layer_step = depth.dilation * height.in * width.in;
  for (int64_t o = 0; o < width.out; ++o) {
    const Range columns = width.Taps(o);
    const bool empty = layers.size() == 0 || lines.size() == 0 || columns.size() == 0;
    const int64_t start = (depth.Start(layer) * height.in + height.Start(line)) * width.in +
                          width.Start(o) + columns.begin * column_step;
    const int64_t first = empty ? -1 : start + layers.begin * layer_step + lines.begin * line_step;
    EachVector<float, kLanes, 1>(inner, [&](auto d, int64_t c) HWY_ATTR {
      const hn::RebindToSigned<decltype(d)> di;
      auto best = empty ? hn::Set(d, -std::numeric_limits<float>::infinity())
                        : hn::LoadU(d, planes + first * inner + c);
      auto index = hn::Set(di, static_cast<int32_t>(first));
      const auto steps = hn::Set(di, static_cast<int32_t>(column_step));
      for (int64_t z = layers.begin; z < layers.end; ++z) {
        for (int64_t i = lines.begin; i < lines.end; ++i) {
          const int64_t line_start = start + z * layer_step + i * line_step;
          const float* from = planes + line_start * inner + c;
          auto at = hn::Set(di, static_cast<int32_t>(line_start));
          for (int64_t j = columns.size(); j > 0; --j) {
            const auto x = hn::LoadU(d, from);
            const auto larger = hn::Or(hn::Gt(x, best), hn::IsNaN(x));
            best = hn::IfThenElse(larger, x, best);
            if constexpr (kIndexed) {
              index = hn::IfThenElse(hn::RebindMask(di, larger), at, index);
              at = hn::Add(at, steps);
            }
            from += column_step * inner;
          }
        }
      }
      hn::StoreU(best, d, to + o * inner + c);
      if constexpr (kIndexed) hn::StoreU(index, di, indices + o * inner + c);
    });
  }
}

void MaxRowOfEither(const MaxArgs& args, int64_t r, float* to, int32_t* indices) {
  indices == nullptr ? MaxRow<false>(args, r, to, nullptr) : MaxRow<true>(args, r, to, indices);
}

constexpr size_t kDoubles = hn::MaxLanes(hn::ScalableTag<double>());

// Sums of more terms are made in double.
constexpr int64_t kFewTerms = 16;

void MeanRow(const MeanArgs& args, int64_t r, float* to) {
  const MeanWindows &depth = args.depth, &height = args.height, &width = args.width;
  const int64_t rows = depth.out() * height.out(), row = r % rows, inner = args.inner;
  const int64_t layer = row / height.out(), line = row % height.out();
  const MeanWindow layers = args.Layers()[layer], lines = args.Lines()[line];
  const float* const planes = args.from + r / rows * depth.in() * height.in() * width.in() * inner;
  const double part = layers.part * lines.part;
  const MeanWindow* const columns = args.Columns();
  for (int64_t o = 0; o < width.out(); ++o) {
    const MeanWindow window = columns[o];
    const double factor = part * window.part;
    const int64_t terms = layers.size() * lines.size() * window.size();
    if (terms > 0 && terms <= kFewTerms && args.KeepsInRange(terms)) {
      const auto each = [&](const auto& use) HWY_ATTR {
        for (int64_t z = layers.begin; z < layers.end; ++z) {
          for (int64_t i = lines.begin; i < lines.end; ++i) {
            const float* const from = planes + (z * height.in() + i) * width.in() * inner;
            for (int64_t k = window.begin; k < window.end; ++k) use(from + k * inner, factor);
          }
        }
      };
      AddWeighted(hn::ScalableTag<float>(), each, inner, false, to + o * inner);
      continue;
    }
    EachVector<double, kDoubles, 1>(inner, [&](auto d, int64_t c) HWY_ATTR {
      auto sum = hn::Zero(d);
      for (int64_t z = layers.begin; z < layers.end; ++z) {
        for (int64_t i = lines.begin; i < lines.end; ++i) {
          const float* const from = planes + (z * height.in() + i) * width.in() * inner + c;
          for (int64_t k = window.begin; k < window.end; ++k) {
            sum = hn::Add(sum, LoadAs(d, from + k * inner));
          }
        }
      }
      StoreAs(d, hn::Mul(sum, hn::Set(d, factor)), false, to + o * inner + c);
    });
  }
}

// to = x * factor, or to += that.
HWY_INLINE void AddScaled(const float* x, double factor, bool first, int64_t count, float* to) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto by = static_cast<float>(factor);
  const auto factors = hn::Set(d, by);
  int64_t c = 0;
  for (; c + lanes <= count; c += lanes) {
    const auto before = first ? hn::Zero(d) : hn::LoadU(d, to + c);
    hn::StoreU(hn::MulAdd(hn::LoadU(d, x + c), factors, before), d, to + c);
  }
  for (; c < count; ++c) to[c] = (first ? 0 : to[c]) + x[c] * by;
}

// Row `r` of the gradient of what the means were made of.
void GradientRow(const MeanArgs& args, int64_t r, Range layers, Range lines) {
  const MeanWindows &depth = args.depth, &height = args.height, &width = args.width;
  const int64_t inner = args.inner, rows = depth.in() * height.in();
  const float* const planes =
      args.from + r / rows * depth.out() * height.out() * width.out() * inner;
  const MeanWindow* const columns = args.Columns();
  Range windows;
  for (int64_t k = 0; k < width.in(); ++k) {
    // Those that have the element.
    while (windows.begin < width.out() && columns[windows.begin].end <= k) ++windows.begin;
    while (windows.end < width.out() && columns[windows.end].begin <= k) ++windows.end;
    float* const to = args.to + (r * width.in() + k) * inner;
    const int64_t terms = layers.size() * lines.size() * windows.size();
    if (terms > 0 && terms <= kFewTerms && args.KeepsInRange(terms)) {
      bool first = true;
      for (int64_t z = layers.begin; z < layers.end; ++z) {
        for (int64_t i = lines.begin; i < lines.end; ++i) {
          const double part = args.Layers()[z].part * args.Lines()[i].part;
          const float* const from = planes + (z * height.out() + i) * width.out() * inner;
          for (int64_t o = windows.begin; o < windows.end; ++o) {
            AddScaled(from + o * inner, part * columns[o].part, std::exchange(first, false), inner,
                      to);
          }
        }
      }
      continue;
    }
    EachVector<double, kDoubles, 1>(inner, [&](auto d, int64_t c) HWY_ATTR {
      auto sum = hn::Zero(d);
      for (int64_t z = layers.begin; z < layers.end; ++z) {
        for (int64_t i = lines.begin; i < lines.end; ++i) {
          const double part = args.Layers()[z].part * args.Lines()[i].part;
          const float* const from = planes + (z * height.out() + i) * width.out() * inner + c;
          for (int64_t o = windows.begin; o < windows.end; ++o) {
            const auto factor = hn::Set(d, part * columns[o].part);
            sum = hn::MulAdd(LoadAs(d, from + o * inner), factor, sum);
          }
        }
      }
      StoreAs(d, sum, false, to + c);
    });
  }
}

void GradientRows(const MeanArgs& args, int64_t first, int64_t last) {
  const int64_t lines_of_layer = args.height.in(),
                lines_of_plane = args.depth.in() * lines_of_layer;
  const int64_t size = args.width.in() * args.inner;
  Range layers, lines;
  for (int64_t r = first; r < last; ++r) {
    const Range other_layers = args.depth.Having(r % lines_of_plane / lines_of_layer);
    const Range other_lines = args.height.Having(r % lines_of_layer);
    const bool follows = r > first && r % lines_of_plane != 0;
    if (follows && other_layers == layers && other_lines == lines) {
      // The windows that have it are those of the row before.
      std::copy_n(args.to + (r - 1) * size, size, args.to + r * size);
      continue;
    }
    layers = other_layers;
    lines = other_lines;
    GradientRow(args, r, layers, lines);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace aclimb::pooling
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclimb::pooling {
namespace {

HWY_EXPORT(MaxRowOfEither);
HWY_EXPORT(MeanRow);
HWY_EXPORT(GradientRows);

// Row `r` of planes side by side goes to its place in planes that lie one after the other, each of
// so many rows.
void PutRow(const void* row, int64_t r, int64_t rows, int64_t width, int64_t inner, char* planes) {
  const int64_t first = (r / rows * inner * rows + r % rows) * width;
  copy::Transpose(sizeof(float), row, inner, width, inner, planes + first * int64_t{sizeof(float)},
                  rows * width);
}

}  // namespace

bool MaxPoolSideBySide(const MaxArgs& args) {
  const Windows& windows = args.windows;
  const int64_t rows = windows.depth.out * windows.height.out, width = windows.width.out;
  const int64_t inner = windows.inner, size = width * inner;
  char* const indices = args.indices.at;
  auto* const output = static_cast<float*>(args.output);
  return ForEachUnit(
      windows.planes * rows, std::max<int64_t>(1, kPiece / (size * windows.Taps())), args.rows,
      [&](int64_t r, char* scratch) {
        const bool direct = args.rows.data == nullptr;
        float* const to = direct ? output + r * size : reinterpret_cast<float*>(scratch);
        int32_t* const told = indices == nullptr ? nullptr
                              : direct           ? reinterpret_cast<int32_t*>(indices) + r * size
                                                 : reinterpret_cast<int32_t*>(scratch) + size;
        HWY_DYNAMIC_DISPATCH(MaxRowOfEither)(args, r, to, told);
        if (direct) return;
        PutRow(to, r, rows, width, inner, reinterpret_cast<char*>(output));
        if (told != nullptr) PutRow(told, r, rows, width, inner, indices);
      });
}

bool MeanPoolSideBySide(const MeanArgs& args) {
  FindWindows(args);
  const int64_t rows = args.depth.out() * args.height.out(), width = args.width.out();
  const int64_t size = width * args.inner;
  const int64_t read = args.depth.in() * args.height.in() * args.width.in() * args.inner;
  return ForEachUnit(args.planes * rows, std::max<int64_t>(1, kPiece / (size + read / rows)),
                     args.side_by_side, [&](int64_t r, char* scratch) {
                       const bool direct = args.side_by_side.data == nullptr;
                       float* const to =
                           direct ? args.to + r * size : reinterpret_cast<float*>(scratch);
                       HWY_DYNAMIC_DISPATCH(MeanRow)(args, r, to);
                       if (!direct)
                         PutRow(to, r, rows, width, args.inner, reinterpret_cast<char*>(args.to));
                     });
}

bool MeanGradientSideBySide(const MeanArgs& args) {
  FindWindows(args);
  const int64_t size = args.width.in() * args.inner;
  return ParallelForAll(args.planes * args.depth.in() * args.height.in(),
                        std::max<int64_t>(1, kPiece / size), [&](int64_t first, int64_t last) {
                          HWY_DYNAMIC_DISPATCH(GradientRows)(args, first, last);
                        });
}

}  // namespace aclimb::pooling
#endif
