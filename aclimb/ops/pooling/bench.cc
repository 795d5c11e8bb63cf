#include "aclnnop/aclnn_adaptive_avg_pool2d.h"
#include "aclnnop/aclnn_avgpool2d.h"
#include "aclnnop/aclnn_max_pool2d_with_indices.h"
#include "bench/call_problem.h"

namespace aclimb::pooling {
namespace {

bench::Case Make(const char* name, const std::string& function, int64_t images, int64_t channels,
                 int64_t size, int64_t kernel, int64_t stride, int64_t padding,
                 const std::string& layout, const char* dtype) {
  const bool greatest = function == "max_pool", adaptive = function == "adaptive_avg_pool";
  const auto open = [=](const bench::Tensors& inputs, const bench::Tensors& outputs) {
    const auto both = [](int64_t extent) {
      return std::make_shared<bench::IntArray>(std::vector<int64_t>{extent, extent});
    };
    return [=, kernels = both(kernel), strides = both(stride), paddings = both(padding),
            ones = both(1)](uint64_t* workspace, aclOpExecutor** executor) {
      if (greatest) {
        return aclnnMaxPool2dWithIndicesGetWorkspaceSize(inputs[0], *kernels, *strides, *paddings,
                                                         *ones, false, outputs[0], outputs[1],
                                                         workspace, executor);
      }
      if (adaptive) {
        return aclnnAdaptiveAvgPool2dGetWorkspaceSize(inputs[0], *kernels, outputs[0], workspace,
                                                      executor);
      }
      return aclnnAvgPool2dGetWorkspaceSize(inputs[0], *kernels, *strides, *paddings, false, true,
                                            0, 1, outputs[0], workspace, executor);
    };
  };
  const int64_t windows = adaptive ? kernel : (size + 2 * padding - kernel) / stride + 1;
  const std::vector<int64_t> shape = {images, channels, windows, windows};
  std::vector<bench::Operand> outputs = {{shape, dtype, {}, 0, ACL_FORMAT_NCHW}};
  if (greatest) outputs.push_back({shape, "int32", {}, 0, ACL_FORMAT_NCHW});
  std::vector<int64_t> strides;
  if (layout == "permuted") strides = {channels * size * size, 1, size * channels, channels};
  return bench::CaseOf("pooling", name, dtype,
                       {{"function", function},
                        {"images", std::to_string(images)},
                        {"channels", std::to_string(channels)},
                        {"size", std::to_string(size)},
                        {"kernel", std::to_string(kernel)},
                        {"stride", std::to_string(stride)},
                        {"padding", std::to_string(padding)},
                        {"layout", layout}},
                       {{{{images, channels, size, size}, dtype, strides, 0, ACL_FORMAT_NCHW}},
                        outputs,
                        open,
                        greatest   ? &aclnnMaxPool2dWithIndices
                        : adaptive ? &aclnnAdaptiveAvgPool2d
                                   : &aclnnAvgPool2d});
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
