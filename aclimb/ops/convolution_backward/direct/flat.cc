#include "aclimb/ops/convolution_backward/direct/flat.h"

#include <algorithm>
#include <numeric>

#include "aclimb/core/divide.h"

namespace aclimb::convolution_backward {
namespace {

// The taps of one dimension that meet data: those of some window, all of which span so much.
Range LiveTaps(const Geometry& g, int d) {
  const int64_t span = (g.out[d] - 1) * g.stride[d];
  return Inside(span - g.pad_begin[d], g.dilation[d], g.kernel[d], g.in[d] + span);
}

// Cache budgets of one plane, in float32 elements.
constexpr int64_t kPlaneElements = 16 * 1024;
constexpr int64_t kMinPlaneElements = 1024;

void SetBlock(FlatAxis& axis, int64_t block) {
  const int64_t blocks = CeilDivide(axis.count, block);
  axis.block = CeilDivide(axis.count, blocks);
  axis.pitch = axis.block + axis.reach;
}

int64_t PlaneOf(const FlatGeometry& flat) {
  return SaturatedProduct(SaturatedProduct(flat.axis[0].pitch, flat.axis[1].pitch),
                          flat.axis[2].pitch);
}

// Cuts depth, then height, then width until a plane fits. Halos make small blocks wasteful, so the
// wish gives way once a block is twice its halo, and only the hard limit cuts further.
void ChooseBlocks(FlatGeometry& flat, int64_t wish) {
  for (FlatAxis& axis : flat.axis) SetBlock(axis, std::max<int64_t>(1, axis.count));
  for (const bool hard : {false, true}) {
    const int64_t limit = hard ? 4 * kPlaneElements : wish;
    for (int d = 0; d < kDims; ++d) {
      FlatAxis& axis = flat.axis[d];
      const int64_t floor = hard ? 1 : std::max<int64_t>(d == 2 ? 256 : 4, 2 * axis.reach);
      while (PlaneOf(flat) > limit && axis.block / 2 >= floor) SetBlock(axis, axis.block / 2);
    }
  }
}

// Rows may move together until one row's data would meet the window of its neighbour: the zeros
// between them serve both. Needs all data of the dimension in one block.
void ShareZeros(FlatAxis& axis, const Geometry& g, int d, Task task) {
  if (axis.Blocks() != 1) return;
  int64_t pitch = axis.block;
  const auto keep = [&](int64_t start, int64_t step, int64_t extent) {
    // Elements j * step + start for j in [0, block + reach).
    const int64_t all = axis.block + axis.reach;
    const Range data = Inside(start, step, all, extent);
    pitch = std::max({pitch, data.last, all - data.first});
  };
  if (task == Task::kGradX) {
    keep(axis.begin - axis.reach, 1, g.out[d]);
  } else if (axis.taps > 0) {
    // What must be kept grows towards the smallest phase on one side and the largest on the other,
    // of which this is a bound where there are gaps.
    keep(-axis.base, axis.stride, g.in[d]);
    const int64_t largest = std::min((axis.Phases() - 1) * axis.dilation, axis.stride - 1);
    keep(largest - axis.base, axis.stride, g.in[d]);
  }
  axis.pitch = pitch;
}

}  // namespace

FlatGeometry MakeFlat(const Geometry& g, Task task, int64_t planes, int64_t max_images) {
  FlatGeometry flat;
  bool any = true;
  for (int d = 0; d < kDims; ++d) any = any && !LiveTaps(g, d).Empty();
  for (int d = 0; d < kDims; ++d) {
    FlatAxis& axis = flat.axis[d];
    axis.stride = g.stride[d];
    axis.dilation = g.dilation[d];
    axis.cycle = g.stride[d] / std::gcd(g.stride[d], g.dilation[d]);
    const Range live = any ? LiveTaps(g, d) : Range();
    axis.first_tap = live.first;
    axis.taps = live.Count();
    axis.base = g.pad_begin[d] - live.first * g.dilation[d];
    axis.reach = any ? (axis.taps - 1) * g.dilation[d] / axis.stride : 0;
    if (task == Task::kGradX) {
      axis.begin = FloorDivide(axis.base, axis.stride);
      axis.count = FloorDivide(g.in[d] - 1 + axis.base, axis.stride) - axis.begin + 1;
    } else {
      axis.begin = 0;
      axis.count = g.out[d];
    }
  }
  const int64_t wish =
      std::clamp(kStepElements / std::max<int64_t>(1, planes), kMinPlaneElements, kPlaneElements);
  ChooseBlocks(flat, wish);
  for (int d = 0; d < kDims; ++d) ShareZeros(flat.axis[d], g, d, task);
  flat.plane = PlaneOf(flat);
  flat.blocks = 1;
  for (const FlatAxis& axis : flat.axis) {
    flat.blocks = SaturatedProduct(flat.blocks, axis.Blocks());
  }
  if (flat.blocks == 1) {
    flat.images = std::clamp<int64_t>(wish / std::max<int64_t>(1, flat.plane), 1, max_images);
    const int64_t blocks = CeilDivide(g.batch, flat.images);
    if (blocks > 0) flat.images = CeilDivide(g.batch, blocks);
  }
  return flat;
}

}  // namespace aclimb::convolution_backward
