#include "aclnnop/aclnn_prelu.h"
#include "aclnnop/aclnn_prelu_backward.h"
#include "bench/call_problem.h"

namespace aclimb::prelu {
namespace {

bench::Case Make(const char* name, const std::string& function, int64_t images, int64_t channels,
                 int64_t size, const std::string& layout, const char* dtype) {
  const bool backward = function == "prelu_backward";
  const auto open = [=](const bench::Tensors& in, const bench::Tensors& out) {
    return [=](uint64_t* workspace, aclOpExecutor** executor) {
      if (backward) {
        return aclnnPreluBackwardGetWorkspaceSize(in[2], in[0], in[1], out[0], out[1], workspace,
                                                  executor);
      }
      return aclnnPreluGetWorkspaceSize(in[0], in[1], out[0], workspace, executor);
    };
  };
  bench::Operand x = {{images, channels, size, size}, dtype};
  if (layout == "permuted") x.strides = {channels * size * size, 1, size * channels, channels};
  const bench::Operand weight = {{channels}, dtype};
  std::vector<bench::Operand> inputs = {x, weight}, outputs = {x};
  if (backward) {
    inputs.push_back(x);
    outputs.push_back(weight);
  }
  return bench::CaseOf("prelu", name, dtype,
                       {{"function", function},
                        {"images", std::to_string(images)},
                        {"channels", std::to_string(channels)},
                        {"size", std::to_string(size)},
                        {"layout", layout}},
                       {inputs, outputs, open, backward ? &aclnnPreluBackward : &aclnnPrelu});
}

}  // namespace

std::vector<bench::Case> BenchCases() {
  return {
#define ACLIMB_CASE(name, function, images, channels, size, layout, dtype) \
  Make(#name, #function, images, channels, size, #layout, #dtype),
#include "aclimb/ops/prelu/cases.inc"
#undef ACLIMB_CASE
  };
}

}  // namespace aclimb::prelu
