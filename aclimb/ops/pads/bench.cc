#include "aclnnop/aclnn_constant_pad_nd.h"
#include "aclnnop/aclnn_reflection_pad2d.h"
#include "aclnnop/aclnn_reflection_pad2d_backward.h"
#include "aclnnop/aclnn_replication_pad2d.h"
#include "aclnnop/aclnn_replication_pad2d_backward.h"
#include "bench/call_problem.h"

namespace aclimb::pads {
namespace {

bench::Case Make(const char* name, const std::string& function, int64_t channels, int64_t size,
                 int64_t padding, const std::string& layout, const char* dtype) {
  const bool reflects = function.starts_with("reflection");
  const bool constant = function == "constant", backward = function.ends_with("backward");
  const auto open = [=](const bench::Tensors& inputs, const bench::Tensors& outputs) {
    const auto pads = std::make_shared<bench::IntArray>(std::vector<int64_t>(4, padding));
    const float zero = 0;
    // Kept for as long as the process lives, as its cases are.
    const aclScalar* const value = aclCreateScalar(const_cast<float*>(&zero), ACL_FLOAT);
    const auto forward =
        reflects ? &aclnnReflectionPad2dGetWorkspaceSize : &aclnnReplicationPad2dGetWorkspaceSize;
    const auto gradient = reflects ? &aclnnReflectionPad2dBackwardGetWorkspaceSize
                                   : &aclnnReplicationPad2dBackwardGetWorkspaceSize;
    return [=, out = outputs[0]](uint64_t* workspace, aclOpExecutor** executor) {
      if (constant) {
        return aclnnConstantPadNdGetWorkspaceSize(inputs[0], *pads, value, out, workspace,
                                                  executor);
      }
      return backward ? gradient(inputs[0], inputs[1], *pads, out, workspace, executor)
                      : forward(inputs[0], *pads, out, workspace, executor);
    };
  };
  const auto image = [&](int64_t extent, const std::string& lies) {
    std::vector<int64_t> strides;
    if (lies == "permuted") strides = {channels * extent * extent, 1, extent * channels, channels};
    return bench::Operand{{1, channels, extent, extent}, dtype, strides};
  };
  const int64_t padded = size + 2 * padding;
  std::vector<bench::Operand> inputs = {image(backward ? padded : size, layout)};
  // Of the second one the shape alone is read.
  if (backward) inputs.push_back(image(size, "dense"));
  const bench::Operand out = image(backward ? size : padded, "dense");
  auto* const of_edges = reflects ? backward ? &aclnnReflectionPad2dBackward : &aclnnReflectionPad2d
                         : backward ? &aclnnReplicationPad2dBackward
                                    : &aclnnReplicationPad2d;
  return bench::CaseOf("pads", name, dtype,
                       {{"function", function},
                        {"channels", std::to_string(channels)},
                        {"size", std::to_string(size)},
                        {"padding", std::to_string(padding)},
                        {"layout", layout}},
                       {inputs, {out}, open, constant ? &aclnnConstantPadNd : of_edges},
                       {.read_bytes = inputs[0].Bytes(), .write_bytes = out.Bytes()});
}

}  // namespace

std::vector<bench::Case> BenchCases() {
  return {
#define ACLIMB_CASE(name, function, channels, size, padding, layout, dtype) \
  Make(#name, #function, channels, size, padding, #layout, #dtype),
#include "aclimb/ops/pads/cases.inc"
#undef ACLIMB_CASE
  };
}

}  // namespace aclimb::pads
