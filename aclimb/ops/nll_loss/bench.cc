#include "aclnnop/aclnn_nll_loss.h"
#include "bench/call_problem.h"

namespace aclimb::nll_loss {
namespace {

bench::Case Make(const char* name, int64_t rows, int64_t columns, const std::string& reduction,
                 const char* dtype) {
  const int64_t number = bench::NumberOfReduction(reduction);
  const auto open = [number](const bench::Tensors& inputs, const bench::Tensors& outputs) {
    return [=](uint64_t* size, aclOpExecutor** executor) {
      return aclnnNLLLossGetWorkspaceSize(inputs[0], inputs[1], inputs[2], number, -100, outputs[0],
                                          outputs[1], size, executor);
    };
  };
  const bench::Operand target = {{rows}, "int64", {}, columns}, weight = {{columns}, dtype};
  const bench::Operand out = {number == 0 ? target.shape : std::vector<int64_t>{}, dtype};
  const double picked = static_cast<double>(rows) * static_cast<double>(bench::SizeOfName(dtype));
  return bench::CaseOf(
      "nll_loss", name, dtype,
      {{"rows", std::to_string(rows)},
       {"columns", std::to_string(columns)},
       {"reduction", reduction}},
      {{{{rows, columns}, dtype}, target, weight}, {out, {{}, dtype}}, open, &aclnnNLLLoss},
      {.read_bytes = picked + target.Bytes() + weight.Bytes(), .write_bytes = out.Bytes()});
}

}  // namespace

std::vector<bench::Case> BenchCases() {
  return {
#define ACLIMB_CASE(name, rows, columns, reduction, dtype) \
  Make(#name, rows, columns, #reduction, #dtype),
#include "aclimb/ops/nll_loss/cases.inc"
#undef ACLIMB_CASE
  };
}

}  // namespace aclimb::nll_loss
