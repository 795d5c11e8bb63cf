#include "aclnnop/aclnn_apply_adam_w_v2.h"
#include "bench/call_problem.h"

namespace aclimb::apply_adam_w_v2 {
namespace {

bench::Case Make(const char* name, int64_t elements, const char* dtype) {
  const auto open = [](const bench::Tensors& in, const bench::Tensors&) {
    return [=](uint64_t* size, aclOpExecutor** executor) {
      return aclnnApplyAdamWV2GetWorkspaceSize(in[0], in[1], in[2], nullptr, in[3], in[4], 1e-3f,
                                               0.9f, 0.999f, 1e-2f, 1e-8f, false, false, size,
                                               executor);
    };
  };
  const bench::Operand each = {{elements}, dtype};
  bench::Operand squares = each, step = {{1}, "int64"};
  // Both are above 0.
  squares.below = squares.least = step.below = step.least = 1;
  return bench::CaseOf("apply_adam_w_v2", name, dtype, {{"elements", std::to_string(elements)}},
                       {{each, each, squares, each, step}, {}, open, &aclnnApplyAdamWV2},
                       {.read_bytes = 4 * each.Bytes(), .write_bytes = 3 * each.Bytes()});
}

}  // namespace

std::vector<bench::Case> BenchCases() {
  return {
#define ACLIMB_CASE(name, elements, dtype) Make(#name, elements, #dtype),
#include "aclimb/ops/apply_adam_w_v2/cases.inc"
#undef ACLIMB_CASE
  };
}

}  // namespace aclimb::apply_adam_w_v2
