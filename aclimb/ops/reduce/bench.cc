#include "aclimb/reduction/bench_problem.h"
#include "reduce_headers.h"

namespace aclimb::reduce {
namespace {

using reduction::BenchPhase1;
using reduction::BenchPhase2;
using reduction::BenchShape;

bench::Case Make(const char* operator_name, const char* name, int64_t rows, int64_t columns,
                 int dim, const char* layout, const char* dtype) {
  // Kept for as long as the process lives, as its cases are.
  const int64_t dims[] = {dim};
  aclIntArray* const reduced = aclCreateIntArray(dims, dim < 0 ? 0 : 1);
  const aclDataType as = bench::AclDataTypeOf(dtype);
  const BenchShape shape = {rows, columns, dim, layout, dtype, dtype, dim < 0};
  const auto of = [&](auto function, BenchPhase2 phase2) {
    return reduction::BenchCaseOf(
        operator_name, name, shape,
        [function, reduced](const aclTensor* self, aclTensor* out, uint64_t* size,
                            aclOpExecutor** executor) {
          return function(self, reduced, false, out, size, executor);
        },
        phase2);
  };
  const std::string of_name = operator_name;
  if (of_name == "amax") return of(&aclnnAmaxGetWorkspaceSize, &aclnnAmax);
  if (of_name == "log_sum_exp") return of(&aclnnLogSumExpGetWorkspaceSize, &aclnnLogSumExp);
  return of(
      [as](const aclTensor* self, const aclIntArray* all, bool keep, aclTensor* out, uint64_t* size,
           aclOpExecutor** executor) {
        return aclnnReduceSumGetWorkspaceSize(self, all, keep, as, out, size, executor);
      },
      &aclnnReduceSum);
}

}  // namespace

std::vector<bench::Case> BenchCases() {
  return {
#define ACLIMB_CASE(operator_name, name, rows, columns, dim, layout, dtype) \
  Make(#operator_name, #name, rows, columns, dim, #layout, #dtype),
#include "aclimb/ops/reduce/cases.inc"
#undef ACLIMB_CASE
  };
}

}  // namespace aclimb::reduce
