#include "aclnnop/aclnn_grid_sampler2d.h"
#include "aclnnop/aclnn_grid_sampler2d_backward.h"
#include "bench/call_problem.h"

namespace aclimb::grid_sampler {
namespace {

bench::Case Make(const char* name, const std::string& function, const std::string& mode,
                 int64_t images, int64_t channels, int64_t size, int64_t result,
                 const std::string& layout, const char* dtype) {
  const bool backward = function == "backward";
  const int64_t interpolation = mode == "bilinear" ? 0 : 1;
  const auto open = [=](const bench::Tensors& inputs, const bench::Tensors& outputs) {
    // Kept for as long as the process lives, as its cases are.
    const bool both[] = {true, true};
    const aclBoolArray* const mask = aclCreateBoolArray(both, 2);
    return [=](uint64_t* workspace, aclOpExecutor** executor) {
      if (backward) {
        return aclnnGridSampler2DBackwardGetWorkspaceSize(inputs[2], inputs[0], inputs[1],
                                                          interpolation, 0, false, mask, outputs[0],
                                                          outputs[1], workspace, executor);
      }
      return aclnnGridSampler2DGetWorkspaceSize(inputs[0], inputs[1], interpolation, 0, false,
                                                outputs[0], workspace, executor);
    };
  };
  const auto image = [&](int64_t extent) {
    bench::Operand operand = {{images, channels, extent, extent}, dtype, {}, 0, ACL_FORMAT_NCHW};
    if (layout == "permuted") {
      operand.strides = {channels * extent * extent, 1, extent * channels, channels};
    }
    return operand;
  };
  const bench::Operand input = image(size), sampled = image(result);
  const bench::Operand grid = {{images, result, result, 2}, dtype};
  std::vector<bench::Operand> inputs = {input, grid};
  if (backward) inputs.push_back(sampled);
  return bench::CaseOf("grid_sampler", name, dtype,
                       {{"function", function},
                        {"mode", mode},
                        {"images", std::to_string(images)},
                        {"channels", std::to_string(channels)},
                        {"size", std::to_string(size)},
                        {"result", std::to_string(result)},
                        {"layout", layout}},
                       {inputs, backward ? std::vector{input, grid} : std::vector{sampled}, open,
                        backward ? &aclnnGridSampler2DBackward : &aclnnGridSampler2D});
}

}  // namespace

std::vector<bench::Case> BenchCases() {
  return {
#define ACLIMB_CASE(name, function, mode, images, channels, size, result, layout, dtype) \
  Make(#name, #function, #mode, images, channels, size, result, #layout, #dtype),
#include "aclimb/ops/grid_sampler/cases.inc"
#undef ACLIMB_CASE
  };
}

}  // namespace aclimb::grid_sampler
