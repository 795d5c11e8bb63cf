#include "aclnnop/aclnn_bernoulli.h"
#include "aclnnop/aclnn_multinomial.h"
#include "aclnnop/aclnn_normal.h"
#include "aclnnop/aclnn_random.h"
#include "aclnnop/aclnn_randperm.h"
#include "aclnnop/aclnn_uniform.h"
#include "bench/call_problem.h"

namespace aclimb::random {
namespace {

bench::Case Make(const char* name, const std::string& function, int64_t rows, int64_t columns,
                 const char* dtype) {
  const auto open = [=](const bench::Tensors& inputs, const bench::Tensors& outputs) {
    return [=, out = outputs[0], half = bench::ScalarOf(0.5f)](uint64_t* size,
                                                               aclOpExecutor** executor) {
      if (function == "normal") {
        return aclnnInplaceNormalGetWorkspaceSize(out, 0, 1, 1, 0, size, executor);
      }
      if (function == "uniform") {
        return aclnnInplaceUniformGetWorkspaceSize(out, 0, 1, 1, 0, size, executor);
      }
      if (function == "whole") {
        return aclnnInplaceRandomGetWorkspaceSize(out, 0, 1000, 1, 0, size, executor);
      }
      if (function == "bernoulli") {
        return aclnnInplaceBernoulliGetWorkspaceSize(out, half, 1, 0, size, executor);
      }
      if (function == "permutation") {
        return aclnnRandpermGetWorkspaceSize(columns, 1, 0, out, size, executor);
      }
      return aclnnMultinomialGetWorkspaceSize(inputs[0], 1, false, 1, 0, out, size, executor);
    };
  };
  const bool samples = function == "multinomial";
  const auto phase2 = function == "normal"        ? &aclnnInplaceNormal
                      : function == "uniform"     ? &aclnnInplaceUniform
                      : function == "whole"       ? &aclnnInplaceRandom
                      : function == "bernoulli"   ? &aclnnInplaceBernoulli
                      : function == "permutation" ? &aclnnRandperm
                                                  : &aclnnMultinomial;
  const bench::Operand weights = {{rows, columns}, dtype, {}, 1000, ACL_FORMAT_ND, 1};
  bench::Operand out = {{rows, columns}, dtype};
  if (function == "permutation") out.shape = {columns};
  if (samples) out = {{rows, 1}, "int64"};
  return bench::CaseOf(
      "random", name, dtype,
      {{"function", function},
       {"rows", std::to_string(rows)},
       {"columns", std::to_string(columns)}},
      {samples ? std::vector{weights} : std::vector<bench::Operand>{}, {out}, open, phase2});
}

}  // namespace

std::vector<bench::Case> BenchCases() {
  return {
#define ACLIMB_CASE(name, function, rows, columns, dtype) \
  Make(#name, #function, rows, columns, #dtype),
#include "aclimb/ops/random/cases.inc"
#undef ACLIMB_CASE
  };
}

}  // namespace aclimb::random
