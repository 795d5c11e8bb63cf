#include "aclnnop/aclnn_weight_quant_batch_matmul_v2.h"
#include "bench/call_problem.h"

namespace aclimb::weight_quant_batch_matmul {
namespace {

bench::Case Make(const char* name, int64_t rows, int64_t inner, int64_t columns,
                 const std::string& layout, const char* dtype) {
  const auto open = [](const bench::Tensors& in, const bench::Tensors& out) {
    return [=](uint64_t* size, aclOpExecutor** executor) {
      return aclnnWeightQuantBatchMatmulV2GetWorkspaceSize(
          in[0], in[1], in[2], nullptr, nullptr, nullptr, nullptr, 0, out[0], size, executor);
    };
  };
  const bench::Operand x = {{rows, inner}, dtype}, scale = {{columns}, dtype};
  const bench::Operand weight = {{inner, columns}, "int8", bench::StridesOf(layout, inner), 128};
  const bench::Operand y = {{rows, columns}, dtype};
  return bench::CaseOf(
      "weight_quant_batch_matmul", name, dtype,
      {{"rows", std::to_string(rows)},
       {"inner", std::to_string(inner)},
       {"columns", std::to_string(columns)},
       {"layout", layout}},
      {{x, weight, scale}, {y}, open, &aclnnWeightQuantBatchMatmulV2},
      {.read_bytes = x.Bytes() + weight.Bytes() + scale.Bytes(),
       .write_bytes = y.Bytes(),
       .flops = 2 * static_cast<double>(rows * inner) * static_cast<double>(columns)});
}

}  // namespace

std::vector<bench::Case> BenchCases() {
  return {
#define ACLIMB_CASE(name, rows, inner, columns, layout, dtype) \
  Make(#name, rows, inner, columns, #layout, #dtype),
#include "aclimb/ops/weight_quant_batch_matmul/cases.inc"
#undef ACLIMB_CASE
  };
}

}  // namespace aclimb::weight_quant_batch_matmul
