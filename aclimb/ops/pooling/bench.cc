#include "aclnnop/aclnn_adaptive_avg_pool2d.h"
#include "aclnnop/aclnn_avgpool2d.h"
#include "aclnnop/aclnn_avgpool2d_backward.h"
#include "aclnnop/aclnn_max_pool2d_with_indices.h"
#include "aclnnop/aclnn_max_pool2d_with_indices_backward.h"
#include "bench/call_problem.h"

namespace aclimb::pooling {
namespace {

bench::Case Make(const char* name, const std::string& function, int64_t images, int64_t channels,
                 int64_t size, int64_t kernel, int64_t stride, int64_t padding,
                 const std::string& layout, const char* dtype) {
  const bool greatest = function.starts_with("max_pool"), backward = function.ends_with("backward");
  const bool adaptive = function == "adaptive_avg_pool";
  const auto open = [=](const bench::Tensors& inputs, const bench::Tensors& outputs) {
    const auto both = [](int64_t extent) {
      return std::make_shared<bench::IntArray>(std::vector<int64_t>{extent, extent});
    };
    return
        [=, out = outputs[0], kernels = both(kernel), strides = both(stride),
         paddings = both(padding), ones = both(1)](uint64_t* workspace, aclOpExecutor** executor) {
          if (greatest && backward) {
            return aclnnMaxPool2dWithIndicesBackwardGetWorkspaceSize(
                inputs[0], inputs[1], inputs[2], *kernels, *strides, *paddings, *ones, false, out,
                workspace, executor);
          }
          if (greatest) {
            return aclnnMaxPool2dWithIndicesGetWorkspaceSize(inputs[0], *kernels, *strides,
                                                             *paddings, *ones, false, out,
                                                             outputs[1], workspace, executor);
          }
          if (backward) {
            return aclnnAvgPool2dBackwardGetWorkspaceSize(inputs[0], inputs[1], *kernels, *strides,
                                                          *paddings, false, true, 0, 1, out,
                                                          workspace, executor);
          }
          if (adaptive) {
            return aclnnAdaptiveAvgPool2dGetWorkspaceSize(inputs[0], *kernels, out, workspace,
                                                          executor);
          }
          return aclnnAvgPool2dGetWorkspaceSize(inputs[0], *kernels, *strides, *paddings, false,
                                                true, 0, 1, out, workspace, executor);
        };
  };
  const auto planes = [&](int64_t extent, const char* type, bool permuted) {
    std::vector<int64_t> strides;
    if (permuted) strides = {channels * extent * extent, 1, extent * channels, channels};
    return bench::Operand{{images, channels, extent, extent}, type, strides, 0, ACL_FORMAT_NCHW};
  };
  const int64_t windows = adaptive ? kernel : (size + 2 * padding - kernel) / stride + 1;
  const bool permuted = layout == "permuted";
  const bench::Operand image = planes(size, dtype, permuted);
  const bench::Operand pooled = planes(windows, dtype, permuted && backward);
  bench::Operand indices = planes(windows, "int32", permuted && backward);
  std::vector<bench::Operand> inputs = {image}, outputs = {pooled};
  bench::Cost cost = {.read_bytes = image.Bytes(), .write_bytes = pooled.Bytes()};
  if (backward) {
    // Of the image the shape alone is read.
    inputs = {pooled, image};
    outputs = {image};
    std::swap(cost.read_bytes, cost.write_bytes);
    indices.below = size * size;
  }
  if (greatest) {
    (backward ? inputs : outputs).push_back(indices);
    (backward ? cost.read_bytes : cost.write_bytes) += indices.Bytes();
  }
  auto* const of_maxima =
      backward ? &aclnnMaxPool2dWithIndicesBackward : &aclnnMaxPool2dWithIndices;
  auto* const of_means = backward   ? &aclnnAvgPool2dBackward
                         : adaptive ? &aclnnAdaptiveAvgPool2d
                                    : &aclnnAvgPool2d;
  return bench::CaseOf("pooling", name, dtype,
                       {{"function", function},
                        {"images", std::to_string(images)},
                        {"channels", std::to_string(channels)},
                        {"size", std::to_string(size)},
                        {"kernel", std::to_string(kernel)},
                        {"stride", std::to_string(stride)},
                        {"padding", std::to_string(padding)},
                        {"layout", layout}},
                       {inputs, outputs, open, greatest ? of_maxima : of_means}, cost);
}

}  // namespace

std::vector<bench::Case> BenchCases() {
  return {
#define ACLIMB_CASE(name, function, images, channels, size, kernel, stride, padding, layout, \
                    dtype)                                                                   \
  Make(#name, #function, images, channels, size, kernel, stride, padding, #layout, #dtype),
#include "aclimb/ops/pooling/cases.inc"
#undef ACLIMB_CASE
  };
}

}  // namespace aclimb::pooling
