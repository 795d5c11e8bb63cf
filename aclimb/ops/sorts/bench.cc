#include "aclnnop/aclnn_sort.h"
#include "aclnnop/aclnn_topk.h"
#include "bench/call_problem.h"

namespace aclimb::sorts {
namespace {

bench::Case Make(const char* name, const std::string& function, int64_t rows, int64_t columns,
                 int64_t dim, int64_t k, const std::string& layout, const char* dtype) {
  const bool sorts = function == "sort";
  const auto open = [=](const bench::Tensors& inputs, const bench::Tensors& outputs) {
    return [=, self = inputs[0], values = outputs[0], indices = outputs[1]](
               uint64_t* size, aclOpExecutor** executor) {
      if (sorts) {
        return aclnnSortGetWorkspaceSize(self, false, dim, false, values, indices, size, executor);
      }
      return aclnnTopkGetWorkspaceSize(self, k, dim, true, true, values, indices, size, executor);
    };
  };
  std::vector<int64_t> shape = {rows, columns};
  if (!sorts) shape[static_cast<size_t>(dim)] = k;
  return bench::CaseOf("sorts", name, dtype,
                       {{"function", function},
                        {"rows", std::to_string(rows)},
                        {"columns", std::to_string(columns)},
                        {"dim", std::to_string(dim)},
                        {"k", std::to_string(k)},
                        {"layout", layout}},
                       {{{{rows, columns}, dtype, bench::StridesOf(layout, rows)}},
                        {{shape, dtype}, {shape, "int64"}},
                        open,
                        sorts ? &aclnnSort : &aclnnTopk});
}

}  // namespace

std::vector<bench::Case> BenchCases() {
  return {
#define ACLIMB_CASE(name, function, rows, columns, dim, k, layout, dtype) \
  Make(#name, #function, rows, columns, dim, k, #layout, #dtype),
#include "aclimb/ops/sorts/cases.inc"
#undef ACLIMB_CASE
  };
}

}  // namespace aclimb::sorts
