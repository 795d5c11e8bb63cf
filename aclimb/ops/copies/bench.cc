#include <vector>

#include "aclimb/elementwise/bench_problem.h"
#include "aclnnop/aclnn_cast.h"

namespace aclimb::copies {
namespace {

const elementwise::BenchFunction kFunctions[] = {
    ACLIMB_BENCH_FUNCTION("cast", 1, Cast, o.a, o.result),
};

}  // namespace

std::vector<bench::Case> BenchCases() {
  return {
#define ACLIMB_CASE(name, function, rows, columns, layout, dtype, result) \
  elementwise::BenchCaseOf(kFunctions, "copies", #name,                   \
                           {#function, rows, columns, #layout, #dtype, #result}),
#include "aclimb/ops/copies/cases.inc"
#undef ACLIMB_CASE
  };
}

}  // namespace aclimb::copies
