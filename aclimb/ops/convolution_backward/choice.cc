#include "aclimb/ops/convolution_backward/choice.h"

namespace aclimb::conv {
namespace {

bool IsPatch(const Geometry& g) {
  if (g.groups != 1 || g.KernelSize() == 1) return false;
  for (int d = 0; d < kDims; ++d) {
    if (g.kernel[d] != g.stride[d] || g.pad_begin[d] != 0 || g.pad_end[d] != 0) return false;
    if (g.kernel[d] > 1 && g.dilation[d] != 1) return false;
  }
  return true;
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
  (void)operand;
  if (g.groups > 1 && g.x_channels == 1 && g.y_channels <= 4) return Algorithm::kDirect;
  if (g.groups > 1 && task == Task::kGradWeight && g.x_channels <= 8 && g.y_channels <= 8) {
    return Algorithm::kDirect;
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

}  // namespace aclimb::conv
