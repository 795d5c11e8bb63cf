// The repair of gradWeight.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "aclimb/ops/convolution_backward/repair/repair_weight.cc"
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#include <hwy/foreach_target.h>
// foreach_target.h first: the -inl headers are included once per target.
#include <algorithm>
#include <cmath>

#include "aclimb/core/divide.h"
#include "aclimb/ops/convolution_backward/for_each.h"
#include "aclimb/ops/convolution_backward/long_sums.h"
#include "aclimb/ops/convolution_backward/repair/repair.h"
#include "aclimb/ops/convolution_backward/repair/repair_elements.h"
#include "aclimb/ops/convolution_backward/repair/repair_rows-inl.h"
#include "aclimb/ops/convolution_backward/taps.h"

#ifndef ACLIMB_REPAIR_WEIGHT_ONCE
#define ACLIMB_REPAIR_WEIGHT_ONCE
namespace aclimb::convolution_backward {

// Columns of a weight row, and taps along the width, that one block of sums has.
inline constexpr int64_t kBlockColumns = 16;
inline constexpr int64_t kBlockTaps = 8;

struct WeightRepair {
  const Geometry& g;
  const TensorView& x;
  const TensorView& y;
  const TensorView& weight;
  int64_t live_taps;  // taps that meet data somewhere
  // For every channel: a flag per tap, set when a NaN of the channel meets data (or a window) under
  // it, so that every sum of that tap is NaN; behind them one that is set when any value of the
  // channel is not finite.
  uint8_t* x_flags;
  uint8_t* y_flags;

  int64_t FlagStride() const { return g.KernelSize() + 1; }
};

}  // namespace aclimb::convolution_backward
#endif

HWY_BEFORE_NAMESPACE();
namespace aclimb {
namespace convolution_backward {
namespace HWY_NAMESPACE {

// Sets the flags of the taps under which element `at` of x or y has a partner. Returns how many
// were not set before.
int64_t MarkTaps(const Geometry& g, bool is_x, const int64_t (&at)[kDims], uint8_t* flags) {
  const auto has_partner = [&](int d, int64_t tap) {
    if (is_x) return WindowAt(g, d, at[d], tap) >= 0;
    const int64_t met = Meets(g, d, at[d], tap);
    return met >= 0 && met < g.in[d];
  };
  int64_t marked = 0;
  for (int64_t kd = 0; kd < g.kernel[0]; ++kd) {
    if (!has_partner(0, kd)) continue;
    for (int64_t kh = 0; kh < g.kernel[1]; ++kh) {
      if (!has_partner(1, kh)) continue;
      uint8_t* row = flags + (kd * g.kernel[1] + kh) * g.kernel[2];
      for (int64_t kw = 0; kw < g.kernel[2]; ++kw) {
        if (row[kw] != 0 || !has_partner(2, kw)) continue;
        row[kw] = 1;
        ++marked;
      }
    }
  }
  return marked;
}

void MarkChannel(const WeightRepair& repair, bool is_x, int64_t channel) {
  const Geometry& g = repair.g;
  const TensorView& view = is_x ? repair.x : repair.y;
  uint8_t* const flags = (is_x ? repair.x_flags : repair.y_flags) + channel * repair.FlagStride();
  std::fill_n(flags, repair.FlagStride(), uint8_t{0});
  HWY_ALIGN float row[kChunkRoom];
  int64_t open = repair.live_taps;
  int64_t at[kDims];
  for (int64_t n = 0; n < g.batch; ++n) {
    for (at[0] = 0; at[0] < view.shape[2]; ++at[0]) {
      for (at[1] = 0; at[1] < view.shape[3]; ++at[1]) {
        const int64_t line = n * view.stride[0] + channel * view.stride[1] +
                             at[0] * view.stride[2] + at[1] * view.stride[3];
        for (int64_t w = 0; w < view.shape[4]; w += kChunk) {
          const int64_t count = std::min(kChunk, view.shape[4] - w);
          LoadRow(view, line + w * view.stride[4], view.stride[4], count, row);
          const uint32_t largest = LargestBits(row, count);
          if (largest < kInfinityBits) continue;
          flags[g.KernelSize()] = 1;
          if (largest == kInfinityBits) continue;
          for (int64_t i = 0; i < count; ++i) {
            if (row[i] == row[i]) continue;
            at[2] = w + i;
            open -= MarkTaps(g, is_x, at, flags);
            if (open == 0) return;
          }
        }
      }
    }
  }
}

// A block of sums: columns [column, column + columns) of a row of the weight, taps [tap, tap +
// taps) of one line of the kernel.
struct Block {
  int64_t row, column, columns;
  int64_t depth, height, tap, taps;
  bool wanted[kBlockColumns][kBlockTaps];
  bool any_of[kBlockColumns];
  double sum[kBlockColumns][kBlockTaps];

