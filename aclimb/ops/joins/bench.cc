#include "aclnnop/aclnn_cat.h"
#include "aclnnop/aclnn_stack.h"
#include "bench/call_problem.h"

namespace aclimb::joins {
namespace {

bench::Case Make(const char* name, const std::string& function, int64_t parts, int64_t rows,
                 int64_t columns, int64_t dim, const std::string& layout, const char* dtype) {
  const bool stacks = function == "stack";
  std::vector<int64_t> shape = {rows, columns};
  if (stacks) {
    shape.insert(shape.begin() + dim, parts);
  } else {
    shape[static_cast<size_t>(dim)] *= parts;
  }
  const bench::Operand part = {{rows, columns}, dtype, bench::StridesOf(layout, rows)};
  const auto open = [dim, stacks](const bench::Tensors& inputs, const bench::Tensors& outputs) {
    // Kept for as long as the process lives, as its cases are.
    const aclTensorList* const list = aclCreateTensorList(inputs.data(), inputs.size());
    const auto phase1 = stacks ? &aclnnStackGetWorkspaceSize : &aclnnCatGetWorkspaceSize;
    return [=, out = outputs[0]](uint64_t* size, aclOpExecutor** executor) {
      return phase1(list, dim, out, size, executor);
    };
  };
  return bench::CaseOf("joins", name, dtype,
                       {{"function", function},
                        {"parts", std::to_string(parts)},
                        {"rows", std::to_string(rows)},
                        {"columns", std::to_string(columns)},
                        {"dim", std::to_string(dim)},
                        {"layout", layout}},
                       {.inputs = std::vector(static_cast<size_t>(parts), part),
                        .outputs = {{shape, dtype}},
                        .open = open,
                        .phase2 = stacks ? &aclnnStack : &aclnnCat});
}

}  // namespace

std::vector<bench::Case> BenchCases() {
  return {
#define ACLIMB_CASE(name, function, parts, rows, columns, dim, layout, dtype) \
  Make(#name, #function, parts, rows, columns, dim, #layout, #dtype),
#include "aclimb/ops/joins/cases.inc"
#undef ACLIMB_CASE
  };
}

}  // namespace aclimb::joins
