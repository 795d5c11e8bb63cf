#include "aclnnop/aclnn_foreach_add_list_v2.h"
#include "aclnnop/aclnn_foreach_addcdiv_scalar_v2.h"
#include "aclnnop/aclnn_foreach_mul_scalar_v2.h"
#include "aclnnop/aclnn_foreach_norm.h"
#include "aclnnop/aclnn_foreach_sqrt.h"
#include "bench/call_problem.h"

namespace aclimb::foreach {
namespace {

bench::Case Make(const char* name, const std::string& function, int64_t tensors, int64_t elements,
                 const char* dtype) {
  const int64_t inputs = function == "addcdiv" ? 3 : function == "add_list" ? 2 : 1;
  const auto open = [=](const bench::Tensors& in, const bench::Tensors& out) {
    // Kept for as long as the process lives, as its cases are.
    const auto list = [tensors](const bench::Tensors& of, int64_t number) {
      return aclCreateTensorList(of.data() + number * tensors, static_cast<uint64_t>(tensors));
    };
    std::vector<aclTensorList*> x;
    for (int64_t i = 0; i < inputs; ++i) x.push_back(list(in, i));
    return [=, y = list(out, 0), scalar = bench::ScalarOf(2)](uint64_t* size,
                                                              aclOpExecutor** executor) {
      if (function == "add_list") {
        return aclnnForeachAddListV2GetWorkspaceSize(x[0], x[1], scalar, y, size, executor);
      }
      if (function == "mul_scalar") {
        return aclnnForeachMulScalarV2GetWorkspaceSize(x[0], scalar, y, size, executor);
      }
      if (function == "addcdiv") {
        return aclnnForeachAddcdivScalarV2GetWorkspaceSize(x[0], x[1], x[2], scalar, y, size,
                                                           executor);
      }
      if (function == "norm") {
        return aclnnForeachNormGetWorkspaceSize(x[0], scalar, y, size, executor);
      }
      return aclnnForeachSqrtGetWorkspaceSize(x[0], y, size, executor);
    };
  };
  const auto phase2 = function == "add_list"     ? &aclnnForeachAddListV2
                      : function == "mul_scalar" ? &aclnnForeachMulScalarV2
                      : function == "addcdiv"    ? &aclnnForeachAddcdivScalarV2
                      : function == "norm"       ? &aclnnForeachNorm
                                                 : &aclnnForeachSqrt;
  const auto count = static_cast<size_t>(tensors);
  const bench::Operand x = {{elements}, dtype, {}, 100, ACL_FORMAT_ND, 1};
  const bench::Operand y = {function == "norm" ? std::vector<int64_t>{} : x.shape, dtype};
  return bench::CaseOf(
      "foreach", name, dtype,
      {{"function", function},
       {"tensors", std::to_string(tensors)},
       {"elements", std::to_string(elements)}},
      {std::vector(count * static_cast<size_t>(inputs), x), std::vector(count, y), open, phase2});
}

}  // namespace

std::vector<bench::Case> BenchCases() {
  return {
#define ACLIMB_CASE(name, function, tensors, elements, dtype) \
  Make(#name, #function, tensors, elements, #dtype),
#include "aclimb/ops/foreach/cases.inc"
#undef ACLIMB_CASE
  };
}

}  // namespace aclimb::foreach
