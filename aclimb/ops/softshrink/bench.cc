#include "aclimb/elementwise/bench_problem.h"
#include "aclnnop/aclnn_softshrink.h"

namespace aclimb::softshrink {
namespace {

using elementwise::BenchCaseOf;
using elementwise::BenchFunction;

constexpr BenchFunction kFunctions[] = {
    ACLIMB_BENCH_FUNCTION("softshrink", 1, Softshrink, o.a, o.one),
};

}  // namespace

std::vector<bench::Case> BenchCases() {
  return {
#define ACLIMB_CASE(name, rows, columns, layout, dtype) \
  BenchCaseOf(kFunctions, "softshrink", #name,          \
              {"softshrink", rows, columns, #layout, #dtype, #dtype}),
#include "aclimb/ops/softshrink/cases.inc"
#undef ACLIMB_CASE
  };
}

}  // namespace aclimb::softshrink
