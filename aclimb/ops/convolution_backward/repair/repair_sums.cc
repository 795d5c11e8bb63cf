// The repair of the sums over source channels and taps.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "aclimb/ops/convolution_backward/repair/repair_sums.cc"
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#include <hwy/foreach_target.h>
// foreach_target.h first: the -inl headers are included once per target.
#include <algorithm>
#include <cmath>

#include "aclimb/core/divide.h"
#include "aclimb/ops/convolution_backward/for_each.h"
#include "aclimb/ops/convolution_backward/repair/repair.h"
#include "aclimb/ops/convolution_backward/repair/repair_elements.h"
#include "aclimb/ops/convolution_backward/repair/repair_rows-inl.h"
#include "aclimb/ops/convolution_backward/taps.h"

#ifndef ACLIMB_REPAIR_SUMS_ONCE
#define ACLIMB_REPAIR_SUMS_ONCE
namespace aclimb::convolution_backward {

struct SumsRepair {
  const Geometry& g;
  Task task;
  const TensorView& source;
  const TensorView& target;
  const TensorView& weight;
  Suspects suspects;

  bool IsForward() const { return task == Task::kForward; }
  int64_t Sources() const { return SourceChannels(g, task); }
  int64_t Channels() const { return ResultChannels(g, task); }
  int64_t WeightOffset(int64_t group, int64_t channel, int64_t from) const {
    return (group * g.y_channels + (IsForward() ? channel : from)) * weight.stride[0] +
           (IsForward() ? from : channel) * weight.stride[1];
  }
  // Where position `at` of the target finds the source under a tap; -1 when nowhere.
  int64_t SourceAt(int d, int64_t at, int64_t tap) const {
    return convolution_backward::SourceAt(g, task, d, at, tap);
  }
};

}  // namespace aclimb::convolution_backward
#endif

