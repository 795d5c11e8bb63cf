// The loops around the kernels of direct_kernels.h.
#include <atomic>

#include "aclimb/ops/convolution_backward/copies/convert.h"
#include "aclimb/ops/convolution_backward/direct/direct.h"
#include "aclimb/ops/convolution_backward/direct/direct_kernels.h"
#include "aclimb/ops/convolution_backward/elements.h"
#include "aclimb/ops/convolution_backward/exact.h"
#include "aclimb/ops/convolution_backward/for_each.h"
#include "aclimb/simd/slots.h"

namespace aclimb::convolution_backward {
namespace {

// Sums the splits in order, so that the result does not depend on who computed them. False when a
// sum is NaN.
bool WriteGradWeight(const DirectPlan& plan, int64_t channel, const float* partial,
                     const TensorView& weight) {
  const Geometry& g = plan.geometry;
  const int64_t kernel = g.KernelSize();
  const int64_t all = g.groups * g.y_channels * g.x_channels * kernel;
  const float* from = partial + channel * g.x_channels * kernel;
  const int64_t row = channel * weight.stride[0];
  bool good = true;
  for (int64_t c = 0; c < g.x_channels; ++c) {
    for (int64_t d = 0; d < g.kernel[0]; ++d) {
      for (int64_t h = 0; h < g.kernel[1]; ++h) {
        const int64_t to = row + c * weight.stride[1] + d * weight.stride[2] + h * weight.stride[3];
        for (int64_t w = 0; w < g.kernel[2]; ++w, ++from) {
          double sum = plan.units == 0 ? 0.0 : static_cast<double>(*from);
          for (int64_t s = 1; s < plan.outer.splits && plan.units != 0; ++s) {
            sum += static_cast<double>(from[s * all]);
          }
          good = good && sum == sum;
          WriteElement(weight, to + w * weight.stride[4], sum);
        }
      }
    }
  }
  return good;
}

void RunOuter(const DirectPlan& plan, const TensorView& x, const TensorView& y,
              const TensorView& weight, float* scratch) {
  const bool parallel = plan.slots > 1;
  OuterTap* const taps = reinterpret_cast<OuterTap*>(scratch);
  FillOuterTaps(plan, taps);
  float* const partial = scratch + plan.table_elements;
  float* const slots_memory = partial + plan.weight_elements;
  Slots slots(plan.slots);
  ForEach(plan.units, parallel, [&](int64_t unit) {
    const Slots::Lease slot(slots);
    OuterUnit(plan, unit, x, y, taps, weight.dtype, partial,
              slots_memory + slot.number() * plan.slot_elements);
  });
  const int64_t channels = plan.geometry.groups * plan.geometry.y_channels;
  std::atomic<bool> good{true};
  ForEach(channels, parallel && plan.weight_elements > 64 * 1024, [&](int64_t channel) {
    if (WriteGradWeight(plan, channel, partial, weight)) return;
    good.store(false, std::memory_order_relaxed);
  });
  if (good.load()) return;
  ComputeNaNsAgain(plan.geometry, plan.task, x, y, weight, slots_memory, parallel);
}

void RunTaps(const DirectPlan& plan, const TensorView& x, const TensorView& y,
             const TensorView& weight, float* scratch) {
  const bool forward = plan.task == Task::kForward;
  const TensorView& source = forward ? x : y;
  const TensorView& target = forward ? y : x;
  const bool parallel = plan.slots > 1;
  // Without taps there are no sums; a phase of x without taps gets none either.
  if (plan.taps.tiles == 0 || (!forward && !plan.flat.AllPhases())) Clear(target, parallel);
  if (plan.taps.tiles == 0) return;
  int64_t* const offsets = reinterpret_cast<int64_t*>(scratch);
  FillTapOffsets(plan, offsets);
  float* const packed = scratch + plan.table_elements;
  std::atomic<bool> finite{true};
  ForEach(plan.geometry.groups * plan.taps.tiles, parallel && plan.weight_elements > 64 * 1024,
          [&](int64_t piece) {
            if (!PackTapsWeights(plan, piece, weight, packed)) {
              finite.store(false, std::memory_order_relaxed);
            }
          });
  float* const slots_memory = packed + plan.weight_elements;
  Slots slots(plan.slots);
  ForEach(plan.units, parallel, [&](int64_t unit) {
    const Slots::Lease slot(slots);
    TapsUnit(plan, unit, source, target, offsets, packed,
             slots_memory + slot.number() * plan.slot_elements);
  });
  if (finite.load()) return;
  ComputeNaNsAgain(plan.geometry, plan.task, x, y, weight, nullptr, parallel);
}

}  // namespace

void RunDirect(const DirectPlan& plan, const TensorView& x, const TensorView& y,
               const TensorView& weight, void* scratch) {
  if (plan.task == Task::kGradWeight) {
    RunOuter(plan, x, y, weight, static_cast<float*>(scratch));
  } else {
    RunTaps(plan, x, y, weight, static_cast<float*>(scratch));
  }
}

}  // namespace aclimb::convolution_backward
