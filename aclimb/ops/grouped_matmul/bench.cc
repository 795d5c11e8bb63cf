#include "aclnnop/aclnn_grouped_matmul_v3.h"
#include "bench/call_problem.h"

namespace aclimb::grouped_matmul {
namespace {

bench::Case Make(const char* name, int64_t products, int64_t rows, int64_t inner, int64_t columns,
                 const char* dtype) {
  const auto open = [=](const bench::Tensors& in, const bench::Tensors& out) {
    // Kept for as long as the process lives, as its cases are.
    const auto list = [products](const bench::Tensors& of, int64_t first) {
      return aclCreateTensorList(of.data() + first, static_cast<uint64_t>(products));
    };
    return [x = list(in, 0), weight = list(in, products), y = list(out, 0)](
               uint64_t* size, aclOpExecutor** executor) {
      return aclnnGroupedMatmulV3GetWorkspaceSize(x, weight, nullptr, nullptr, nullptr, nullptr,
                                                  nullptr, nullptr, 0, -1, y, size, executor);
    };
  };
  const auto count = static_cast<size_t>(products);
  const bench::Operand x = {{rows, inner}, dtype}, weight = {{inner, columns}, dtype};
  const bench::Operand y = {{rows, columns}, dtype};
  std::vector<bench::Operand> inputs(count, x);
  inputs.insert(inputs.end(), count, weight);
  const auto times = static_cast<double>(products);
  return bench::CaseOf(
      "grouped_matmul", name, dtype,
      {{"products", std::to_string(products)},
       {"rows", std::to_string(rows)},
       {"inner", std::to_string(inner)},
       {"columns", std::to_string(columns)}},
      {inputs, std::vector(count, y), open, &aclnnGroupedMatmulV3},
      {.read_bytes = times * (x.Bytes() + weight.Bytes()),
       .write_bytes = times * y.Bytes(),
       .flops = 2 * times * static_cast<double>(rows * inner) * static_cast<double>(columns)});
}

}  // namespace

std::vector<bench::Case> BenchCases() {
  return {
#define ACLIMB_CASE(name, products, rows, inner, columns, dtype) \
  Make(#name, products, rows, inner, columns, #dtype),
#include "aclimb/ops/grouped_matmul/cases.inc"
#undef ACLIMB_CASE
  };
}

}  // namespace aclimb::grouped_matmul
