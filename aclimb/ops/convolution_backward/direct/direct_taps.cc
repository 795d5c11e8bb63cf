// Sums over source channels and taps, for the gradient of x and for the forward convolution.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "aclimb/ops/convolution_backward/direct/direct_taps.cc"
// Register blocks are arrays of vectors, which scalable vectors cannot be.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#include <hwy/foreach_target.h>
// foreach_target.h first: the -inl headers are included once per target.
#include <cstring>

#include "aclimb/ops/convolution_backward/ahead.h"
#include "aclimb/ops/convolution_backward/direct/direct.h"
#include "aclimb/ops/convolution_backward/direct/flat_planes-inl.h"
#include "aclimb/ops/convolution_backward/elements.h"
#include "aclimb/simd/factors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclimb {
namespace convolution_backward {
namespace HWY_NAMESPACE {

using Tag = hn::ScalableTag<float>;
using aclimb::HWY_NAMESPACE::MultiplyAdd, aclimb::HWY_NAMESPACE::WithFactors;

// Sums over some planes of sources and all taps of an output phase, for a tile of channels.
struct TapsStep {
  const float* weights;   // [sources][source_taps][tile]
  const float* source;    // first source plane, at position 0
  int64_t source_stride;  // between source planes
  int64_t sources;
  const DirectTap* tap;
  int64_t taps;
  int64_t source_taps;  // from the weights of a source to the next
  float* out;
  int64_t out_stride;  // between the channels of the tile
  bool accumulate;
  Ahead* ahead;
};

// Vectors along the plane that one register block holds beside kTile channels.
template <int kTile>
constexpr int BlockWidth() {
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
  return kTile == 4 ? 6 : kTile == 3 ? 7 : 8;
#else
  return kTile == 4 ? 2 : kTile == 3 ? 3 : kTile == 2 ? 4 : 6;
#endif
}

// out[c][t] (+)= sum of weights[s][k][c] * source[s][t + tap[k].shift] for kWidth vectors from t
// on.
template <Factors kFactors, int kTile, int kWidth>
HWY_INLINE void Block(const TapsStep& step, int64_t t) {
  const Tag d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  hn::Vec<Tag> sum[kTile][kWidth];
#pragma GCC unroll 8
  for (int c = 0; c < kTile; ++c) {
#pragma GCC unroll 8
    for (int x = 0; x < kWidth; ++x) {
      sum[c][x] = step.accumulate ? hn::LoadU(d, step.out + c * step.out_stride + t + x * lanes)
                                  : hn::Zero(d);
    }
  }
  for (int64_t s = 0; s < step.sources; ++s) {
    const float* source = step.source + s * step.source_stride + t;
    const float* weights = step.weights + s * step.source_taps * kTile;
    for (int64_t k = 0; k < step.taps; ++k) {
      const float* at = source + step.tap[k].shift;
      hn::Vec<Tag> values[kWidth];
#pragma GCC unroll 8
      for (int x = 0; x < kWidth; ++x) values[x] = hn::LoadU(d, at + x * lanes);
#pragma GCC unroll 8
      for (int c = 0; c < kTile; ++c) {
        const auto weight = hn::Set(d, weights[c]);
#pragma GCC unroll 8
        for (int x = 0; x < kWidth; ++x) {
          sum[c][x] = MultiplyAdd<kFactors>(d, weight, values[x], sum[c][x]);
        }
      }
      weights += kTile;
    }
  }
#pragma GCC unroll 8
  for (int c = 0; c < kTile; ++c) {
#pragma GCC unroll 8
    for (int x = 0; x < kWidth; ++x) {
      hn::StoreU(sum[c][x], d, step.out + c * step.out_stride + t + x * lanes);
    }
  }
}

// out[c][t] (+)= sum of weights[s][k][c] * source[s][t + tap[k].shift] for t in [0, length), and up
// to a vector more.
template <Factors kFactors, int kTile>
HWY_NOINLINE void Sweep(const TapsStep& step, int64_t length) {
  constexpr int kWidth = BlockWidth<kTile>();
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(Tag()));
  int64_t t = 0;
  for (; t + (kWidth - 1) * lanes < length; t += kWidth * lanes) {
    step.ahead->Ask();
    Block<kFactors, kTile, kWidth>(step, t);
  }
  if constexpr (kWidth >= 4) {
    for (; t + (kWidth / 2 - 1) * lanes < length; t += kWidth / 2 * lanes) {
      Block<kFactors, kTile, kWidth / 2>(step, t);
    }
  }
  for (; t < length; t += lanes) Block<kFactors, kTile, 1>(step, t);
}

template <Factors kFactors>
constexpr void (*kSweeps[])(const TapsStep& step, int64_t length) = {
    Sweep<kFactors, 1>, Sweep<kFactors, 2>, Sweep<kFactors, 3>, Sweep<kFactors, 4>};

// Of sources, which are y with what taps reach before it, or x in a phase.
Window SourceWindow(const DirectPlan& plan, const int64_t (&start)[kDims], int64_t phase) {
  return plan.task == Task::kForward ? XWindow(plan.flat, phase, start)
                                     : YWindow(plan.flat, start, true);
}

// Of targets, y or x in a phase.
Window TargetWindow(const DirectPlan& plan, const int64_t (&start)[kDims], int64_t phase) {
  Window window = plan.task == Task::kForward ? YWindow(plan.flat, start, false)
                                              : XWindow(plan.flat, phase, start);
  for (int d = 0; d < kDims; ++d) window.limit[d] = plan.flat.axis[d].block;
  return window;
}

// What a unit works on.
struct TapsBounds {
  const DirectPlan& plan;
  Range tiles;
  int64_t group;
  FlatPlace at;

