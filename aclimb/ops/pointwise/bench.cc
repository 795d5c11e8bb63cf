#include <vector>

#include "aclimb/elementwise/bench_problem.h"
#include "aclnnop/aclnn_addcdiv.h"
#include "aclnnop/aclnn_addcmul.h"
#include "aclnnop/aclnn_clamp.h"
#include "aclnnop/aclnn_elu.h"
#include "aclnnop/aclnn_gelu_backward.h"
#include "aclnnop/aclnn_gelu_v2.h"
#include "aclnnop/aclnn_leaky_relu.h"
#include "aclnnop/aclnn_lerp.h"
#include "aclnnop/aclnn_masked_fill_scalar.h"
#include "aclnnop/aclnn_s_where.h"
#include "aclnnop/aclnn_silu_backward.h"
#include "aclnnop/aclnn_softplus.h"
#include "aclnnop/aclnn_threshold_backward.h"

namespace aclimb::pointwise {
namespace {

const elementwise::BenchFunction kFunctions[] = {
    ACLIMB_BENCH_FUNCTION("elu", 1, Elu, o.a, o.one, o.one, o.one),
    ACLIMB_BENCH_FUNCTION("gelu_v2", 1, GeluV2, o.a, 0),
    ACLIMB_BENCH_FUNCTION("leaky_relu", 1, LeakyRelu, o.a, o.zero),
    ACLIMB_BENCH_FUNCTION("softplus", 1, Softplus, o.a, o.one, o.twenty),
    ACLIMB_BENCH_FUNCTION("clamp", 1, Clamp, o.a, o.zero, o.one),
    ACLIMB_BENCH_FUNCTION("silu_backward", 2, SiluBackward, o.a, o.b),
    ACLIMB_BENCH_FUNCTION("gelu_backward", 2, GeluBackward, o.a, o.b),
    ACLIMB_BENCH_FUNCTION("threshold_backward", 2, ThresholdBackward, o.a, o.b, o.zero),
    ACLIMB_BENCH_FUNCTION("addcmul", 3, Addcmul, o.a, o.b, o.c, o.one),
    ACLIMB_BENCH_FUNCTION("addcdiv", 3, Addcdiv, o.a, o.b, o.c, o.one),
    ACLIMB_BENCH_FUNCTION("lerp", 3, Lerp, o.a, o.b, o.c),
    ACLIMB_BENCH_MASKED("s_where", 2, kRead, SWhere, o.mask, o.a, o.b, o.out),
    ACLIMB_BENCH_MASKED("masked_fill", 0, kWritten, InplaceMaskedFillScalar, o.out, o.mask, o.one),
};

}  // namespace

std::vector<bench::Case> BenchCases() {
  return {
#define ACLIMB_CASE(name, function, rows, columns, layout, dtype) \
  elementwise::BenchCaseOf(kFunctions, "pointwise", #name,        \
                           {#function, rows, columns, #layout, #dtype, #dtype}),
#include "aclimb/ops/pointwise/cases.inc"
#undef ACLIMB_CASE
  };
}

}  // namespace aclimb::pointwise
