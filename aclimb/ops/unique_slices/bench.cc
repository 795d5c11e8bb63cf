#include "aclimb/ops/unique_slices/contracts.h"
#include "bench/call_problem.h"

namespace aclimb::unique_slices {
namespace {

bench::Case Make(const char* name, const std::string& function, int64_t rows, int64_t columns,
                 int64_t below, const char* dtype) {
  const bool by_dim = function == "unique_dim";
  const auto open = [by_dim](const bench::Tensors& inputs, const bench::Tensors& outputs) {
    return [=, self = inputs[0]](uint64_t* size, aclOpExecutor** executor) {
      if (by_dim) {
        return aclnnUniqueDimGetWorkspaceSize(self, true, true, 0, outputs[0], outputs[1],
                                              outputs[2], size, executor);
      }
      return aclnnUniqueConsecutiveGetWorkspaceSize(self, true, true, kNoDim, outputs[0],
                                                    outputs[1], outputs[2], size, executor);
    };
  };
  const int64_t count = by_dim ? rows : rows * columns;
  const std::vector<int64_t> all = {rows, columns}, line = {count};
  return bench::CaseOf(
      "unique_slices", name, dtype,
      {{"function", function},
       {"rows", std::to_string(rows)},
       {"columns", std::to_string(columns)},
       {"below", std::to_string(below)}},
      {{{all, dtype, {}, below}},
       {{by_dim ? all : line, dtype}, {by_dim ? line : all, "int64"}, {line, "int64"}},
       open,
       by_dim ? &aclnnUniqueDim : &aclnnUniqueConsecutive,
       true});
}

}  // namespace

std::vector<bench::Case> BenchCases() {
  return {
#define ACLIMB_CASE(name, function, rows, columns, below, dtype) \
  Make(#name, #function, rows, columns, below, #dtype),
#include "aclimb/ops/unique_slices/cases.inc"
#undef ACLIMB_CASE
  };
}

}  // namespace aclimb::unique_slices
