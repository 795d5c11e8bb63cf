#include "aclnnop/aclnn_arange.h"
#include "bench/call_problem.h"

namespace aclimb::sequences {
namespace {

bench::Case Make(const char* name, int64_t elements, const char* dtype) {
  const auto open = [elements](const bench::Tensors&, const bench::Tensors& outputs) {
    // Kept for as long as the process lives, as its cases are.
    const auto scalar = [](int64_t number) { return aclCreateScalar(&number, ACL_INT64); };
    return [zero = scalar(0), end = scalar(elements), one = scalar(1), out = outputs[0]](
               uint64_t* size, aclOpExecutor** executor) {
      return aclnnArangeGetWorkspaceSize(zero, end, one, out, size, executor);
    };
  };
  return bench::CaseOf("sequences", name, dtype, {{"elements", std::to_string(elements)}},
                       {{}, {{{elements}, dtype}}, open, &aclnnArange});
}

}  // namespace

std::vector<bench::Case> BenchCases() {
  return {
#define ACLIMB_CASE(name, elements, dtype) Make(#name, elements, #dtype),
#include "aclimb/ops/sequences/cases.inc"
#undef ACLIMB_CASE
  };
}

}  // namespace aclimb::sequences
