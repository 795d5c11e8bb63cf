#include "aclnnop/aclnn_triangular_solve.h"
#include "bench/call_problem.h"

namespace aclimb::triangular_solve {
namespace {

bench::Case Make(const char* name, int64_t rows, int64_t columns, bool upper, const char* dtype) {
  const auto open = [upper](const bench::Tensors& inputs, const bench::Tensors& outputs) {
    return [=](uint64_t* size, aclOpExecutor** executor) {
      return aclnnTriangularSolveGetWorkspaceSize(inputs[0], inputs[1], upper, false, true,
                                                  outputs[0], outputs[1], size, executor);
    };
  };
  const bench::Operand sides = {{rows, columns}, dtype}, matrix = {{rows, rows}, dtype};
  bench::Cost cost = {.read_bytes = sides.Bytes() + matrix.Bytes()};
  cost.write_bytes = cost.read_bytes;
  cost.flops = static_cast<double>(rows) * static_cast<double>(rows * columns);
  return bench::CaseOf("triangular_solve", name, dtype,
                       {{"rows", std::to_string(rows)},
                        {"columns", std::to_string(columns)},
                        {"upper", upper ? "1" : "0"}},
                       {{sides, matrix}, {sides, matrix}, open, &aclnnTriangularSolve}, cost);
}

}  // namespace

std::vector<bench::Case> BenchCases() {
  return {
#define ACLIMB_CASE(name, rows, columns, upper, dtype) Make(#name, rows, columns, upper, #dtype),
#include "aclimb/ops/triangular_solve/cases.inc"
#undef ACLIMB_CASE
  };
}

}  // namespace aclimb::triangular_solve
