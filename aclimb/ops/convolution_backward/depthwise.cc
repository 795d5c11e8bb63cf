#include "aclimb/ops/convolution_backward/depthwise.h"

#include <algorithm>

#include "aclimb/core/divide.h"
#include "aclimb/ops/convolution_backward/depthwise_unit.h"
#include "aclimb/ops/convolution_backward/for_each.h"
#include "aclimb/simd/slots.h"

namespace aclimb::convolution_backward {
namespace {

constexpr int64_t kMostWidth = 2048;       // of a packed line
constexpr int64_t kBandElements = 4096;    // of a packed band, if a step is not more
constexpr int64_t kUnitElements = 8192;    // of a unit's planes of x
constexpr int64_t kMostChannels = 32;      // of a unit
constexpr int64_t kSumElements = 1 << 14;  // of x, whose sums are held in vectors

Depthwise::Axis PlanAxis(const Geometry& g, int d) {
  const int64_t stride = g.stride[d], pad = g.pad_begin[d];
  const int64_t first_step = pad / stride;
  Depthwise::Axis axis;
  axis.first = first_step - (g.kernel[d] - 1) / stride;
  axis.steps = (g.in[d] - 1 + pad) / stride - first_step + 1;
  axis.lead = pad % stride;
  return axis;
}

}  // namespace

bool FitsDepthwise(const Geometry& g) {
  if (g.groups < 2 || g.x_channels != 1 || g.y_channels != 1) return false;
  if (g.in[0] != 1 || g.out[0] != 1 || g.kernel[0] != 1) return false;
  if (g.pad_begin[0] != 0 || g.pad_end[0] > 0) return false;
  const int64_t kernel = g.kernel[1], stride = g.stride[1];
  if (g.kernel[2] != kernel || g.stride[2] != stride) return false;
  const bool strides = stride == 1 || (stride == 2 && kernel < 7);
  if ((kernel != 3 && kernel != 5 && kernel != 7) || !strides) return false;
  for (int d = 1; d < kDims; ++d) {
    // Numbers of steps are no larger than the tensors.
    if (g.dilation[d] != 1 || g.pad_begin[d] >= kernel || g.in[d] > kMostWidth) return false;
  }
  return true;
}

int64_t Depthwise::Units() const { return CeilDivide(geometry.groups, channels); }

Depthwise PlanDepthwise(const Geometry& g, bool gives_x, bool gives_weight, int threads) {
  Depthwise plan;
  plan.geometry = g;
  plan.gives_x = gives_x;
  plan.gives_weight = gives_weight;
  plan.down = PlanAxis(g, 1);
  plan.across = PlanAxis(g, 2);
  const int64_t reach = (g.kernel[1] - 1) / g.stride[1];
  const int64_t pitch = plan.across.steps + reach;
  plan.band = std::clamp<int64_t>(kBandElements / pitch - reach, 1, plan.down.steps);
  plan.plane = RoundUp((plan.band + reach) * pitch + kDepthwiseSlack, 16);
  plan.channels = std::clamp<int64_t>(kUnitElements / g.InSize(), 1, kMostChannels);
  const int64_t shared = CeilDivide(g.groups, int64_t{4} * threads);
  plan.channels = std::min(plan.channels, std::max<int64_t>(1, shared));
  plan.images = plan.band < plan.down.steps ? 1 : std::max<int64_t>(1, kSumElements / g.InSize());
  const int64_t taps = g.KernelSize();
  const bool passes = gives_x && g.kernel[1] == 7;
  plan.partial = passes ? plan.band * RoundUp(g.in[2], kMostDepthwiseLanes) : 0;
  // Two bands, then sums in vectors and in double, and weights.
  plan.slot_bytes = (2 * plan.plane + plan.partial) * 4 +
                    plan.channels * taps * (kMostDepthwiseLanes * 4 + 8 + 4);
  plan.slot_bytes = RoundUp(plan.slot_bytes, 64);
  plan.slots = static_cast<int>(std::clamp<int64_t>(plan.Units(), 1, threads));
  return plan;
}

void RunDepthwise(const Depthwise& plan, const TensorView& x, const TensorView& y,
                  const TensorView& weight, const TensorView& grad_x, const TensorView& grad_weight,
                  void* scratch) {
  Slots slots(plan.slots);
  ForEach(plan.Units(), plan.slots > 1, [&](int64_t unit) {
    const Slots::Lease slot(slots);
    DepthwiseUnit(plan, unit, x, y, weight, grad_x, grad_weight,
                  static_cast<char*>(scratch) + slot.number() * plan.slot_bytes);
  });
}

}  // namespace aclimb::convolution_backward
