#include "aclnnop/aclnn_tril.h"
#include "bench/call_problem.h"

namespace aclimb::triangles {
namespace {

bench::Case Make(const char* name, int64_t rows, int64_t columns, const std::string& layout,
                 const char* dtype) {
  const auto open = [](const bench::Tensors& inputs, const bench::Tensors& outputs) {
    return [self = inputs[0], out = outputs[0]](uint64_t* size, aclOpExecutor** executor) {
      return aclnnTrilGetWorkspaceSize(self, 0, out, size, executor);
    };
  };
  const bench::Operand out = {{rows, columns}, dtype};
  return bench::CaseOf(
      "triangles", name, dtype,
      {{"rows", std::to_string(rows)}, {"columns", std::to_string(columns)}, {"layout", layout}},
      {{{out.shape, dtype, bench::StridesOf(layout, rows)}}, {out}, open, &aclnnTril},
      // Half of it is zeros, and not read.
      {.read_bytes = out.Bytes() / 2, .write_bytes = out.Bytes(), .zero_bytes = out.Bytes() / 2});
}

}  // namespace

std::vector<bench::Case> BenchCases() {
  return {
#define ACLIMB_CASE(name, rows, columns, layout, dtype) Make(#name, rows, columns, #layout, #dtype),
#include "aclimb/ops/triangles/cases.inc"
#undef ACLIMB_CASE
  };
}

}  // namespace aclimb::triangles
