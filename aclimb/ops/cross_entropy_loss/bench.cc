#include "aclnnop/aclnn_cross_entropy_loss.h"
#include "bench/call_problem.h"

namespace aclimb::cross_entropy_loss {
namespace {

bench::Case Make(const char* name, int64_t rows, int64_t columns, const std::string& reduction,
                 const char* dtype) {
  const auto open = [reduction](const bench::Tensors& inputs, const bench::Tensors& outputs) {
    return [=](uint64_t* size, aclOpExecutor** executor) {
      return aclnnCrossEntropyLossGetWorkspaceSize(inputs[0], inputs[1], nullptr, reduction.c_str(),
                                                   -100, 0, 0, false, outputs[0], outputs[1],
                                                   nullptr, nullptr, size, executor);
    };
  };
  const std::vector<int64_t> losses = {reduction == "none" ? rows : 1};
  return bench::CaseOf("cross_entropy_loss", name, dtype,
                       {{"rows", std::to_string(rows)},
                        {"columns", std::to_string(columns)},
                        {"reduction", reduction}},
                       {{{{rows, columns}, dtype}, {{rows}, "int64", {}, columns}},
                        {{losses, dtype}, {{rows, columns}, dtype}},
                        open,
                        &aclnnCrossEntropyLoss});
}

}  // namespace

std::vector<bench::Case> BenchCases() {
  return {
#define ACLIMB_CASE(name, rows, columns, reduction, dtype) \
  Make(#name, rows, columns, #reduction, #dtype),
#include "aclimb/ops/cross_entropy_loss/cases.inc"
#undef ACLIMB_CASE
  };
}

}  // namespace aclimb::cross_entropy_loss