  TapsBounds(const DirectPlan& of, int64_t unit)
      : plan(of),
        group(unit / of.taps.tile_blocks % of.geometry.groups),
        at(of, unit / of.taps.tile_blocks / of.geometry.groups) {
    tiles.first = unit % of.taps.tile_blocks * of.taps.tiles_per_unit;
    tiles.last = std::min(tiles.first + of.taps.tiles_per_unit, of.taps.tiles);
  }

  // Source channels of a step, from the s-th source of the group on.
  Channels Sources(int64_t s) const {
    const int64_t all = SourceChannels(plan.geometry, plan.task), some = PerElement(plan.factors);
    const int64_t last = std::min(some * (s + plan.taps.sources_per_step), all);
    return at.Of(group, all, {some * s, last});
  }
  void WantSources(int64_t s, const TensorView& source, Ahead& ahead) const {
    ahead.Want(StretchesOf(SourceWindow(plan, at.start, 0), source, Sources(s)));
  }
  void WantTargets(const TensorView& target, Ahead& ahead) const {
    const auto& taps = plan.taps;
    const int64_t all = ResultChannels(plan.geometry, plan.task);
    const int64_t first = tiles.first / taps.output_phases * taps.tile;
    const int64_t last = std::min(CeilDivide(tiles.last, taps.output_phases) * taps.tile, all);
    // Elements of the first phase stand among those of the others.
    ahead.Want(
        StretchesOf(TargetWindow(plan, at.start, 0), target, at.Of(group, all, {first, last})));
  }
};

template <typename T>
void WriteTargets(const TapsBounds& bounds, const float* from, const float* bias,
                  const TensorView& view) {
  constexpr float kNoBias = -0.0f;  // which leaves zeros of either sign
  const DirectPlan& plan = bounds.plan;
  const auto& taps = plan.taps;
  const FlatGeometry& flat = plan.flat;
  const FlatPlace& at = bounds.at;
  const int64_t outputs = ResultChannels(plan.geometry, plan.task);
  for (int64_t tile = bounds.tiles.first; tile < bounds.tiles.last; ++tile) {
    const int64_t channel = tile / taps.output_phases * taps.tile;
    const Shown shown(TargetWindow(plan, at.start, tile % taps.output_phases), view);
    const float* planes = from + (tile - bounds.tiles.first) * taps.tile * plan.plane_stride;
    for (int64_t c = channel; c < std::min(channel + taps.tile, outputs); ++c) {
      const int64_t of_all = bounds.group * outputs + c;
      T* to = view.As<T>() + at.image * view.stride[0] + of_all * view.stride[1];
      UnpackPlane(flat, shown, planes, at.images, view.stride[0], to,
                  bias == nullptr ? kNoBias : bias[of_all]);
      planes += plan.plane_stride;
    }
  }
}

// Calls of Sweep's blocks for all tiles of a unit.
int64_t BlocksOf(const TapsBounds& bounds) {
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(Tag()));
  constexpr int kWidths[] = {0, BlockWidth<1>(), BlockWidth<2>(), BlockWidth<3>(), BlockWidth<4>()};
  return bounds.tiles.Count() *
         std::max<int64_t>(1, bounds.at.length / (kWidths[bounds.plan.taps.tile] * lanes));
}

