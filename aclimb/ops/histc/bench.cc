#include "aclnnop/aclnn_histc.h"
#include "bench/call_problem.h"

namespace aclimb::histc {
namespace {

bench::Case Make(const char* name, int64_t rows, int64_t columns, int64_t bins,
                 const std::string& layout, const char* dtype) {
  const auto open = [bins](const bench::Tensors& in, const bench::Tensors& out) {
    return [=, from = bench::ScalarOf(-3), to = bench::ScalarOf(3)](uint64_t* size,
                                                                    aclOpExecutor** executor) {
      return aclnnHistcGetWorkspaceSize(in[0], bins, from, to, out[0], size, executor);
    };
  };
  return bench::CaseOf("histc", name, dtype,
                       {{"rows", std::to_string(rows)},
                        {"columns", std::to_string(columns)},
                        {"bins", std::to_string(bins)},
                        {"layout", layout}},
                       {{{{rows, columns}, dtype, bench::StridesOf(layout, rows)}},
                        {{{bins}, dtype}},
                        open,
                        &aclnnHistc});
}

}  // namespace

std::vector<bench::Case> BenchCases() {
  return {
#define ACLIMB_CASE(name, rows, columns, bins, layout, dtype) \
  Make(#name, rows, columns, bins, #layout, #dtype),
#include "aclimb/ops/histc/cases.inc"
#undef ACLIMB_CASE
  };
}

}  // namespace aclimb::histc
