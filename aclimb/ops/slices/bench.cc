#include "aclnnop/aclnn_flip.h"
#include "aclnnop/aclnn_roll.h"
#include "aclnnop/aclnn_slice.h"
#include "bench/call_problem.h"

namespace aclimb::slices {
namespace {

bench::Case Make(const char* name, const std::string& function, int64_t rows, int64_t columns,
                 const std::string& layout, const char* dtype) {
  const bool slices = function.starts_with("slice");
  const int64_t step = function == "slice_step" ? 2 : 1;
  const int64_t start = function == "slice" ? columns / 4 : 0;
  const int64_t end = function == "slice" ? start + columns / 2 : columns;
  const bench::Operand out = {{rows, slices ? columns / 2 : columns}, dtype};
  const auto open = [=](const bench::Tensors& inputs, const bench::Tensors& outputs) {
    const auto dims = std::make_shared<bench::IntArray>(std::vector<int64_t>{1});
    const auto shifts = std::make_shared<bench::IntArray>(std::vector<int64_t>{7});
    return [=, self = inputs[0], result = outputs[0]](uint64_t* size, aclOpExecutor** executor) {
      if (slices) {
        return aclnnSliceGetWorkspaceSize(self, 1, start, end, step, result, size, executor);
      }
      if (function == "flip") {
        return aclnnFlipGetWorkspaceSize(self, *dims, result, size, executor);
      }
      return aclnnRollGetWorkspaceSize(self, *shifts, *dims, result, size, executor);
    };
  };
  return bench::CaseOf(
      "slices", name, dtype,
      {{"function", function},
       {"rows", std::to_string(rows)},
       {"columns", std::to_string(columns)},
       {"layout", layout}},
      {.inputs = {{{rows, columns}, dtype, bench::StridesOf(layout, rows)}},
       .outputs = {out},
       .open = open,
       .phase2 = slices ? &aclnnSlice : (function == "flip" ? &aclnnFlip : &aclnnRoll)},
      // What is left out of a slice need not be read.
      {.read_bytes = out.Bytes(), .write_bytes = out.Bytes()});
}

}  // namespace

std::vector<bench::Case> BenchCases() {
  return {
#define ACLIMB_CASE(name, function, rows, columns, layout, dtype) \
  Make(#name, #function, rows, columns, #layout, #dtype),
#include "aclimb/ops/slices/cases.inc"
#undef ACLIMB_CASE
  };
}

}  // namespace aclimb::slices
