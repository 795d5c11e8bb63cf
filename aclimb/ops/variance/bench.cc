#include "aclimb/reduction/bench_problem.h"
#include "aclnnop/aclnn_var.h"

namespace aclimb::variance {
namespace {

bench::Case Make(const char* name, int64_t rows, int64_t columns, int dim, const char* layout,
                 const char* dtype) {
  // Kept for as long as the process lives, as its cases are.
  const int64_t one[] = {dim};
  aclIntArray* const dims = aclCreateIntArray(one, 1);
  return reduction::BenchCaseOf(
      "var", name, {rows, columns, dim, layout, dtype, dtype},
      [dims](const aclTensor* self, aclTensor* out, uint64_t* size, aclOpExecutor** executor) {
        return aclnnVarGetWorkspaceSize(self, dims, true, false, out, size, executor);
      },
      &aclnnVar);
}

}  // namespace

std::vector<bench::Case> BenchCases() {
  return {
#define ACLIMB_CASE(name, rows, columns, dim, layout, dtype) \
  Make(#name, rows, columns, dim, #layout, #dtype),
#include "aclimb/ops/variance/cases.inc"
#undef ACLIMB_CASE
  };
}

}  // namespace aclimb::variance
