#include "aclimb/reduction/bench_problem.h"
#include "aclnnop/aclnn_argmax.h"

namespace aclimb::arg_reduce {
namespace {

bench::Case Make(const char* name, int64_t rows, int64_t columns, int dim, const char* layout,
                 const char* dtype) {
  return reduction::BenchCaseOf(
      "arg_max", name, {rows, columns, dim, layout, dtype, "int64"},
      [dim](const aclTensor* self, aclTensor* out, uint64_t* size, aclOpExecutor** executor) {
        return aclnnArgMaxGetWorkspaceSize(self, dim, false, out, size, executor);
      },
      &aclnnArgMax);
}

}  // namespace

std::vector<bench::Case> BenchCases() {
  return {
#define ACLIMB_CASE(name, rows, columns, dim, layout, dtype) \
  Make(#name, rows, columns, dim, #layout, #dtype),
#include "aclimb/ops/arg_reduce/cases.inc"
#undef ACLIMB_CASE
  };
}

}  // namespace aclimb::arg_reduce
