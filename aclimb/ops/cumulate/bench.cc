#include "aclimb/reduction/bench_problem.h"
#include "aclnnop/aclnn_cumsum.h"

namespace aclimb::cumulate {
namespace {

bench::Case Make(const char* name, int64_t rows, int64_t columns, int dim, const char* dtype) {
  const aclDataType as = bench::AclDataTypeOf(dtype);
  return reduction::BenchCaseOf(
      "cumsum", name, {rows, columns, dim, dtype, dtype, true},
      [as, dim](const aclTensor* self, aclTensor* out, uint64_t* size, aclOpExecutor** executor) {
        return aclnnCumsumGetWorkspaceSize(self, dim, as, out, size, executor);
      },
      &aclnnCumsum);
}

}  // namespace

std::vector<bench::Case> BenchCases() {
  return {
#define ACLIMB_CASE(name, rows, columns, dim, dtype) Make(#name, rows, columns, dim, #dtype),
#include "aclimb/ops/cumulate/cases.inc"
#undef ACLIMB_CASE
  };
}

}  // namespace aclimb::cumulate