void TapsUnit(const DirectPlan& plan, int64_t unit, const TensorView& source,
              const TensorView& target, const DirectTap* all_taps, const float* packed,
              const float* bias, void* slot) {
  const auto& taps = plan.taps;
  const TapsBounds bounds(plan, unit);
  const Range& tiles = bounds.tiles;
  const auto& start = bounds.at.start;
  const int64_t source_stride = taps.planes_per_source * plan.plane_stride;
  const int64_t some = PerElement(plan.factors);
  float* const planes = static_cast<float*>(slot);
  float* const out = planes + taps.sources_per_step * source_stride;
  const int64_t planes_of_out = tiles.Count() * taps.tile;
  LongSums sums(
      out, planes_of_out * plan.plane_stride, kBlockTerms,
      reinterpret_cast<double*>(out + taps.tiles_per_unit * taps.tile * plan.plane_stride));
  Ahead ahead;

  for (int64_t s = 0; s < taps.sources; s += taps.sources_per_step) {
    const int64_t count = std::min(taps.sources_per_step, taps.sources - s);
    PackPlanes<Form::kPairs>(
        plan, source, bounds.Sources(s), taps.planes_per_source,
        [&](int64_t phase) HWY_ATTR { return SourceWindow(plan, start, phase); }, planes);
    // Then comes the next step, or the end of this unit and one of the next.
    const int64_t next = unit + plan.slots;
    ahead.Clear();
    if (s + count < taps.sources) {
      bounds.WantSources(s + count, source, ahead);
    } else {
      bounds.WantTargets(target, ahead);
      if (next < plan.units) TapsBounds(plan, next).WantSources(0, source, ahead);
    }
    ahead.Begin(BlocksOf(bounds));
    for (int64_t first = 0; first < taps.most_taps; first += taps.taps_per_step) {
      const int64_t step_taps = std::min(taps.taps_per_step, taps.most_taps - first);
      const bool add = sums.Add(some * count * step_taps);
      for (int64_t tile = tiles.first; tile < tiles.last; ++tile) {
        const Range of_tile = plan.OutputTaps(tile % taps.output_phases);
        const TapsStep step = {packed + bounds.group * taps.group_weights +
                                   plan.WeightOffset(tile) +
                                   (s * of_tile.Count() + first) * taps.tile,
                               planes,
                               source_stride,
                               count,
                               all_taps + of_tile.first + first,
                               std::clamp<int64_t>(of_tile.Count() - first, 0, step_taps),
                               of_tile.Count(),
                               out + (tile - tiles.first) * taps.tile * plan.plane_stride,
                               plan.plane_stride,
                               add,
                               &ahead};
        WithFactors(plan.factors, [&](auto of) HWY_ATTR {
          kSweeps<of()>[taps.tile - 1](step, bounds.at.length);
        });
      }
    }
  }
  sums.Finish();
  WithType(target.dtype, [&](auto element) HWY_ATTR {
    WriteTargets<decltype(element)>(bounds, out, bias, target);
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace convolution_backward
}  // namespace aclimb
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclimb::convolution_backward {

HWY_EXPORT(TapsUnit);

void TapsUnit(const DirectPlan& plan, int64_t unit, const TensorView& source,
              const TensorView& target, const DirectTap* all_taps, const float* packed,
              const float* bias, void* slot) {
  HWY_DYNAMIC_DISPATCH(TapsUnit)(plan, unit, source, target, all_taps, packed, bias, slot);
}

void PackTapsWeights(const DirectPlan& plan, int64_t number, const TensorView& weight,
                     const DirectTap* all_taps, float* packed) {
  const auto& taps = plan.taps;
  const Geometry& g = plan.geometry;
  const int64_t group = number / taps.tiles;
  const int64_t tile = number % taps.tiles;
  const bool forward = plan.task == Task::kForward;
  const Range range = plan.OutputTaps(tile % taps.output_phases);
  float* to = packed + group * taps.group_weights + plan.WeightOffset(tile);
  const int64_t first_output = tile / taps.output_phases * taps.tile;
  const int64_t outputs = std::min(taps.tile, ResultChannels(g, plan.task) - first_output);
  const int64_t channels = SourceChannels(g, plan.task);
  // The weights of one tap of one source, or of a pair.
  const int64_t step = weight.stride[forward ? 0 : 1], next = weight.stride[forward ? 1 : 0];
  const int64_t some = PerElement(plan.factors);
  constexpr int64_t kAhead = 8;
  WithType(weight.dtype, [&](auto element) {
    using T = decltype(element);
    const auto pack = [&](const T* from, bool two) {
      for (int64_t c = 0; c < taps.tile; ++c, from += step) {
        uint32_t bits = c < outputs ? BitsOf(ToFloat(*from)) : 0;
        if (plan.UsesPairs()) bits >>= 16;
        if (two && c < outputs) bits |= BitsOf(ToFloat(from[next]));
        std::memcpy(to++, &bits, sizeof(bits));
      }
    };
    for (int64_t s = 0; s < channels; s += some) {
      const bool two = some == 2 && s + 1 < channels;
      const int64_t y = group * g.y_channels + (forward ? first_output : s);
      const int64_t x = forward ? s : first_output;
      const T* from = weight.As<T>() + y * weight.stride[0] + x * weight.stride[1];
      // Sources are far apart in a large weight, which no processor foresees.
      if (s + kAhead * some < channels) {
        for (int64_t c = 0; c < outputs; ++c) {
          __builtin_prefetch(from + kAhead * some * next + c * step);
        }
      }
      for (int64_t t = range.first; t < range.last; ++t) pack(from + all_taps[t].weight, two);
    }
  });
}

}  // namespace aclimb::convolution_backward
#endif