HWY_BEFORE_NAMESPACE();
namespace aclimb {
namespace convolution_backward {
namespace HWY_NAMESPACE {

// Positions of one row of the target that meet the same taps: `first`, `first + step`, ... A stride
// splits the rows of x so.
struct Lattice {
  int64_t image, group, channel;
  int64_t depth, height;
  int64_t first, step, count;
  int64_t offset;  // of the first in the target
};

// Which positions of the lattice, counted from 0, have a source under tap kw, and where the first
// of them finds it.
struct Reach {
  Span inside;
  int64_t source;
};

Reach ReachOf(const SumsRepair& repair, const Lattice& at, int64_t tap) {
  const Geometry& g = repair.g;
  if (repair.IsForward()) {
    const Span windows = WindowsInside(g, 2, tap);
    const Span inside = {std::max<int64_t>(windows.begin - at.first, 0),
                         std::min(windows.end - at.first, at.count)};
    return {inside, Meets(g, 2, at.first + inside.begin, tap)};
  }
  const int64_t scaled = at.first + g.pad_begin[2] - tap * g.dilation[2];
  if (scaled % g.stride[2] != 0) return {{0, 0}, 0};
  const int64_t o = scaled / g.stride[2];  // of position 0
  const Span inside = {std::max<int64_t>(-o, 0), std::min(g.out[2] - o, at.count)};
  return {inside, o + inside.begin};
}

// sums[i] += weight * source for the positions [from, to) of the lattice, under one tap of one
// source channel.
HWY_INLINE void AddTap(const SumsRepair& repair, const Lattice& at, Span range, int64_t line,
                       int64_t tap, float weight, float* buffer, double* sums) {
  const Reach reach = ReachOf(repair, at, tap);
  const int64_t low = std::max(range.begin, reach.inside.begin);
  const int64_t high = std::min(range.end, reach.inside.end);
  if (low >= high) return;
  const int64_t step =
      repair.IsForward() ? StepWithin(repair.g.stride[2], repair.source.shape[4]) : 1;
  const int64_t position = reach.source + (low - reach.inside.begin) * step;
  const int64_t stride = repair.source.stride[4];
  LoadRow(repair.source, line + position * stride, step * stride, high - low, buffer);
  double* const to = sums + low - range.begin;
  for (int64_t i = 0; i < high - low; ++i) {
    to[i] += static_cast<double>(weight) * static_cast<double>(buffer[i]);
  }
}

// The weights of a target channel that are not finite, as many as there is room for.
struct SpecialWeights {
  static constexpr int64_t kRoom = 64;
  struct Entry {
    int64_t source;
    int64_t tap[kDims];
    float value;
  };
  Entry entries[kRoom];
  int64_t count = 0;
};

void FindSpecial(const SumsRepair& repair, int64_t group, int64_t channel,
                 SpecialWeights& special) {
  const Geometry& g = repair.g;
  const TensorView& weight = repair.weight;
  HWY_ALIGN float row[kChunkRoom];
  for (int64_t s = 0; s < repair.Sources(); ++s) {
    const int64_t base = repair.WeightOffset(group, channel, s);
    for (int64_t kd = 0; kd < g.kernel[0]; ++kd) {
      for (int64_t kh = 0; kh < g.kernel[1]; ++kh) {
        const int64_t line = base + kd * weight.stride[2] + kh * weight.stride[3];
        for (int64_t w = 0; w < g.kernel[2]; w += kChunk) {
          const int64_t count = std::min(kChunk, g.kernel[2] - w);
          LoadRow(weight, line + w * weight.stride[4], weight.stride[4], count, row);
          for (int64_t i = 0; i < count; ++i) {
            if (std::isfinite(row[i])) continue;
            special.entries[special.count++] = {s, {kd, kh, w + i}, row[i]};
            if (special.count == SpecialWeights::kRoom) return;
          }
        }
      }
    }
  }
}

// One element by the definition, for the few that no row shares.
double OneSum(const SumsRepair& repair, const Lattice& at, int64_t index) {
  const Geometry& g = repair.g;
  const TensorView& source = repair.source;
  const TensorView& weight = repair.weight;
  double sum = 0;
  for (int64_t kd = 0; kd < g.kernel[0]; ++kd) {
    const int64_t sd = repair.SourceAt(0, at.depth, kd);
    if (sd < 0) continue;
    for (int64_t kh = 0; kh < g.kernel[1]; ++kh) {
      const int64_t sh = repair.SourceAt(1, at.height, kh);
      if (sh < 0) continue;
      for (int64_t kw = 0; kw < g.kernel[2]; ++kw) {
        const int64_t sw = repair.SourceAt(2, at.first + index * at.step, kw);
        if (sw < 0) continue;
        int64_t from = at.image * source.stride[0] +
                       at.group * repair.Sources() * source.stride[1] + sd * source.stride[2] +
                       sh * source.stride[3] + sw * source.stride[4];
        const int64_t tap = kd * weight.stride[2] + kh * weight.stride[3] + kw * weight.stride[4];
        for (int64_t s = 0; s < repair.Sources(); ++s, from += source.stride[1]) {
          const int64_t w = repair.WeightOffset(at.group, at.channel, s) + tap;
          sum += static_cast<double>(ReadElement(weight, w)) *
                 static_cast<double>(ReadElement(source, from));
        }
        if (sum != sum) return sum;
      }
    }
  }
  return sum;
}

// All terms of the positions [range) of the lattice.
void AllSums(const SumsRepair& repair, const Lattice& at, Span range, float* buffer, double* sums) {
  const Geometry& g = repair.g;
  const TensorView& source = repair.source;
  const TensorView& weight = repair.weight;
  const int64_t count = range.end - range.begin;
  if (count < 4) {
    for (int64_t i = 0; i < count; ++i) sums[i] = OneSum(repair, at, range.begin + i);
    return;
  }
  std::fill_n(sums, count, 0.0);
  for (int64_t s = 0; s < repair.Sources(); ++s) {
    const int64_t base = repair.WeightOffset(at.group, at.channel, s);
    const int64_t plane =
        at.image * source.stride[0] + (at.group * repair.Sources() + s) * source.stride[1];
    for (int64_t kd = 0; kd < g.kernel[0]; ++kd) {
      const int64_t sd = repair.SourceAt(0, at.depth, kd);
      if (sd < 0) continue;
      for (int64_t kh = 0; kh < g.kernel[1]; ++kh) {
        const int64_t sh = repair.SourceAt(1, at.height, kh);
        if (sh < 0) continue;
        const int64_t line = plane + sd * source.stride[2] + sh * source.stride[3];
        const int64_t taps = base + kd * weight.stride[2] + kh * weight.stride[3];
        for (int64_t kw = 0; kw < g.kernel[2]; ++kw) {
          AddTap(repair, at, range, line, kw, ReadElement(weight, taps + kw * weight.stride[4]),
                 buffer, sums);
        }
      }
    }
    if (std::all_of(sums, sums + count, [](double sum) { return sum != sum; })) return;
  }
}

// The first run of NaNs in [from, count); empty when there is none.
Span NextNaNs(const float* row, int64_t from, int64_t count) {
  while (from < count && row[from] == row[from]) ++from;
  int64_t end = from;
  while (end < count && row[end] != row[end]) ++end;
  return {from, end};
}

void RepairLattice(const SumsRepair& repair, const Lattice& at, const SpecialWeights& special) {
  const TensorView& target = repair.target;
  const TensorView& source = repair.source;
  const int64_t stride = at.step * target.stride[4];
  HWY_ALIGN float row[kChunkRoom], buffer[kChunkRoom];
  double sums[kChunk];
  LoadRow(target, at.offset, stride, at.count, row);
  if (LargestBits(row, at.count) <= kInfinityBits) return;
  // Where a NaN of the weight meets anything, the NaN is real.
  for (int64_t i = 0; i < special.count; ++i) {
    const SpecialWeights::Entry& entry = special.entries[i];
    if (entry.value == entry.value) continue;
    if (repair.SourceAt(0, at.depth, entry.tap[0]) < 0) continue;
    if (repair.SourceAt(1, at.height, entry.tap[1]) < 0) continue;
    const Span inside = ReachOf(repair, at, entry.tap[2]).inside;
    if (inside.Empty()) continue;
    std::fill(row + inside.begin, row + inside.end, 0.0f);
    if (inside.end - inside.begin == at.count) return;
  }
  // What is left, run by run.
  for (Span run = NextNaNs(row, 0, at.count); !run.Empty();
       run = NextNaNs(row, run.end, at.count)) {
    const int64_t count = run.end - run.begin;
    // Infinite weights alone settle most.
    std::fill_n(sums, count, 0.0);
    for (int64_t i = 0; i < special.count; ++i) {
      const SpecialWeights::Entry& entry = special.entries[i];
      const int64_t sd = repair.SourceAt(0, at.depth, entry.tap[0]);
      const int64_t sh = repair.SourceAt(1, at.height, entry.tap[1]);
      if (sd < 0 || sh < 0) continue;
      const int64_t line = at.image * source.stride[0] +
                           (at.group * repair.Sources() + entry.source) * source.stride[1] +
                           sd * source.stride[2] + sh * source.stride[3];
      AddTap(repair, at, run, line, entry.tap[2], entry.value, buffer, sums);
    }
    for (int64_t i = 0; i < count; ++i) {
      if (sums[i] != sums[i]) row[run.begin + i] = 0.0f;
    }
  }
  for (Span run = NextNaNs(row, 0, at.count); !run.Empty();
       run = NextNaNs(row, run.end, at.count)) {
    AllSums(repair, at, run, buffer, sums);
    for (int64_t i = run.begin; i < run.end; ++i) {
      WriteElement(target, at.offset + i * stride, static_cast<float>(sums[i - run.begin]));
    }
  }
}

// One channel of one image of the target.
void RepairPlane(const SumsRepair& repair, int64_t image, int64_t group, int64_t channel) {
  const Geometry& g = repair.g;
  const TensorView& target = repair.target;
  SpecialWeights special;
  FindSpecial(repair, group, channel, special);
  if (special.count == 0 && repair.suspects == Suspects::kWeights) return;
  const int64_t step = repair.IsForward() ? 1 : StepWithin(g.stride[2], target.shape[4]);
  const int64_t base =
      image * target.stride[0] + (group * repair.Channels() + channel) * target.stride[1];
  Lattice at = {image, group, channel, 0, 0, 0, step, 0, 0};
  for (at.depth = 0; at.depth < target.shape[2]; ++at.depth) {
    for (at.height = 0; at.height < target.shape[3]; ++at.height) {
      for (int64_t phase = 0; phase < step; ++phase) {
        for (at.first = phase; at.first < target.shape[4]; at.first += kChunk * step) {
          at.count = std::min(kChunk, CeilDivide(target.shape[4] - at.first, step));
          at.offset = base + at.depth * target.stride[2] + at.height * target.stride[3] +
                      at.first * target.stride[4];
          RepairLattice(repair, at, special);
        }
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

HWY_EXPORT(RepairPlane);

void RepairSums(const Geometry& g, Task task, const TensorView& x, const TensorView& y,
                const TensorView& weight, Suspects suspects, bool parallel) {
  const bool forward = task == Task::kForward;
  const SumsRepair repair{g, task, forward ? x : y, forward ? y : x, weight, suspects};
  ForEach(g.batch * g.groups * repair.Channels(), parallel, [&](int64_t i) {
    // Images innermost: a single channel's are then shared by the team.
    const int64_t plane = i / g.batch;
    HWY_DYNAMIC_DISPATCH(RepairPlane)
    (repair, i % g.batch, plane / repair.Channels(), plane % repair.Channels());
  });
}

}  // namespace aclimb::convolution_backward
#endif
