#include "aclnnop/aclnn_affine_grid.h"
#include "bench/call_problem.h"

namespace aclimb::affine_grid {
namespace {

bench::Case Make(const char* name, int64_t images, int64_t size, const char* dtype) {
  const auto open = [=](const bench::Tensors& in, const bench::Tensors& out) {
    return [=, of = std::make_shared<bench::IntArray>(std::vector{images, int64_t{3}, size, size})](
               uint64_t* workspace, aclOpExecutor** executor) {
      return aclnnAffineGridGetWorkspaceSize(in[0], *of, false, out[0], workspace, executor);
    };
  };
  return bench::CaseOf(
      "affine_grid", name, dtype,
      {{"images", std::to_string(images)}, {"size", std::to_string(size)}},
      {{{{images, 2, 3}, dtype}}, {{{images, size, size, 2}, dtype}}, open, &aclnnAffineGrid});
}

}  // namespace

std::vector<bench::Case> BenchCases() {
  return {
#define ACLIMB_CASE(name, images, size, dtype) Make(#name, images, size, #dtype),
#include "aclimb/ops/affine_grid/cases.inc"
#undef ACLIMB_CASE
  };
}

}  // namespace aclimb::affine_grid
