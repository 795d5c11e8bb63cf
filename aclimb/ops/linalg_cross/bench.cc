#include "aclnnop/aclnn_linalg_cross.h"
#include "bench/call_problem.h"

namespace aclimb::linalg_cross {
namespace {

bench::Case Make(const char* name, int64_t vectors, const std::string& layout, const char* dtype) {
  const int64_t dim = layout == "rows" ? 1 : 0;
  const auto open = [dim](const bench::Tensors& in, const bench::Tensors& out) {
    return [=](uint64_t* size, aclOpExecutor** executor) {
      return aclnnLinalgCrossGetWorkspaceSize(in[0], in[1], dim, out[0], size, executor);
    };
  };
  const bench::Operand each = {
      dim == 1 ? std::vector<int64_t>{vectors, 3} : std::vector<int64_t>{3, vectors}, dtype};
  return bench::CaseOf("linalg_cross", name, dtype,
                       {{"vectors", std::to_string(vectors)}, {"layout", layout}},
                       {{each, each}, {each}, open, &aclnnLinalgCross});
}

}  // namespace

std::vector<bench::Case> BenchCases() {
  return {
#define ACLIMB_CASE(name, vectors, layout, dtype) Make(#name, vectors, #layout, #dtype),
#include "aclimb/ops/linalg_cross/cases.inc"
#undef ACLIMB_CASE
  };
}

}  // namespace aclimb::linalg_cross
