#include "aclnnop/aclnn_repeat.h"
#include "aclnnop/aclnn_repeat_interleave.h"
#include "bench/call_problem.h"

namespace aclimb::repeats {
namespace {

bench::Case Make(const char* name, const std::string& function, int64_t rows, int64_t columns,
                 const std::string& layout, const char* dtype) {
  const bool whole = function == "repeat";
  const auto open = [=](const bench::Tensors& inputs, const bench::Tensors& outputs) {
    const auto repeats = std::make_shared<bench::IntArray>(std::vector<int64_t>{2, 2});
    return [=, self = inputs[0], out = outputs[0]](uint64_t* size, aclOpExecutor** executor) {
      if (whole) return aclnnRepeatGetWorkspaceSize(self, *repeats, out, size, executor);
      return aclnnRepeatInterleaveIntWithDimGetWorkspaceSize(self, 4, 1, 4 * columns, out, size,
                                                             executor);
    };
  };
  const std::vector<int64_t> shape = {whole ? 2 * rows : rows, (whole ? 2 : 4) * columns};
  return bench::CaseOf("repeats", name, dtype,
                       {{"function", function},
                        {"rows", std::to_string(rows)},
                        {"columns", std::to_string(columns)},
                        {"layout", layout}},
                       {{{{rows, columns}, dtype, bench::StridesOf(layout, rows)}},
                        {{shape, dtype}},
                        open,
                        whole ? &aclnnRepeat : &aclnnRepeatInterleaveIntWithDim});
}

}  // namespace

std::vector<bench::Case> BenchCases() {
  return {
#define ACLIMB_CASE(name, function, rows, columns, layout, dtype) \
  Make(#name, #function, rows, columns, #layout, #dtype),
#include "aclimb/ops/repeats/cases.inc"
#undef ACLIMB_CASE
  };
}

}  // namespace aclimb::repeats
