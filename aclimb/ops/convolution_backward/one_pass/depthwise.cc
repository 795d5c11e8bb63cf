#include "aclimb/ops/convolution_backward/one_pass/depthwise.h"

#include <algorithm>

#include "aclimb/core/divide.h"
#include "aclimb/ops/convolution_backward/long_sums.h"
#include "aclimb/simd/slots.h"

namespace aclimb::convolution_backward {
namespace {

constexpr int64_t kMostWidth = 2048;      // of a packed line
constexpr int64_t kBlockElements = 4096;  // of packed lines, unless a step alone needs more
constexpr int64_t kUnitElements = 8192;   // of a unit's planes of x, of one image
constexpr int64_t kMostChannels = 32;     // of a unit
constexpr int64_t kMostTerms = 1024;  // of a sum in float32, on vectors of four elements or more
constexpr int64_t kFewestImages = 8;  // of a block, by channels
constexpr int64_t kMostUnits = 64;    // that images are cut for, whatever the team
// Where a vector is one element, a sum takes those of four.
static_assert(4 * kMostTerms <= LongestSum(DType::kFloat32));

Depthwise::Axis PlanAxis(const Geometry& g, int d) {
  const int64_t stride = g.stride[d], pad = g.pad_begin[d];
  const int64_t first_step = pad / stride;
  Depthwise::Axis axis;
  axis.first = first_step - (g.kernel[d] - 1) / stride;
  axis.steps = (g.in[d] - 1 + pad) / stride - first_step + 1;
  axis.lead = pad % stride;
  return axis;
}

// Cuts channels into units, so many `together` and so many at most; where that makes few units,
// images too.
void CutUnits(int64_t together, int64_t most, int64_t fewest_images, int threads, Depthwise& plan) {
  const Geometry& g = plan.geometry;
  const int64_t blocks = CeilDivide(g.groups, together);
  const int64_t images = CeilDivide(g.batch, std::max<int64_t>(1, kMostUnits / blocks));
  plan.images = std::min(g.batch, std::max(images, fewest_images));
  plan.image_blocks = CeilDivide(g.batch, plan.images);
  int64_t of_unit =
      std::clamp<int64_t>(kUnitElements / (g.InSize() * together), 1, CeilDivide(most, together));
  if (threads > 1) {
    of_unit = std::min(of_unit, CeilDivide(blocks * plan.image_blocks, int64_t{4} * threads));
  }
  plan.channels = of_unit * together;
}

void PlanByChannels(int threads, Depthwise& plan) {
  const Geometry& g = plan.geometry;
  const int64_t taps = g.KernelSize();
  plan.lines = plan.down.steps;
  plan.plane = (plan.lines + plan.reach) * plan.pitch * kDepthwiseChannels;
  plan.x_plane = std::max({g.InSize(), g.OutSize(), taps}) * kDepthwiseChannels;
  CutUnits(kDepthwiseChannels, g.groups, kFewestImages, threads, plan);
  plan.images_in_vectors = std::max<int64_t>(1, kMostTerms / (plan.down.steps * plan.across.steps));
  // Planes of y, x and its gradient; weights and sums; sums of a block, channel by channel.
  plan.slot_bytes = (plan.plane + 2 * plan.x_plane + 2 * plan.channels * taps) * 4;
  plan.slot_bytes += kDepthwiseChannels * taps * 4;
}

void PlanAlongLines(int threads, Depthwise& plan) {
  const Geometry& g = plan.geometry;
  const int64_t taps = g.KernelSize();
  plan.lines = std::clamp<int64_t>(kBlockElements / plan.pitch - plan.reach, 1, plan.down.steps);
  plan.plane = RoundUp((plan.lines + plan.reach) * plan.pitch + kDepthwiseSlack, 16);
  CutUnits(1, kMostChannels, 1, threads, plan);
  const int64_t terms = plan.down.steps * CeilDivide(plan.across.steps, 4);
  const bool whole = plan.lines == plan.down.steps;
  plan.images_in_vectors = whole ? std::max<int64_t>(1, kMostTerms / terms) : 1;
  const bool passes = plan.gives_x && g.kernel[1] == 7;
  plan.partial = passes ? plan.lines * RoundUp(g.in[2], kMostDepthwiseLanes) : 0;
  // Two blocks of lines, then sums in vectors.
  const int64_t sums = plan.channels * taps * kMostDepthwiseLanes;
  plan.slot_bytes = (2 * plan.plane + plan.partial + sums) * 4;
}

// Whether vectors run across channels, sixteen of which are a block. The planes of a block are
// transposed then, so that an element of all channels is followed by the next.
bool RunsByChannels(const Geometry& g) {
  // Lines that are short for vectors, planes that stay in a cache, and enough channels for one.
  const bool thin = g.kernel[1] == 3 && g.stride[1] == 2;
  return PlanAxis(g, 2).steps <= (thin ? 8 : 10) && std::max(g.InSize(), g.OutSize()) <= 512 &&
         g.groups >= 8;
}

}  // namespace

bool FitsDepthwise(const Geometry& g) {
  if (g.batch < 1 || g.InSize() < 1) return false;
  // One group is a convolution of one channel, which is chosen like others.
  if (g.groups < 2 || g.x_channels != 1 || g.y_channels != 1 || !g.IsFlat()) return false;
  const int64_t kernel = g.kernel[1], stride = g.stride[1];
  if (g.kernel[2] != kernel || g.stride[2] != stride) return false;
  const bool strides = stride == 1 || (stride == 2 && kernel < 7);
  if ((kernel != 3 && kernel != 5 && kernel != 7) || !strides) return false;
  for (int d = 1; d < kDims; ++d) {
    // Padding before x that is less than the window keeps every number as small as the tensors.
    if (g.dilation[d] != 1 || g.pad_begin[d] >= kernel) return false;
  }
  return g.in[2] <= kMostWidth;
}

Depthwise PlanDepthwise(const Geometry& g, bool gives_x, bool gives_weight, int threads) {
  Depthwise plan;
  plan.geometry = g;
  plan.gives_x = gives_x;
  plan.gives_weight = gives_weight;
  plan.down = PlanAxis(g, 1);
  plan.across = PlanAxis(g, 2);
  plan.reach = (g.kernel[1] - 1) / g.stride[1];
  plan.pitch = plan.across.steps + plan.reach;
  plan.by_channels = RunsByChannels(g);
  (plan.by_channels ? PlanByChannels : PlanAlongLines)(threads, plan);
  plan.slots = static_cast<int>(std::clamp<int64_t>(plan.Units(), 1, threads));
  return plan;
}

void RunDepthwise(const Depthwise& plan, const Triple<TensorView>& operands,
                  const Triple<TensorView>& gradients, void* scratch) {
  double* const sums = static_cast<double*>(scratch);
  const SlotMemory slots = {static_cast<char*>(scratch) + plan.SumBytes(), plan.slots,
                            plan.slot_bytes};
  (void)ForEachUnit(plan.Units(), 1, slots, [&](int64_t unit, void* slot) {
    const auto run = plan.by_channels ? DepthwiseChannels : DepthwiseLines;
    run(plan, unit, operands, gradients, sums, slot);
  });
  if (plan.gives_weight) StoreSums(sums, plan.image_blocks, gradients.weight);
}

}  // namespace aclimb::convolution_backward
