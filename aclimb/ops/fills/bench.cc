#include "aclnnop/aclnn_eye.h"
#include "aclnnop/aclnn_fill_scalar.h"
#include "aclnnop/aclnn_one_hot.h"
#include "aclnnop/aclnn_zero.h"
#include "bench/call_problem.h"

namespace aclimb::fills {
namespace {

bench::Case Make(const char* name, const std::string& function, int64_t rows, int64_t columns,
                 const char* layout, const char* dtype) {
  const bool one_hot = function == "one_hot";
  std::vector<bench::Operand> inputs;
  if (one_hot) inputs = {{{rows}, dtype, {}, columns}, {{1}, dtype, {}, 1}, {{1}, dtype, {}, 1}};
  const auto open = [=](const bench::Tensors& in, const bench::Tensors& outputs) {
    float number = 1;
    // Kept for as long as the process lives, as its cases are.
    const aclScalar* const one = aclCreateScalar(&number, ACL_FLOAT);
    return [=, out = outputs[0]](uint64_t* size, aclOpExecutor** executor) {
      if (one_hot) {
        return aclnnOneHotGetWorkspaceSize(in[0], static_cast<int>(columns), in[1], in[2], -1, out,
                                           size, executor);
      }
      if (function == "eye") return aclnnEyeGetWorkspaceSize(rows, columns, out, size, executor);
      if (function == "zero") return aclnnInplaceZeroGetWorkspaceSize(out, size, executor);
      return aclnnInplaceFillScalarGetWorkspaceSize(out, one, size, executor);
    };
  };
  const auto phase2 = one_hot              ? &aclnnOneHot
                      : function == "eye"  ? &aclnnEye
                      : function == "zero" ? &aclnnInplaceZero
                                           : &aclnnInplaceFillScalar;
  const bench::Operand out = {{rows, columns}, dtype, bench::StridesOf(layout, rows)};
  const bool zeros = function != "fill";
  return bench::CaseOf("fills", name, dtype,
                       {{"function", function},
                        {"rows", std::to_string(rows)},
                        {"columns", std::to_string(columns)},
                        {"layout", layout}},
                       {inputs, {out}, open, phase2},
                       {.read_bytes = inputs.empty() ? 0 : inputs[0].Bytes(),
                        .write_bytes = out.Bytes(),
                        .zero_bytes = zeros ? out.Bytes() : 0});
}

}  // namespace

std::vector<bench::Case> BenchCases() {
  return {
#define ACLIMB_CASE(name, function, rows, columns, layout, dtype) \
  Make(#name, #function, rows, columns, #layout, #dtype),
#include "aclimb/ops/fills/cases.inc"
#undef ACLIMB_CASE
  };
}

}  // namespace aclimb::fills
