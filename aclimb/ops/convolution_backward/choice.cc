#include "aclimb/ops/convolution_backward/choice.h"

namespace aclimb::convolution_backward {
namespace {

bool IsPatch(const Geometry& g) {
  if (g.groups != 1 || g.KernelSize() == 1) return false;
  for (int d = 0; d < kDims; ++d) {
    if (g.kernel[d] != g.stride[d] || g.pad_begin[d] != 0 || g.pad_end[d] != 0) return false;
    if (g.kernel[d] > 1 && g.dilation[d] != 1) return false;
  }
  return true;
}

// oneDNN's depthwise gradient of the weight knows windows up to three, without gaps.
bool HasDepthwiseKernel(const Geometry& g) {
  if (g.y_channels != 1) return false;
  for (int d = 0; d < kDims; ++d) {
    if (g.kernel[d] > 3 || (g.kernel[d] > 1 && g.dilation[d] != 1)) return false;
  }
  return g.in[0] == 1 && g.out[0] == 1;
}

}  // namespace

bool IsSmall(const Geometry& g) {
  double products = 1;
  for (const int64_t factor :
       {g.batch, g.groups, g.x_channels, g.y_channels, g.OutSize(), g.KernelSize()}) {
    products *= static_cast<double>(factor);
  }
  return products < 256.0 * 1024;
}

Algorithm ChooseAlgorithm(const Geometry& g, Task task, DType operand) {
  if (IsSmall(g)) return Algorithm::kDirect;
  if (g.groups > 1 && g.x_channels == 1 && g.y_channels <= 4) {
    // On short rows oneDNN, whose vectors run across channels, wins where it has a kernel.
    const bool short_rows = g.OutSize() <= 256 && g.out[2] < 16;
    return short_rows && HasDepthwiseKernel(g) ? Algorithm::kBlocked : Algorithm::kDirect;
  }
  if (g.groups > 1) {
    // Blocked layouts want sixteen channels. Eight they can do, but for bfloat16 weights.
    const bool weight = task == Task::kGradWeight;
    const int64_t few = !weight ? 4 : operand == DType::kBFloat16 ? 8 : 7;
    if (g.x_channels <= few && g.y_channels <= few) return Algorithm::kDirect;
  }
  if (g.groups == 1 && task == Task::kGradX && g.x_channels <= 4 && !IsPatch(g)) {
    return Algorithm::kDirect;
  }
  if (IsPatch(g)) return Algorithm::kPatch;
  return Algorithm::kBlocked;
}

Geometry PatchGeometry(const Geometry& g) {
  Geometry patch = g;
  patch.x_channels = g.x_channels * g.KernelSize();
  for (int d = 0; d < kDims; ++d) {
    patch.in[d] = g.out[d];
    patch.kernel[d] = 1;
    patch.stride[d] = 1;
    patch.dilation[d] = 1;
  }
  return patch;
}

}  // namespace aclimb::convolution_backward
