#include "aclnnop/aclnn_cumprod.h"
#include "aclnnop/aclnn_cumsum.h"
#include "bench/call_problem.h"

namespace aclimb::cumulate {
namespace {

bench::Case Make(const char* name, const std::string& function, int64_t rows, int64_t columns,
                 int64_t dim, const char* layout, const std::string& dtype) {
  const bool multiplies = function == "cumprod";
  const auto open = [=, as = bench::AclDataTypeOf(dtype)](const bench::Tensors& inputs,
                                                          const bench::Tensors& outputs) {
    // Kept for as long as the process lives, as its cases are.
    int64_t number = dim;
    const aclScalar* const scalar = aclCreateScalar(&number, ACL_INT64);
    return [=, self = inputs[0], out = outputs[0]](uint64_t* size, aclOpExecutor** executor) {
      if (multiplies) return aclnnCumprodGetWorkspaceSize(self, scalar, as, out, size, executor);
      return aclnnCumsumGetWorkspaceSize(self, dim, as, out, size, executor);
    };
  };
  const bench::Operand self = {
      {rows, columns}, dtype, bench::StridesOf(layout, rows), dtype == "int64" ? 1000 : 0};
  return bench::CaseOf(
      multiplies ? "cumprod" : "cumsum", name, dtype.c_str(),
      {{"function", function},
       {"rows", std::to_string(rows)},
       {"columns", std::to_string(columns)},
       {"dim", std::to_string(dim)},
       {"layout", layout}},
      {{self}, {{self.shape, dtype}}, open, multiplies ? &aclnnCumprod : &aclnnCumsum});
}

}  // namespace

std::vector<bench::Case> BenchCases() {
  return {
#define ACLIMB_CASE(name, function, rows, columns, dim, layout, dtype) \
  Make(#name, #function, rows, columns, dim, #layout, #dtype),
#include "aclimb/ops/cumulate/cases.inc"
#undef ACLIMB_CASE
  };
}

}  // namespace aclimb::cumulate
