#include "aclnnop/aclnn_norm.h"
#include "bench/call_problem.h"

namespace aclimb::norm {
namespace {

bench::Case Make(const char* name, int64_t rows, int64_t columns, int64_t dim, float p,
                 const std::string& p_text, const char* dtype) {
  const auto open = [=](const bench::Tensors& inputs, const bench::Tensors& outputs) {
    const auto dims = std::make_shared<bench::IntArray>(std::vector<int64_t>{dim});
    // Kept for as long as the process lives, as its cases are.
    float number = p;
    const aclScalar* const order = aclCreateScalar(&number, ACL_FLOAT);
    return [=, self = inputs[0], out = outputs[0]](uint64_t* size, aclOpExecutor** executor) {
      return aclnnNormGetWorkspaceSize(self, order, *dims, false, out, size, executor);
    };
  };
  return bench::CaseOf(
      "norm", name, dtype,
      {{"rows", std::to_string(rows)},
       {"columns", std::to_string(columns)},
       {"dim", std::to_string(dim)},
       {"p", p_text}},
      {{{{rows, columns}, dtype}}, {{{dim == 0 ? columns : rows}, dtype}}, open, &aclnnNorm});
}

}  // namespace

std::vector<bench::Case> BenchCases() {
  return {
#define ACLIMB_CASE(name, rows, columns, dim, p, dtype) \
  Make(#name, rows, columns, dim, p, #p, #dtype),
#include "aclimb/ops/norm/cases.inc"
#undef ACLIMB_CASE
  };
}

}  // namespace aclimb::norm
