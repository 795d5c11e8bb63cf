#include "aclimb/ops/convolution_backward/one_pass/grouped.h"

#include <algorithm>

#include "aclimb/core/divide.h"
#include "aclimb/ops/convolution_backward/for_each.h"
#include "aclimb/ops/convolution_backward/one_pass/grouped_unit.h"
#include "aclimb/simd/slots.h"

namespace aclimb::convolution_backward {
namespace {

constexpr int64_t kMostReach = 64;           // of a window down or across, and of a step
constexpr int64_t kMostPlaneBytes = 400000;  // of packed planes of x and y
constexpr int64_t kBandBytes = 24 * 1024;    // of lines of both that stay in the nearest cache

int64_t Reach(const Geometry& g, int d) { return (g.kernel[d] - 1) * g.dilation[d]; }

// How planes are packed. The element of y that tap k brings to element s * m + r of x is
// m + (r + padding - k * dilation) / s, where that is a whole number.
Grouped PlanPacking(const Geometry& g) {
  Grouped plan;
  plan.geometry = g;
  plan.channels = std::max(g.x_channels, g.y_channels) <= 8 ? 8 : 16;
  plan.together = g.x_channels == 4 && g.y_channels == 4 ? 2 : 1;
  const int64_t s = g.stride[2], pad = g.pad_begin[2], reach = Reach(g, 2);
  plan.y_left = std::max<int64_t>(0, (reach - pad) / s);
  const int64_t last = (g.in[2] - 1 + pad) / s;  // element that the first tap brings to the last
  plan.y_pitch = plan.y_left + std::max(last + 1, g.out[2]);
  plan.x_pitch = std::max(g.in[2] + pad, (g.out[2] - 1) * s + reach + 1);
  return plan;
}

}  // namespace

bool FitsGrouped(const Geometry& g) {
  if (g.batch < 1 || g.InSize() < 1 || g.OutSize() < 1 || g.groups < 2 || !g.IsFlat()) return false;
  if (std::max(g.x_channels, g.y_channels) > 16 || g.KernelSize() > kMostGroupedTaps) return false;
  for (int d = 1; d < kDims; ++d) {
    if (Reach(g, d) > kMostReach || g.stride[d] > kMostReach) return false;
    // Padding before x that is less than the window keeps every number as small as the tensors.
    if (g.pad_begin[d] > Reach(g, d)) return false;
  }
  // They are numbers of elements that can be multiplied then.
  if (std::max(g.InSize(), g.OutSize()) > kMostPlaneBytes / 4) return false;
  const Grouped plan = PlanPacking(g);
  return (plan.XSize() + plan.YSize()) * 4 <= kMostPlaneBytes;
}

Grouped PlanGrouped(const Geometry& g, bool gives_x, bool gives_weight, int threads) {
  Grouped plan = PlanPacking(g);
  plan.gives_x = gives_x;
  plan.gives_weight = gives_weight;
  const int64_t line = (plan.y_pitch + g.stride[1] * plan.x_pitch) * plan.channels * 4;
  plan.band = std::clamp<int64_t>(kBandBytes / line, 1, std::min(g.out[1], kMostGroupedLines));
  plan.images = ImagesOfChunk(g.batch, plan.Parts());
  plan.chunks = CeilDivide(g.batch, plan.images);
  // Planes of y, and of x or its gradient; the weights; the sums; elements that wait for their
  // conversion.
  const int64_t packed = plan.PackedWeights();
  const int64_t waiting = std::max({plan.YSize(), plan.XSize(), plan.WindowSize()});
  plan.slot_bytes = (plan.YSize() + plan.XSize() + packed) * 4 + packed * 8 + waiting * 2;
  plan.slot_bytes = RoundUp(plan.slot_bytes, 64);
  plan.slots = static_cast<int>(std::clamp<int64_t>(plan.Units(), 1, threads));
  return plan;
}

void RunGrouped(const Grouped& plan, const TensorView& x, const TensorView& y,
                const TensorView& weight, const TensorView& grad_x, const TensorView& grad_weight,
                void* scratch) {
  const int64_t size = plan.PackedWeights();  // of a unit's sums
  double* const chunk_sums = static_cast<double*>(scratch);
  char* const slots_memory = static_cast<char*>(scratch) + plan.ChunkBytes();
  const bool parallel = plan.slots > 1, alone = plan.chunks == 1;
  Slots slots(plan.slots);
  // Calls body(index, sums of a slot, the rest of the slot).
  const auto each = [&](int64_t count, const auto& body) {
    ForEach(count, parallel, [&](int64_t i) {
      const Slots::Lease slot(slots);
      char* const memory = slots_memory + slot.number() * plan.slot_bytes;
      body(i, reinterpret_cast<double*>(memory), memory + size * 8);
    });
  };
  each(plan.Units(), [&](int64_t unit, double* own_sums, void* slot) {
    double* const sums = alone ? own_sums : chunk_sums + unit * size;
    GroupedUnit(plan, unit, x, y, weight, grad_x, sums, slot);
    if (plan.gives_weight && alone) StoreGroupedWeights(plan, unit, sums, grad_weight, slot);
  });
  if (!plan.gives_weight || alone) return;
  each(plan.Parts(), [&](int64_t part, double*, void* slot) {
    double* const sums = chunk_sums + part * plan.chunks * size;
    for (int64_t chunk = 1; chunk < plan.chunks; ++chunk) {
      for (int64_t i = 0; i < size; ++i) sums[i] += sums[chunk * size + i];
    }
    StoreGroupedWeights(plan, part, sums, grad_weight, slot);
  });
}

}  // namespace aclimb::convolution_backward
