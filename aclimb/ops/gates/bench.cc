#include "aclnnop/aclnn_geglu.h"
#include "aclnnop/aclnn_glu.h"
#include "aclnnop/aclnn_glu_backward.h"
#include "aclnnop/aclnn_swi_glu.h"
#include "aclnnop/aclnn_swi_glu_grad.h"
#include "bench/call_problem.h"

namespace aclimb::gates {
namespace {

bench::Case Make(const char* name, const std::string& function, int64_t rows, int64_t columns,
                 const std::string& layout, const char* dtype) {
  const auto open = [=](const bench::Tensors& in, const bench::Tensors& outputs) {
    return [=, out = outputs[0]](uint64_t* size, aclOpExecutor** executor) {
      if (function == "swi_glu") {
        return aclnnSwiGluGetWorkspaceSize(in[0], -1, out, size, executor);
      }
      if (function == "swi_glu_grad") {
        return aclnnSwiGluGradGetWorkspaceSize(in[1], in[0], -1, out, size, executor);
      }
      if (function == "glu") return aclnnGluGetWorkspaceSize(in[0], -1, out, size, executor);
      if (function == "glu_backward") {
        return aclnnGluBackwardGetWorkspaceSize(in[1], in[0], -1, out, size, executor);
      }
      return aclnnGeGluGetWorkspaceSize(in[0], -1, 0, out, outputs[1], size, executor);
    };
  };
  const auto phase2 = function == "swi_glu"        ? &aclnnSwiGlu
                      : function == "swi_glu_grad" ? &aclnnSwiGluGrad
                      : function == "glu"          ? &aclnnGlu
                      : function == "glu_backward" ? &aclnnGluBackward
                                                   : &aclnnGeGlu;
  const bench::Operand whole = {{rows, columns}, dtype, bench::StridesOf(layout, rows)};
  const bench::Operand half = {{rows, columns / 2}, dtype};
  std::vector<bench::Operand> inputs = {whole}, outputs = {half};
  if (function.starts_with("glu_back") || function == "swi_glu_grad") {
    inputs.push_back(half);
    outputs = {{whole.shape, dtype}};
  } else if (function == "ge_glu") {
    outputs.push_back(half);
  }
  return bench::CaseOf("gates", name, dtype,
                       {{"function", function},
                        {"rows", std::to_string(rows)},
                        {"columns", std::to_string(columns)},
                        {"layout", layout}},
                       {inputs, outputs, open, phase2});
}

}  // namespace

std::vector<bench::Case> BenchCases() {
  return {
#define ACLIMB_CASE(name, function, rows, columns, layout, dtype) \
  Make(#name, #function, rows, columns, #layout, #dtype),
#include "aclimb/ops/gates/cases.inc"
#undef ACLIMB_CASE
  };
}

}  // namespace aclimb::gates
