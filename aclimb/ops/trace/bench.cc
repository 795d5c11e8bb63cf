#include "aclnnop/aclnn_trace.h"
#include "bench/call_problem.h"

namespace aclimb::trace {
namespace {

bench::Case Make(const char* name, int64_t rows, const std::string& layout, const char* dtype) {
  const auto open = [](const bench::Tensors& in, const bench::Tensors& out) {
    return [=](uint64_t* size, aclOpExecutor** executor) {
      return aclnnTraceGetWorkspaceSize(in[0], out[0], size, executor);
    };
  };
  const bench::Operand diagonal = {{rows}, dtype}, sum = {{}, dtype};
  return bench::CaseOf(
      "trace", name, dtype, {{"rows", std::to_string(rows)}, {"layout", layout}},
      {{{{rows, rows}, dtype, bench::StridesOf(layout, rows)}}, {sum}, open, &aclnnTrace},
      {.read_bytes = diagonal.Bytes(), .write_bytes = sum.Bytes()});
}

}  // namespace

std::vector<bench::Case> BenchCases() {
  return {
#define ACLIMB_CASE(name, rows, layout, dtype) Make(#name, rows, #layout, #dtype),
#include "aclimb/ops/trace/cases.inc"
#undef ACLIMB_CASE
  };
}

}  // namespace aclimb::trace