  // Leaves out what is NaN by now. False when nothing is left.
  bool Narrow() {
    bool any = false;
    for (int64_t c = 0; c < columns; ++c) {
      any_of[c] = false;
      for (int64_t t = 0; t < taps; ++t) {
        wanted[c][t] = wanted[c][t] && sum[c][t] == sum[c][t];
        any_of[c] = any_of[c] || wanted[c][t];
      }
      any = any || any_of[c];
    }
    return any;
  }
};

// sum += left * right over `count` elements, `sum` being a vector in memory.
HWY_INLINE void AddDot(const float* left, const float* right, int64_t count, float* sum) {
  const hn::ScalableTag<float> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  auto total = hn::Load(d, sum);
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    total = hn::MulAdd(hn::LoadU(d, left + i), hn::LoadU(d, right + i), total);
  }
  if (i < count) {
    const auto inside = hn::FirstN(d, static_cast<size_t>(count - i));
    total = hn::MulAdd(hn::IfThenElseZero(inside, hn::LoadU(d, left + i)),
                       hn::IfThenElseZero(inside, hn::LoadU(d, right + i)), total);
  }
  hn::Store(total, d, sum);
}

// Adds the terms of the block that lie in images, by rows. With `special_only`, only rows of y and
// x that have something that is not finite: that settles most sums which infinities make NaN.
// False when nothing is wanted any more.
bool AddRows(const WeightRepair& repair, Block& block, bool special_only) {
  const Geometry& g = repair.g;
  const TensorView& x = repair.x;
  const TensorView& y = repair.y;
  const hn::ScalableTag<float> d;
  constexpr int64_t kMaxLanes = HWY_MAX_BYTES / sizeof(float);
  HWY_ALIGN float left[kChunkRoom];
  HWY_ALIGN float right[2 * kChunkRoom];
  HWY_ALIGN float sums[kBlockColumns][kBlockTaps][kMaxLanes];
  const int64_t x_channel = block.row / g.y_channels * g.x_channels + block.column;
  const Span depths = WindowsInside(g, 0, block.depth);
  const Span heights = WindowsInside(g, 1, block.height);
  Span widths[kBlockTaps];
  for (int64_t t = 0; t < block.taps; ++t) widths[t] = WindowsInside(g, 2, block.tap + t);
  // All taps of a row of x from one load, when their positions are neighbours.
  const int64_t spread = (block.taps - 1) * g.dilation[2];
  const bool share = g.stride[2] == 1 && spread <= kChunk;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  std::fill_n(&sums[0][0][0], kBlockColumns * kBlockTaps * kMaxLanes, 0.0f);
  int64_t terms = 0;  // of each lane
  const auto fold = [&]() HWY_ATTR {
    for (int64_t c = 0; c < block.columns; ++c) {
      for (int64_t t = 0; t < block.taps; ++t) {
        block.sum[c][t] +=
            static_cast<double>(hn::GetLane(hn::SumOfLanes(d, hn::Load(d, sums[c][t]))));
        std::fill_n(sums[c][t], lanes, 0.0f);
      }
    }
    terms = 0;
  };
  for (int64_t n = 0; n < g.batch; ++n) {
    for (int64_t od = depths.begin; od < depths.end; ++od) {
      const int64_t id = Meets(g, 0, od, block.depth);
      for (int64_t oh = heights.begin; oh < heights.end; ++oh) {
        const int64_t ih = Meets(g, 1, oh, block.height);
        const int64_t y_line =
            n * y.stride[0] + block.row * y.stride[1] + od * y.stride[2] + oh * y.stride[3];
        for (int64_t w = 0; w < g.out[2]; w += kChunk) {
          const int64_t end = std::min(w + kChunk, g.out[2]);
          const int64_t more = CeilDivide(end - w, lanes);
          if (terms + more > BlockTerms(DType::kFloat32)) fold();
          terms += more;
          LoadRow(y, y_line + w * y.stride[4], y.stride[4], end - w, left);
          const bool special = special_only && LargestBits(left, end - w) >= kInfinityBits;
          for (int64_t c = 0; c < block.columns; ++c) {
            if (!block.any_of[c]) continue;
            if (special_only && !special &&
                repair.x_flags[(x_channel + c + 1) * repair.FlagStride() - 1] == 0) {
              continue;
            }
            const int64_t x_line = n * x.stride[0] + (x_channel + c) * x.stride[1] +
                                   id * x.stride[2] + ih * x.stride[3];
            int64_t first = 0;
            if (share) {
              first = std::max<int64_t>(0, Meets(g, 2, w, block.tap));
              const int64_t last = std::min(g.in[2], Meets(g, 2, end - 1, block.tap) + spread + 1);
              for (int64_t at = first; at < last; at += kChunk) {
                LoadRow(x, x_line + at * x.stride[4], x.stride[4], std::min(kChunk, last - at),
                        right + at - first);
              }
            }
            for (int64_t t = 0; t < block.taps; ++t) {
              const int64_t low = std::max(w, widths[t].begin), high = std::min(end, widths[t].end);
              if (!block.wanted[c][t] || low >= high) continue;
              const int64_t met = Meets(g, 2, low, block.tap + t);
              if (!share) {
                LoadRow(x, x_line + met * x.stride[4],
                        StepWithin(g.stride[2], g.in[2]) * x.stride[4], high - low, right);
                first = met;
              }
              AddDot(left + low - w, right + met - first, high - low, sums[c][t]);
            }
          }
        }
      }
    }
    fold();
    if (!block.Narrow()) return false;
  }
  return true;
}

void RepairColumns(const WeightRepair& repair, int64_t row, int64_t column) {
  const Geometry& g = repair.g;
  const TensorView& weight = repair.weight;
  const uint8_t* const y_flags = repair.y_flags + row * repair.FlagStride();
  const uint8_t* const x_flags =
      repair.x_flags + (row / g.y_channels * g.x_channels + column) * repair.FlagStride();
  Block block;
  block.row = row;
  block.column = column;
  block.columns = std::min(kBlockColumns, g.x_channels - column);
  bool special = y_flags[g.KernelSize()] != 0;
  for (int64_t c = 0; c < block.columns; ++c) {
    special = special || x_flags[(c + 1) * repair.FlagStride() - 1] != 0;
  }
  if (!special) return;
  const auto each = [&](auto&& body) {
    for (int64_t c = 0; c < block.columns; ++c) {
      const int64_t base = row * weight.stride[0] + (column + c) * weight.stride[1] +
                           block.depth * weight.stride[2] + block.height * weight.stride[3];
      for (int64_t t = 0; t < block.taps; ++t) {
        body(c, t, base + (block.tap + t) * weight.stride[4]);
      }
    }
  };
  for (block.depth = 0; block.depth < g.kernel[0]; ++block.depth) {
    for (block.height = 0; block.height < g.kernel[1]; ++block.height) {
      for (block.tap = 0; block.tap < g.kernel[2]; block.tap += kBlockTaps) {
        block.taps = std::min(kBlockTaps, g.kernel[2] - block.tap);
        const int64_t first = (block.depth * g.kernel[1] + block.height) * g.kernel[2] + block.tap;
        each([&](int64_t c, int64_t t, int64_t at) {
          block.sum[c][t] = 0;
          block.wanted[c][t] = y_flags[first + t] == 0 &&
                               x_flags[c * repair.FlagStride() + first + t] == 0 &&
                               std::isnan(ReadElement(weight, at));
        });
        if (!block.Narrow() || !AddRows(repair, block, true)) continue;
        each([&](int64_t c, int64_t t, int64_t) { block.sum[c][t] = 0; });
        if (!AddRows(repair, block, false)) continue;
        each([&](int64_t c, int64_t t, int64_t at) {
          if (block.wanted[c][t]) WriteElement(weight, at, static_cast<float>(block.sum[c][t]));
        });
      }
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace convolution_backward
}  // namespace aclimb
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclimb::convolution_backward {

HWY_EXPORT(MarkChannel);
HWY_EXPORT(RepairColumns);

int64_t RepairScratchBytes(const Geometry& g) {
  int64_t bytes;
  return __builtin_mul_overflow(g.groups * (g.x_channels + g.y_channels), g.KernelSize() + 1,
                                &bytes)
             ? -1
             : bytes;
}

void RepairGradWeight(const Geometry& g, const TensorView& x, const TensorView& y,
                      const TensorView& weight, void* scratch, bool parallel) {
  const int64_t x_channels = g.groups * g.x_channels, y_channels = g.groups * g.y_channels;
  WeightRepair repair{g, x, y, weight, 1, static_cast<uint8_t*>(scratch), nullptr};
  repair.y_flags = repair.x_flags + x_channels * repair.FlagStride();
  for (int d = 0; d < kDims; ++d) {
    int64_t live = 0;
    for (int64_t tap = 0; tap < g.kernel[d]; ++tap) live += !WindowsInside(g, d, tap).Empty();
    repair.live_taps *= live;
  }
  ForEach(x_channels + y_channels, parallel, [&](int64_t i) {
    HWY_DYNAMIC_DISPATCH(MarkChannel)(repair, i < x_channels, i < x_channels ? i : i - x_channels);
  });
  const int64_t blocks = CeilDivide(g.x_channels, kBlockColumns);
  ForEach(y_channels * blocks, parallel, [&](int64_t i) {
    HWY_DYNAMIC_DISPATCH(RepairColumns)(repair, i / blocks, i % blocks * kBlockColumns);
  });
}

}  // namespace aclimb::convolution_backward
#endif
