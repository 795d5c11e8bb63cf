#include "aclimb/ops/convolution_backward/one_pass/depthwise.h"

#include <algorithm>

#include "aclimb/copy/copy.h"
#include "aclimb/core/divide.h"
#include "aclimb/ops/convolution_backward/long_sums.h"
#include "aclimb/simd/slots.h"

namespace aclimb::convolution_backward {
namespace {

constexpr int64_t kMostWidth = 2048;     // of a packed line
constexpr int64_t kBandElements = 4096;  // of a packed band, unless a step alone needs more
constexpr int64_t kUnitElements = 8192;  // of a unit's planes of x, of one image
constexpr int64_t kMostChannels = 32;    // of a unit
constexpr int64_t kMostTerms = 1024;     // of a sum in float32
constexpr int64_t kFewestImages = 8;     // of a chunk, by channels

// Images of a chunk where so many pieces are cut into chunks of images each: as many units as there
// are pieces, or up to 64, whatever the team.
int64_t ImagesOfChunk(int64_t batch, int64_t pieces) {
  constexpr int64_t kMostUnits = 64;
  return CeilDivide(batch, std::max<int64_t>(1, kMostUnits / pieces));
}

Depthwise::Axis PlanAxis(const Geometry& g, int d) {
  const int64_t stride = g.stride[d], pad = g.pad_begin[d];
  const int64_t first_step = pad / stride;
  Depthwise::Axis axis;
  axis.first = first_step - (g.kernel[d] - 1) / stride;
  axis.steps = (g.in[d] - 1 + pad) / stride - first_step + 1;
  axis.lead = pad % stride;
  return axis;
}

void PlanByChannels(int threads, Depthwise& plan) {
  const Geometry& g = plan.geometry;
  const int64_t taps = g.KernelSize(), reach = (g.kernel[1] - 1) / g.stride[1];
  const int64_t blocks = CeilDivide(g.groups, kDepthwiseChannels);
  plan.band = plan.down.steps;
  plan.plane = (plan.band + reach) * (plan.across.steps + reach) * kDepthwiseChannels;
  plan.partial = std::max({g.InSize(), g.OutSize(), taps}) * kDepthwiseChannels;
  plan.images = std::min(g.batch, std::max(ImagesOfChunk(g.batch, blocks), kFewestImages));
  plan.chunks = CeilDivide(g.batch, plan.images);
  int64_t of_unit = kUnitElements / (g.InSize() * kDepthwiseChannels);
  of_unit = std::clamp<int64_t>(of_unit, 1, blocks);
  if (threads > 1) {
    of_unit = std::min(of_unit, CeilDivide(blocks * plan.chunks, int64_t{4} * threads));
  }
  plan.channels = of_unit * kDepthwiseChannels;
  plan.images_in_vectors = std::max<int64_t>(1, kMostTerms / (plan.down.steps * plan.across.steps));
  // Planes of y, x and its gradient; weights and sums; sums of a block, channel by channel.
  plan.slot_bytes = (plan.plane + 2 * plan.partial + 2 * plan.channels * taps) * 4;
  plan.slot_bytes += kDepthwiseChannels * taps * 4;
}

void PlanAlongLines(int threads, Depthwise& plan) {
  const Geometry& g = plan.geometry;
  const int64_t taps = g.KernelSize(), reach = (g.kernel[1] - 1) / g.stride[1];
  const int64_t pitch = plan.across.steps + reach;
  plan.band = std::clamp<int64_t>(kBandElements / pitch - reach, 1, plan.down.steps);
  plan.plane = RoundUp((plan.band + reach) * pitch + kDepthwiseSlack, 16);
  plan.images = ImagesOfChunk(g.batch, g.groups);
  plan.chunks = CeilDivide(g.batch, plan.images);
  plan.channels = std::clamp<int64_t>(kUnitElements / g.InSize(), 1, kMostChannels);
  if (threads > 1) {
    const int64_t shared = CeilDivide(g.groups * plan.chunks, int64_t{4} * threads);
    plan.channels = std::min(plan.channels, shared);
  }
  const int64_t terms = plan.down.steps * CeilDivide(plan.across.steps, 4);
  const bool whole = plan.band == plan.down.steps;
  plan.images_in_vectors = whole ? std::max<int64_t>(1, kMostTerms / terms) : 1;
  const bool passes = plan.gives_x && g.kernel[1] == 7;
  plan.partial = passes ? plan.band * RoundUp(g.in[2], kMostDepthwiseLanes) : 0;
  // Two bands, then sums in vectors.
  const int64_t sums = plan.channels * taps * kMostDepthwiseLanes;
  plan.slot_bytes = (2 * plan.plane + plan.partial + sums) * 4;
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

bool RunsByChannels(const Geometry& g) {
  // Lines that are short for vectors, planes that stay in a cache, and enough channels for one.
  const bool thin = g.kernel[1] == 3 && g.stride[1] == 2;
  return PlanAxis(g, 2).steps <= (thin ? 8 : 10) && std::max(g.InSize(), g.OutSize()) <= 512 &&
         g.groups >= 8;
}

int64_t Depthwise::Units() const { return CeilDivide(geometry.groups, channels) * chunks; }

Depthwise PlanDepthwise(const Geometry& g, bool gives_x, bool gives_weight, int threads) {
  Depthwise plan;
  plan.geometry = g;
  plan.gives_x = gives_x;
  plan.gives_weight = gives_weight;
  plan.down = PlanAxis(g, 1);
  plan.across = PlanAxis(g, 2);
  plan.by_channels = RunsByChannels(g);
  (plan.by_channels ? PlanByChannels : PlanAlongLines)(threads, plan);
  plan.slots = static_cast<int>(std::clamp<int64_t>(plan.Units(), 1, threads));
  return plan;
}

void RunDepthwise(const Depthwise& plan, const DepthwiseTensors& tensors, void* scratch) {
  double* const chunk_sums = static_cast<double*>(scratch);
  char* const after_sums = static_cast<char*>(scratch) + plan.ChunkBytes();
  float* const weights = reinterpret_cast<float*>(after_sums);
  if (plan.gives_x) {
    TensorView dense = DenseLike(tensors.weight, weights);
    dense.dtype = DType::kFloat32;
    if (!copy::Copy(tensors.weight, dense)) return;
  }
  const auto store = [&](int64_t first, int64_t channels) {
    TensorView to = tensors.grad_weight;
    to.data = to.As<char>() + first * to.stride[0] * static_cast<int64_t>(SizeOf(to.dtype));
    to.shape[0] = channels;
    StoreSums(chunk_sums + first * plan.geometry.KernelSize(), plan.chunks, to);
  };
  const int64_t groups = plan.geometry.groups;
  const SlotMemory slots = {after_sums + plan.WeightBytes(), plan.slots, plan.slot_bytes};
  (void)ForEachUnit(plan.Units(), 1, slots, [&](int64_t unit, void* slot) {
    const auto run = plan.by_channels ? DepthwiseChannels : DepthwiseUnit;
    run(plan, unit, tensors, weights, chunk_sums, slot);
    if (!plan.gives_weight || plan.chunks > 1) return;
    store(unit * plan.channels, std::min(plan.channels, groups - unit * plan.channels));
  });
  if (plan.gives_weight && plan.chunks > 1) store(0, groups);
}

}  // namespace aclimb::convolution_backward
