#include "aclnnop/aclnn_kl_div.h"
#include "aclnnop/aclnn_l1_loss.h"
#include "aclnnop/aclnn_smooth_l1_loss.h"
#include "bench/call_problem.h"

namespace aclimb::losses {
namespace {

bench::Case Make(const char* name, const std::string& function, int64_t rows, int64_t columns,
                 const std::string& reduction, const std::string& layout, const char* dtype) {
  const int64_t number = bench::NumberOfReduction(reduction);
  const auto open = [=](const bench::Tensors& inputs, const bench::Tensors& outputs) {
    return [=, self = inputs[0], target = inputs[1], out = outputs[0]](uint64_t* size,
                                                                       aclOpExecutor** executor) {
      if (function == "l1_loss") {
        return aclnnL1LossGetWorkspaceSize(self, target, number, out, size, executor);
      }
      if (function == "kl_div") {
        return aclnnKlDivGetWorkspaceSize(self, target, number, true, out, size, executor);
      }
      return aclnnSmoothL1LossGetWorkspaceSize(self, target, number, 1, out, size, executor);
    };
  };
  const bench::Operand input = {{rows, columns}, dtype, bench::StridesOf(layout, rows)};
  const auto phase2 = function == "l1_loss"  ? &aclnnL1Loss
                      : function == "kl_div" ? &aclnnKlDiv
                                             : &aclnnSmoothL1Loss;
  return bench::CaseOf("losses", name, dtype,
                       {{"function", function},
                        {"rows", std::to_string(rows)},
                        {"columns", std::to_string(columns)},
                        {"reduction", reduction},
                        {"layout", layout}},
                       {{input, input},
                        {{number == 0 ? input.shape : std::vector<int64_t>{}, dtype}},
                        open,
                        phase2});
}

}  // namespace

std::vector<bench::Case> BenchCases() {
  return {
#define ACLIMB_CASE(name, function, rows, columns, reduction, layout, dtype) \
  Make(#name, #function, rows, columns, #reduction, #layout, #dtype),
#include "aclimb/ops/losses/cases.inc"
#undef ACLIMB_CASE
  };
}

}  // namespace aclimb::losses
