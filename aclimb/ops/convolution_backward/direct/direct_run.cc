// The loops around the kernels of direct_kernels.h.
#include <atomic>

#include "aclimb/copy/cast.h"
#include "aclimb/ops/convolution_backward/copies/convert.h"
#include "aclimb/ops/convolution_backward/direct/direct.h"
#include "aclimb/ops/convolution_backward/direct/direct_kernels.h"
#include "aclimb/ops/convolution_backward/exact.h"
#include "aclimb/ops/convolution_backward/for_each.h"
#include "aclimb/simd/slots.h"

namespace aclimb::convolution_backward {
namespace {

void FillTaps(const DirectPlan& plan, const TensorView& weight, DirectTap* taps) {
  const FlatGeometry& flat = plan.flat;
  EachTap(flat, [&](int64_t p, const FlatPhase& phase, int64_t row, int64_t column) {
    const int64_t shift = flat.RowShift(phase, row) + flat.ColumnShift(phase, column);
    *taps++ = {plan.task == Task::kGradX ? flat.Reach() - shift : p * plan.plane_stride + shift,
               flat.KernelIndex(phase, 0, row / phase.count[1]) * weight.stride[2] +
                   flat.KernelIndex(phase, 1, row % phase.count[1]) * weight.stride[3] +
                   flat.KernelIndex(phase, 2, column) * weight.stride[4]};
  });
}

// Sums the splits in order, so that the result does not depend on who computed them, to the first
// of them, as it is rounded. False when a sum is NaN.
bool SumSplits(const DirectPlan& plan, int64_t begin, int64_t end, int64_t all, DType result,
               float* partial) {
  bool good = true;
  for (int64_t i = begin; i < end; ++i) {
    double sum = 0;
    for (int64_t s = 0; s < plan.outer.splits && plan.units != 0; ++s) {
      sum += static_cast<double>(partial[s * all + i]);
    }
    good = good && sum == sum;
    partial[i] = result == DType::kFloat32 ? static_cast<float>(sum) : RoundedToOdd(sum);
  }
  return good;
}

void RunOuter(const DirectPlan& plan, const TensorView& x, const TensorView& y,
              const TensorView& weight, float* scratch) {
  const bool parallel = plan.slots > 1;
  float* const partial = scratch + plan.table_elements;
  TensorView sums = DenseLike(weight, partial);
  sums.dtype = DType::kFloat32;
  DirectTap* const taps = reinterpret_cast<DirectTap*>(scratch);
  FillTaps(plan, sums, taps);
  float* const slots_memory = partial + plan.weight_elements;
  Slots slots(plan.slots);
  ForEach(plan.units, parallel, [&](int64_t unit) {
    const Slots::Lease slot(slots);
    OuterUnit(plan, unit, x, y, taps, weight.dtype, partial,
              slots_memory + slot.number() * plan.slot_elements);
  });
  const int64_t all = sums.ElementCount();
  const bool shared = parallel && plan.weight_elements > 64 * 1024;
  std::atomic<bool> good{true};
  ForRange(all, 16 * 1024, shared, [&](int64_t begin, int64_t end) {
    if (SumSplits(plan, begin, end, all, weight.dtype, partial)) return;
    good.store(false, std::memory_order_relaxed);
  });
  Convert(sums, weight, shared);
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
  DirectTap* const taps = reinterpret_cast<DirectTap*>(scratch);
  FillTaps(plan, weight, taps);
  float* const packed = scratch + plan.table_elements;
  std::atomic<bool> finite{true};
  ForEach(plan.geometry.groups * plan.taps.tiles, parallel && plan.weight_elements > 64 * 1024,
          [&](int64_t piece) {
            if (!PackTapsWeights(plan, piece, weight, taps, packed)) {
              finite.store(false, std::memory_order_relaxed);
            }
          });
  float* const slots_memory = packed + plan.weight_elements;
  Slots slots(plan.slots);
  ForEach(plan.units, parallel, [&](int64_t unit) {
    const Slots::Lease slot(slots);
    TapsUnit(plan, unit, source, target, taps, packed,
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
