#include "aclnnop/aclnn_reduce_nansum.h"
#include "bench/call_problem.h"

namespace aclimb::reduce_nansum {
namespace {

bench::Case Make(const char* name, int64_t rows, int64_t columns, int64_t dim,
                 const std::string& layout, const char* dtype) {
  const auto open = [=, type = std::string(dtype)](const bench::Tensors& in,
                                                   const bench::Tensors& out) {
    return [=, dims = std::make_shared<bench::IntArray>(std::vector{dim})](
               uint64_t* size, aclOpExecutor** executor) {
      return aclnnReduceNansumGetWorkspaceSize(in[0], *dims, false, bench::AclDataTypeOf(type),
                                               out[0], size, executor);
    };
  };
  return bench::CaseOf("reduce_nansum", name, dtype,
                       {{"rows", std::to_string(rows)},
                        {"columns", std::to_string(columns)},
                        {"dim", std::to_string(dim)},
                        {"layout", layout}},
                       {{{{rows, columns}, dtype, bench::StridesOf(layout, rows)}},
                        {{{dim == 0 ? columns : rows}, dtype}},
                        open,
                        &aclnnReduceNansum});
}

}  // namespace

std::vector<bench::Case> BenchCases() {
  return {
#define ACLIMB_CASE(name, rows, columns, dim, layout, dtype) \
  Make(#name, rows, columns, dim, #layout, #dtype),
#include "aclimb/ops/reduce_nansum/cases.inc"
#undef ACLIMB_CASE
  };
}

}  // namespace aclimb::reduce_nansum
