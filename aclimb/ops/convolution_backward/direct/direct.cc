#include "aclimb/ops/convolution_backward/direct/direct.h"

#include <algorithm>

#include "aclimb/copy/zeros.h"
#include "aclimb/core/divide.h"
#include "aclimb/simd/parallel.h"
#include "aclimb/simd/slots.h"

namespace aclimb::convolution_backward {
namespace {

// Elements past the end of every plane that vectors may touch.
constexpr int64_t kSlack = 64;
constexpr int64_t kOutElements = 256 * 1024;

// The tile width that pads the channels least.
int64_t BestTile(int64_t channels) {
  int64_t best = 1;
  for (int64_t tile = 2; tile <= 4; ++tile) {
    if (CeilDivide(channels, tile) * tile <= CeilDivide(channels, best) * best) best = tile;
  }
  return best;
}

void PlanTaps(DirectPlan& plan) {
  const Geometry& g = plan.geometry;
  auto& taps = plan.taps;
  const bool forward = plan.task == Task::kForward;
  const int64_t channels = SourceChannels(g, plan.task), outputs = ResultChannels(g, plan.task);
  taps.sources = CeilDivide(channels, PerElement(plan.factors));
  plan.flat = MakeFlat(g, plan.task, taps.sources, std::max<int64_t>(1, g.batch));
  const FlatGeometry& flat = plan.flat;
  const int64_t phases = flat.Phases();
  plan.plane_stride = RoundUp(flat.Extent(), 16) + kSlack;
  plan.image_blocks = CeilDivide(g.batch, flat.images);
  taps.planes_per_source = forward ? phases : 1;
  taps.tile = BestTile(outputs);
  const int64_t channel_tiles = CeilDivide(outputs, taps.tile);
  const int64_t output_phases = forward ? std::min<int64_t>(phases, 1) : phases;
  taps.output_phases = output_phases;
  taps.tiles = SaturatedProduct(channel_tiles, output_phases);
  if (taps.tiles == 0) return;

  const int64_t source_elements = SaturatedProduct(taps.planes_per_source, plan.plane_stride);
  taps.sources_per_step = std::clamp<int64_t>(kStepElements / source_elements, 1, taps.sources);
  const int64_t some = PerElement(plan.factors);
  taps.most_taps = forward ? flat.Taps() : flat.Phase(0).Taps();
  taps.taps_per_step = std::min(taps.most_taps, kBlockTerms / some);
  const int64_t terms = SaturatedProduct(channels, taps.most_taps);
  if (terms > kBlockTerms) {
    const int64_t block = kBlockTerms / (some * taps.taps_per_step);
    taps.sources_per_step = std::min(taps.sources_per_step, block);
  }
  // All phases of a channel tile in one unit, so that they can be interleaved on the way out.
  const int64_t tile_elements = SaturatedProduct(output_phases * taps.tile, plan.plane_stride);
  int64_t channel_tiles_per_unit =
      std::clamp<int64_t>(kOutElements / tile_elements, 1, channel_tiles);
  const int64_t others =
      SaturatedProduct(SaturatedProduct(plan.image_blocks, flat.blocks), g.groups);
  // Enough units for the team, as long as repacking the sources stays cheap beside the sums.
  const int64_t wanted = CeilDivide(8, std::max<int64_t>(1, others));
  if (wanted > 1) {
    channel_tiles_per_unit =
        std::min(channel_tiles_per_unit, std::max<int64_t>(1, CeilDivide(channel_tiles, wanted)));
  }
  taps.tile_blocks = CeilDivide(channel_tiles, channel_tiles_per_unit);
  taps.tiles_per_unit = channel_tiles_per_unit * output_phases;
  plan.units = SaturatedProduct(others, taps.tile_blocks);

  taps.group_weights =
      SaturatedProduct(SaturatedProduct(channel_tiles, taps.sources * taps.tile), flat.Taps());
  plan.weight_elements = RoundUp(SaturatedProduct(g.groups, taps.group_weights), 16);
  const int64_t sums =
      SaturatedProduct(SaturatedProduct(taps.tiles_per_unit, taps.tile), plan.plane_stride);
  plan.slot_elements = SaturatedProduct(taps.sources_per_step, source_elements) + sums +
                       2 * LongSums::Totals(sums, terms, kBlockTerms);
}

void PlanOuter(DirectPlan& plan) {
  const Geometry& g = plan.geometry;
  auto& outer = plan.outer;
  outer.y_per_unit = std::min<int64_t>(g.y_channels, 16);
  outer.x_per_unit = std::min<int64_t>(g.x_channels, 48);
  // Strides first: how many phases there are does not depend on the blocks.
  const int64_t phases = MakeFlat(g, plan.task, 1, 1).Phases();
  const int64_t planes = outer.y_per_unit + SaturatedProduct(outer.x_per_unit, phases);
  const int64_t some = PerElement(plan.factors);
  plan.flat = MakeFlat(g, plan.task, CeilDivide(planes, some), std::max<int64_t>(1, g.batch));
  const FlatGeometry& flat = plan.flat;
  outer.y_blocks = CeilDivide(g.y_channels, outer.y_per_unit);
  outer.x_blocks = CeilDivide(g.x_channels, outer.x_per_unit);
  plan.image_blocks = CeilDivide(g.batch, flat.images);
  const int64_t channel_blocks = g.groups * outer.y_blocks * outer.x_blocks;
  const int64_t steps = SaturatedProduct(plan.image_blocks, flat.blocks);
  outer.step_blocks =
      std::clamp<int64_t>(CeilDivide(16, channel_blocks), 1, std::max<int64_t>(1, steps));
  plan.units = phases == 0 ? 0 : channel_blocks * outer.step_blocks;
  plan.plane_stride = RoundUp(flat.Extent(), 16) + kSlack;
  const int64_t weights = g.groups * g.y_channels * g.x_channels * g.KernelSize();
  plan.weight_elements = RoundUp(SaturatedProduct(weights, 2 * outer.step_blocks), 16);
  // Sums in double and two pointer lists, each entry two elements.
  const int64_t lists =
      SaturatedProduct((outer.y_per_unit + 1) * outer.x_per_unit, g.KernelSize()) +
      outer.y_per_unit;
  plan.slot_elements = SaturatedProduct(planes, plan.plane_stride / some) + RoundUp(2 * lists, 16);
}

void FillTaps(const DirectPlan& plan, const TensorView& weight, DirectTap* taps) {
  const FlatGeometry& flat = plan.flat;
  for (int64_t p = 0; p < flat.Phases(); ++p) {
    const FlatPhase phase = flat.Phase(p);
    for (int64_t number = 0; number < phase.Taps(); ++number) {
      int64_t rest = number, pitch = 1, shift = 0, element = 0;
      for (int d = kDims - 1; d >= 0; --d) {
        const FlatAxis& axis = flat.axis[d];
        const int64_t tap = phase.first[d] + rest % phase.count[d] * axis.cycle;
        shift += tap * axis.dilation / axis.stride * pitch;
        element += (axis.first_tap + tap) * weight.stride[2 + d];
        rest /= phase.count[d];
        pitch *= axis.pitch;
      }
      *taps++ = {plan.task == Task::kGradX ? flat.Reach() - shift : p * plan.plane_stride + shift,
                 element};
    }
  }
}

void RunOuter(const DirectPlan& plan, const TensorView& x, const TensorView& y,
              const TensorView& weight, float* scratch, const float*) {
  if (plan.units == 0) return (void)copy::FillWithZeros(weight);
  DirectTap* const taps = reinterpret_cast<DirectTap*>(scratch);
  float* const after_taps = scratch + plan.table_elements;
  double* const sums = reinterpret_cast<double*>(after_taps);
  FillTaps(plan, DenseLike(weight, sums), taps);
  const SlotMemory slots = {after_taps + plan.weight_elements, plan.slots, 4 * plan.slot_elements};
  (void)ForEachUnit(plan.units, 1, slots, [&](int64_t unit, void* slot) {
    OuterUnit(plan, unit, x, y, taps, sums, slot);
  });
  StoreSums(sums, plan.outer.step_blocks, weight);
}

void RunTaps(const DirectPlan& plan, const TensorView& x, const TensorView& y,
             const TensorView& weight, float* scratch, const float* bias) {
  const bool forward = plan.task == Task::kForward;
  const TensorView& source = forward ? x : y;
  const TensorView& target = forward ? y : x;
  // Without taps there are no sums; a phase of x without taps gets none either.
  if (!plan.AddsBias()) {
    if (!copy::FillWithZeros(target) || plan.taps.tiles == 0) return;
  }
  DirectTap* const taps = reinterpret_cast<DirectTap*>(scratch);
  FillTaps(plan, weight, taps);
  float* const packed = scratch + plan.table_elements;
  const int64_t tiles = plan.geometry.groups * plan.taps.tiles;
  const int64_t grain = CeilDivide(int64_t{16 * 1024}, CeilDivide(plan.weight_elements + 1, tiles));
  ParallelFor(tiles, grain, [&](int64_t begin, int64_t end) {
    for (int64_t tile = begin; tile < end; ++tile) {
      PackTapsWeights(plan, tile, weight, taps, packed);
    }
  });
  const SlotMemory slots = {packed + plan.weight_elements, plan.slots, 4 * plan.slot_elements};
  (void)ForEachUnit(plan.units, 1, slots, [&](int64_t unit, void* slot) {
    TapsUnit(plan, unit, source, target, taps, packed, bias, slot);
  });
}

}  // namespace

DirectPlan PlanDirect(const Geometry& geometry, Task task, int threads, Factors factors) {
  DirectPlan plan;
  plan.geometry = geometry;
  plan.task = task;
  plan.factors = factors;
  (task == Task::kGradWeight ? PlanOuter : PlanTaps)(plan);
  plan.slots = static_cast<int>(std::clamp<int64_t>(plan.units, 1, threads));
  constexpr int64_t kElements = sizeof(DirectTap) / sizeof(float);
  plan.table_elements = RoundUp(SaturatedProduct(kElements, plan.flat.Taps()), 16);
  return plan;
}

void RunDirect(const DirectPlan& plan, const TensorView& x, const TensorView& y,
               const TensorView& weight, void* scratch, const float* bias) {
  const auto run = plan.task == Task::kGradWeight ? RunOuter : RunTaps;
  run(plan, x, y, weight, static_cast<float*>(scratch), bias);
}

}  // namespace aclimb::convolution_backward
