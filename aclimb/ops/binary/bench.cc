#include <vector>

#include "aclimb/elementwise/bench_problem.h"
#include "aclnnop/aclnn_add.h"
#include "aclnnop/aclnn_div.h"
#include "aclnnop/aclnn_eq_scalar.h"
#include "aclnnop/aclnn_gt_tensor.h"
#include "aclnnop/aclnn_logical_and.h"
#include "aclnnop/aclnn_maximum.h"
#include "aclnnop/aclnn_mul.h"

namespace aclimb::binary {
namespace {

const elementwise::BenchFunction kFunctions[] = {
    ACLIMB_BENCH_FUNCTION("add", 2, Add, o.a, o.b, o.one),
    ACLIMB_BENCH_FUNCTION("mul", 2, Mul, o.a, o.b),
    ACLIMB_BENCH_FUNCTION("div", 2, Div, o.a, o.b),
    ACLIMB_BENCH_FUNCTION("maximum", 2, Maximum, o.a, o.b),
    ACLIMB_BENCH_FUNCTION("muls", 1, Muls, o.a, o.twenty),
    ACLIMB_BENCH_FUNCTION("gt", 2, GtTensor, o.a, o.b),
    ACLIMB_BENCH_FUNCTION("eq_scalar", 1, EqScalar, o.a, o.twenty),
    ACLIMB_BENCH_FUNCTION("logical_and", 2, LogicalAnd, o.a, o.b),
};

}  // namespace

std::vector<bench::Case> BenchCases() {
  return {
#define ACLIMB_CASE(name, function, rows, columns, layout, dtype, result) \
  elementwise::BenchCaseOf(kFunctions, "binary", #name,                   \
                           {#function, rows, columns, #layout, #dtype, #result}),
#include "aclimb/ops/binary/cases.inc"
#undef ACLIMB_CASE
  };
}

}  // namespace aclimb::binary
