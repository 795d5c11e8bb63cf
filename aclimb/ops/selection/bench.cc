#include "aclnnop/aclnn_masked_scatter.h"
#include "aclnnop/aclnn_masked_select.h"
#include "aclnnop/aclnn_nonzero.h"
#include "bench/call_problem.h"

namespace aclimb::selection {
namespace {

bench::Call CallOf(const std::string& function, int64_t rows, int64_t columns, const char* dtype) {
  const bench::Operand self = {{rows, columns}, dtype};
  const bench::Operand mask = {{rows, columns}, "bool", {}, 2};
  if (function == "nonzero") {
    const auto open = [](const bench::Tensors& in, const bench::Tensors& out) {
      return [self = in[0], out = out[0]](uint64_t* size, aclOpExecutor** executor) {
        return aclnnNonzeroGetWorkspaceSize(self, out, size, executor);
      };
    };
    return {{{{rows, columns}, dtype, {}, 2}},
            {{{rows * columns, 2}, "int64"}},
            open,
            &aclnnNonzero,
            true};
  }
  if (function == "masked_select") {
    const auto open = [](const bench::Tensors& in, const bench::Tensors& out) {
      return [in, out = out[0]](uint64_t* size, aclOpExecutor** executor) {
        return aclnnMaskedSelectGetWorkspaceSize(in[0], in[1], out, size, executor);
      };
    };
    return {{self, mask}, {{{rows * columns}, dtype}}, open, &aclnnMaskedSelect, true};
  }
  const auto open = [](const bench::Tensors& in, const bench::Tensors&) {
    return [in](uint64_t* size, aclOpExecutor** executor) {
      return aclnnInplaceMaskedScatterGetWorkspaceSize(in[0], in[1], in[2], size, executor);
    };
  };
  // What is changed in place is no output that could be poisoned.
  return {{self, mask, self}, {}, open, &aclnnInplaceMaskedScatter};
}

bench::Case Make(const char* name, const std::string& function, int64_t rows, int64_t columns,
                 const char* dtype) {
  return bench::CaseOf("selection", name, dtype,
                       {{"function", function},
                        {"rows", std::to_string(rows)},
                        {"columns", std::to_string(columns)}},
                       CallOf(function, rows, columns, dtype));
}

}  // namespace

std::vector<bench::Case> BenchCases() {
  return {
#define ACLIMB_CASE(name, function, rows, columns, dtype) \
  Make(#name, #function, rows, columns, #dtype),
#include "aclimb/ops/selection/cases.inc"
#undef ACLIMB_CASE
  };
}

}  // namespace aclimb::selection
