#include <vector>

#include "aclimb/elementwise/bench_problem.h"
#include "aclnnop/aclnn_abs.h"
#include "aclnnop/aclnn_exp.h"
#include "aclnnop/aclnn_relu.h"
#include "aclnnop/aclnn_sigmoid.h"
#include "aclnnop/aclnn_silu.h"
#include "aclnnop/aclnn_sin.h"
#include "aclnnop/aclnn_sqrt.h"
#include "aclnnop/aclnn_tanh.h"

namespace aclimb::unary {
namespace {

const elementwise::BenchFunction kFunctions[] = {
    ACLIMB_BENCH_FUNCTION("exp", 1, Exp, o.a),   ACLIMB_BENCH_FUNCTION("sigmoid", 1, Sigmoid, o.a),
    ACLIMB_BENCH_FUNCTION("tanh", 1, Tanh, o.a), ACLIMB_BENCH_FUNCTION("relu", 1, Relu, o.a),
    ACLIMB_BENCH_FUNCTION("silu", 1, Silu, o.a), ACLIMB_BENCH_FUNCTION("sqrt", 1, Sqrt, o.a),
    ACLIMB_BENCH_FUNCTION("sin", 1, Sin, o.a),   ACLIMB_BENCH_FUNCTION("abs", 1, Abs, o.a),
};

}  // namespace

std::vector<bench::Case> BenchCases() {
  return {
#define ACLIMB_CASE(name, function, rows, columns, layout, dtype) \
  elementwise::BenchCaseOf(kFunctions, "unary", #name,            \
                           {#function, rows, columns, #layout, #dtype, #dtype}),
#include "aclimb/ops/unary/cases.inc"
#undef ACLIMB_CASE
  };
}

}  // namespace aclimb::unary
