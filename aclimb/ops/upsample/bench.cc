#include "aclnnop/aclnn_upsample_bicubic_2d.h"
#include "aclnnop/aclnn_upsample_bicubic_2d_backward.h"
#include "aclnnop/aclnn_upsample_bilinear_2d.h"
#include "aclnnop/aclnn_upsample_bilinear_2d_backward.h"
#include "aclnnop/aclnn_upsample_nearest_2d.h"
#include "aclnnop/aclnn_upsample_nearest_2d_backward.h"
#include "bench/call_problem.h"

namespace aclimb::upsample {
namespace {

using Phase2Of = aclnnStatus (*)(void*, uint64_t, aclOpExecutor*, aclrtStream);

Phase2Of Phase2Named(const std::string& function) {
  if (function == "nearest") return &aclnnUpsampleNearest2d;
  if (function == "nearest_backward") return &aclnnUpsampleNearest2dBackward;
  if (function == "bilinear") return &aclnnUpsampleBilinear2d;
  if (function == "bilinear_backward") return &aclnnUpsampleBilinear2dBackward;
  return function == "bicubic" ? &aclnnUpsampleBicubic2d : &aclnnUpsampleBicubic2dBackward;
}

bench::Case Make(const char* name, const std::string& function, int64_t images, int64_t channels,
                 int64_t size, int64_t result, const std::string& layout, const char* dtype) {
  const bool backward = function.ends_with("_backward");
  const auto open = [=](const bench::Tensors& inputs, const bench::Tensors& outputs) {
    return [=, from = inputs[0], to = outputs[0],
            plane = std::make_shared<bench::IntArray>(std::vector<int64_t>{result, result}),
            whole = std::make_shared<bench::IntArray>(std::vector<int64_t>{
                images, channels, size, size})](uint64_t* workspace, aclOpExecutor** executor) {
      if (function == "nearest") {
        return aclnnUpsampleNearest2dGetWorkspaceSize(from, *plane, to, workspace, executor);
      }
      if (function == "nearest_backward") {
        return aclnnUpsampleNearest2dBackwardGetWorkspaceSize(from, *plane, *whole, 0, 0, to,
                                                              workspace, executor);
      }
      if (backward) {
        const auto phase1 = function == "bilinear_backward"
                                ? &aclnnUpsampleBilinear2dBackwardGetWorkspaceSize
                                : &aclnnUpsampleBicubic2dBackwardGetWorkspaceSize;
        return phase1(from, *plane, *whole, false, 0, 0, to, workspace, executor);
      }
      const auto phase1 = function == "bilinear" ? &aclnnUpsampleBilinear2dGetWorkspaceSize
                                                 : &aclnnUpsampleBicubic2dGetWorkspaceSize;
      return phase1(from, *plane, false, 0, 0, to, workspace, executor);
    };
  };
  const auto image = [&](int64_t extent) {
    bench::Operand operand = {{images, channels, extent, extent}, dtype, {}, 0, ACL_FORMAT_NCHW};
    if (layout == "permuted") {
      operand.strides = {channels * extent * extent, 1, extent * channels, channels};
    }
    return operand;
  };
  return bench::CaseOf("upsample", name, dtype,
                       {{"function", function},
                        {"images", std::to_string(images)},
                        {"channels", std::to_string(channels)},
                        {"size", std::to_string(size)},
                        {"result", std::to_string(result)},
                        {"layout", layout}},
                       {{image(backward ? result : size)},
                        {image(backward ? size : result)},
                        open,
                        Phase2Named(function)});
}

}  // namespace

std::vector<bench::Case> BenchCases() {
  return {
#define ACLIMB_CASE(name, function, images, channels, size, result, layout, dtype) \
  Make(#name, #function, images, channels, size, result, #layout, #dtype),
#include "aclimb/ops/upsample/cases.inc"
#undef ACLIMB_CASE
  };
}

}  // namespace aclimb::upsample
