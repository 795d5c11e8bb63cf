#include "aclnnop/aclnn_mse_loss.h"
#include "bench/call_problem.h"

namespace aclimb::mse_loss {
namespace {

bench::Case Make(const char* name, int64_t rows, int64_t columns, const std::string& reduction,
                 const std::string& layout, const char* dtype) {
  const int64_t number = bench::NumberOfReduction(reduction);
  const auto open = [number](const bench::Tensors& inputs, const bench::Tensors& outputs) {
    return [=, self = inputs[0], target = inputs[1], out = outputs[0]](uint64_t* size,
                                                                       aclOpExecutor** executor) {
      return aclnnMseLossGetWorkspaceSize(self, target, number, out, size, executor);
    };
  };
  const bench::Operand input = {{rows, columns}, dtype, bench::StridesOf(layout, rows)};
  return bench::CaseOf("mse_loss", name, dtype,
                       {{"rows", std::to_string(rows)},
                        {"columns", std::to_string(columns)},
                        {"reduction", reduction},
                        {"layout", layout}},
                       {{input, input},
                        {{number == 0 ? input.shape : std::vector<int64_t>{}, dtype}},
                        open,
                        &aclnnMseLoss});
}

}  // namespace

std::vector<bench::Case> BenchCases() {
  return {
#define ACLIMB_CASE(name, rows, columns, reduction, layout, dtype) \
  Make(#name, rows, columns, #reduction, #layout, #dtype),
#include "aclimb/ops/mse_loss/cases.inc"
#undef ACLIMB_CASE
  };
}

}  // namespace aclimb::mse_loss
