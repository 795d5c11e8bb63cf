#include "aclnnop/aclnn_inverse.h"
#include "bench/call_problem.h"

namespace aclimb::inverse {
namespace {

bench::Case Make(const char* name, int64_t batches, int64_t rows, const char* dtype) {
  const auto open = [](const bench::Tensors& inputs, const bench::Tensors& outputs) {
    return [=](uint64_t* size, aclOpExecutor** executor) {
      return aclnnInverseGetWorkspaceSize(inputs[0], outputs[0], size, executor);
    };
  };
  const bench::Operand matrices = {{batches, rows, rows}, dtype};
  bench::Cost cost = {.read_bytes = matrices.Bytes(), .write_bytes = matrices.Bytes()};
  cost.flops = 2 * static_cast<double>(batches * rows) * static_cast<double>(rows * rows);
  return bench::CaseOf("inverse", name, dtype,
                       {{"batches", std::to_string(batches)}, {"rows", std::to_string(rows)}},
                       {{matrices}, {matrices}, open, &aclnnInverse}, cost);
}

}  // namespace

std::vector<bench::Case> BenchCases() {
  return {
#define ACLIMB_CASE(name, batches, rows, dtype) Make(#name, batches, rows, #dtype),
#include "aclimb/ops/inverse/cases.inc"
#undef ACLIMB_CASE
  };
}

}  // namespace aclimb::inverse
