#include "aclnnop/aclnn_embedding.h"
#include "aclnnop/aclnn_index_select.h"
#include "bench/call_problem.h"

namespace aclimb::gather_rows {
namespace {

bench::Case Make(const char* name, const std::string& function, int64_t rows, int64_t columns,
                 int64_t indices, const char* layout, const char* dtype) {
  const bool takes_rows = function == "embedding";
  const auto open = [=](const bench::Tensors& inputs, const bench::Tensors& outputs) {
    return [=, self = inputs[0], index = inputs[1], out = outputs[0]](uint64_t* size,
                                                                      aclOpExecutor** executor) {
      if (takes_rows) return aclnnEmbeddingGetWorkspaceSize(self, index, out, size, executor);
      return aclnnIndexSelectGetWorkspaceSize(self, 1, index, out, size, executor);
    };
  };
  const bench::Operand index = {{indices}, "int64", {}, takes_rows ? rows : columns};
  const bench::Operand out = {{takes_rows ? indices : rows, takes_rows ? columns : indices}, dtype};
  return bench::CaseOf("gather_rows", name, dtype,
                       {{"function", function},
                        {"rows", std::to_string(rows)},
                        {"columns", std::to_string(columns)},
                        {"indices", std::to_string(indices)},
                        {"layout", layout}},
                       {{{{rows, columns}, dtype, bench::StridesOf(layout, rows)}, index},
                        {out},
                        open,
                        takes_rows ? &aclnnEmbedding : &aclnnIndexSelect},
                       {.read_bytes = out.Bytes() + index.Bytes(), .write_bytes = out.Bytes()});
}

}  // namespace

std::vector<bench::Case> BenchCases() {
  return {
#define ACLIMB_CASE(name, function, rows, columns, indices, layout, dtype) \
  Make(#name, #function, rows, columns, indices, #layout, #dtype),
#include "aclimb/ops/gather_rows/cases.inc"
#undef ACLIMB_CASE
  };
}

}  // namespace aclimb::gather_rows
