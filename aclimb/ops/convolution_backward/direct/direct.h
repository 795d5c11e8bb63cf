#pragma once

#include <cstdint>

#include "aclimb/core/tensor_view.h"
#include "aclimb/ops/convolution_backward/direct/flat.h"
#include "aclimb/ops/convolution_backward/geometry.h"
#include "aclimb/ops/convolution_backward/long_sums.h"
#include "aclimb/simd/factors.h"

// Our own convolution kernels: any geometry, any of the three dtypes for any operand, any strides,
// computed in float32, or by dot products of bfloat16 that take subnormal numbers as zero, on the
// flat arrays of flat.h and rounded once. Made for what blocked layouts do badly, few channels in a
// group and depthwise above all; results do not depend on the number of threads.
namespace aclimb::convolution_backward {

// What a float32 sum takes at once.
inline constexpr int64_t kBlockTerms = BlockTerms(DType::kFloat32);

struct DirectPlan {
  Geometry geometry;
  Task task = Task::kForward;
  // Pairs: of source channels, or of neighbours in a row (kGradWeight).
  Factors factors = Factors::kFloat32;
  FlatGeometry flat;
  int slots = 1;                // bodies that may run at once: each has scratch of its own
  int64_t plane_stride = 0;     // elements from one packed plane to the next
  int64_t image_blocks = 0;     // of images that share a plane
  int64_t units = 0;            // of work, in any order
  int64_t weight_elements = 0;  // packed weights, or sums of gradWeight in double
  int64_t table_elements = 0;   // scratch that says where the taps are
  int64_t slot_elements = 0;    // scratch of one body, float32 elements

  // kForward and kGradX: every output is a sum over source channels and taps.
  struct {
    int64_t sources = 0;  // source channels of a group, or pairs of them
    int64_t tile = 0;     // output channels of one kernel call
    int64_t tiles = 0;    // of one group: channel tiles times output phases
    int64_t tiles_per_unit = 0;
    int64_t tile_blocks = 0;  // of tiles, each of which is a unit
    int64_t planes_per_source = 0;
    int64_t sources_per_step = 0;  // packed at once
    int64_t most_taps = 0;         // of an output phase
    int64_t taps_per_step = 0;     // of those, whose sums over packed sources are one block
    int64_t output_phases = 0;
    int64_t group_weights = 0;  // packed weights of a group
  } taps;

  // kGradWeight: every weight is a dot product of a plane of y and a shifted plane of x.
  struct {
    int64_t y_per_unit = 0;
    int64_t x_per_unit = 0;
    int64_t y_blocks = 0;  // of channels
    int64_t x_blocks = 0;
    int64_t step_blocks = 0;  // whatever the team; their sums are added at the end
  } outer;

  // Whether a bias may be added where sums are stored: every element of the result gets one.
  bool AddsBias() const { return taps.tiles > 0 && (task == Task::kForward || flat.AllPhases()); }
  bool UsesPairs() const { return factors == Factors::kPairs; }
  // The taps of an output phase: kForward has one, which takes the taps of all phases of x.
  Range OutputTaps(int64_t output_phase) const {
    if (task == Task::kForward) return {0, flat.Taps()};
    const FlatPhase phase = flat.Phase(output_phase);
    const int64_t first = flat.TapsBefore(phase);
    return {first, first + phase.Taps()};
  }
  // Where a tile's weights stand in a group's packed weights.
  int64_t WeightOffset(int64_t tile) const {
    const int64_t channel_tile = tile / taps.output_phases;
    return taps.sources * taps.tile *
           (channel_tile * flat.Taps() + OutputTaps(tile % taps.output_phases).first);
  }

  // The plan is a few hundred bytes whatever the geometry; tables live in the scratch.
  int64_t ScratchBytes() const {
    const int64_t all_slots = SaturatedProduct(slots, slot_elements);
    return SaturatedProduct(4, table_elements + weight_elements + all_slots);
  }
};

// `threads` is the team of the run.
DirectPlan PlanDirect(const Geometry& geometry, Task task, int threads,
                      Factors factors = Factors::kFloat32);

// The views are embedded (rank 5), operands of pairs bfloat16. The task's result is written
// completely, the others are read. Zeros that stand for absent elements are multiplied, so that an
// infinity or a NaN may give NaNs that the caller computes again (exact.h).
//   scratch  ScratchBytes() bytes, 64-byte aligned
//   bias     for each channel of a result whose plan AddsBias(); null: none
void RunDirect(const DirectPlan& plan, const TensorView& x, const TensorView& y,
               const TensorView& weight, void* scratch, const float* bias = nullptr);

// The vector code, compiled once per instruction set. Different units, or tiles, write different
// memory.

// A tap: how far it shifts a plane of sources, and its element of the weight; phase by phase.
struct DirectTap {
  int64_t shift, weight;
};

// Copies the weights of a tile of a group, number group * tiles + tile, in the order in which
// TapsUnit reads them.
void PackTapsWeights(const DirectPlan& plan, int64_t number, const TensorView& weight,
                     const DirectTap* taps, float* packed);

// One unit of kForward or kGradX: a FlatPlace, a group and a block of output tiles.
//   bias  null: none
//   slot  slot_elements of float32
void TapsUnit(const DirectPlan& plan, int64_t unit, const TensorView& source,
              const TensorView& target, const DirectTap* taps, const float* packed,
              const float* bias, void* slot);

// One unit of kGradWeight: fills its own place of `all_sums`,
// [step_blocks][groups * y_channels][x_channels][kernel].
void OuterUnit(const DirectPlan& plan, int64_t unit, const TensorView& x, const TensorView& y,
               const DirectTap* taps, double* all_sums, void* slot);

}  // namespace aclimb::convolution_backward
