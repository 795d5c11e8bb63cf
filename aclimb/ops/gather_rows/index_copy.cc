// aclnnIndexCopy and aclnnInplaceIndexCopy: the C entry points and the plan between them.

#include "aclimb/copy/copy.h"
#include "aclimb/core/dimensions.h"
#include "aclimb/core/text.h"
#include "aclimb/executor/inspect.h"
#include "aclimb/executor/phase.h"
#include "aclimb/ops/gather_rows/contract.h"
#include "aclimb/ops/gather_rows/replace.h"
#include "aclimb/rows/dense.h"

namespace aclimb::gather_rows {
namespace {

struct IndexCopyPlan final : Plan {
  bool in_place = false;
  bool replaces = false;  // there are slices to replace
  int dim = 0;
  rows::Dense index;

  void Run(const RunContext& run) const override {
    const TensorView self = run.View(kSelf), out = in_place ? self : run.View(kOutRef);
    if (!in_place && out.data != self.data && !copy::Copy(self, out)) return;
    if (!replaces) return;
    if (out.ElementCount() == 0) FailInspected(*this, run);
    const int64_t* const indices = index.Read<int64_t>(run);
    if (indices == nullptr) return;
    const bool all_known = Replace({.self = WithRank(out),
                                    .source = WithRank(run.View(kSource)),
                                    .index = indices,
                                    .dim = dim});
    if (!all_known) FailInspected(*this, run);
  }

  void Inspect(const RunContext& run, const Inspector& inspector) const override {
    if (!replaces) return;
    const int64_t end = WithRank(run.View(kSelf)).shape[dim];
    InspectRange(inspector, "check/data/index-range", "index", run.View(kIndex),
                 {.begin = 0,
                  .end = end,
                  .excepted = {},
                  .because = Cat("dimension ", dim, " of selfRef has ", end, " elements")});
  }
};

template <bool kInPlace>
Result<PlanPointer> MakeIndexCopyPlan(const contract::Arguments& arguments, Planner& planner) {
  const TensorDescriptor &self = arguments.Tensor(kSelf), &source = arguments.Tensor(kSource);
  auto plan = NewPlan<IndexCopyPlan>();
  plan->in_place = kInPlace;
  plan->replaces = !source.IsEmpty();
  if ((self.IsEmpty() || kInPlace) && !plan->replaces) return PlanPointer();
  plan->dim = static_cast<int>(WrapDimension(arguments.Integer(kDim), self.rank()));
  if (plan->replaces) {
    planner.Reads(kSource);
    plan->index =
        rows::Dense::Input(planner, kIndex, arguments.Tensor(kIndex).View(), DType::kInt64);
  }
  double elements = static_cast<double>(source.ElementCount());
  if (kInPlace) {
    planner.Writes(kSelf);
    planner.Moves(kSelf, {.written = source.ElementCount()});
  } else {
    planner.Reads(kSelf);
    planner.Writes(kOutRef);
    elements += static_cast<double>(self.ElementCount());
  }
  planner.Costs({.cycles = elements});
  return PlanPointer(std::move(plan));
}

constinit Operator kIndexCopy(kIndexCopyContract, MakeIndexCopyPlan<false>);
constinit Operator kInplaceIndexCopy(kInplaceIndexCopyContract, MakeIndexCopyPlan<true>);

}  // namespace
}  // namespace aclimb::gather_rows

extern "C" aclnnStatus aclnnIndexCopyGetWorkspaceSize(aclTensor* selfRef, int64_t dim,
                                                      const aclTensor* index,
                                                      const aclTensor* source, aclTensor* outRef,
                                                      uint64_t* workspaceSize,
                                                      aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::gather_rows::kIndexCopy, workspaceSize, executor, selfRef, dim,
                        index, source, outRef);
}

extern "C" aclnnStatus aclnnIndexCopy(void* workspace, uint64_t workspaceSize,
                                      aclOpExecutor* executor, aclrtStream stream) {
  return aclimb::Phase2(aclimb::gather_rows::kIndexCopy, workspace, workspaceSize, executor,
                        stream);
}

extern "C" aclnnStatus aclnnInplaceIndexCopyGetWorkspaceSize(aclTensor* selfRef, int64_t dim,
                                                             const aclTensor* index,
                                                             const aclTensor* source,
                                                             uint64_t* workspaceSize,
                                                             aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::gather_rows::kInplaceIndexCopy, workspaceSize, executor, selfRef,
                        dim, index, source);
}

extern "C" aclnnStatus aclnnInplaceIndexCopy(void* workspace, uint64_t workspaceSize,
                                             aclOpExecutor* executor, aclrtStream stream) {
  return aclimb::Phase2(aclimb::gather_rows::kInplaceIndexCopy, workspace, workspaceSize, executor,
                        stream);
}
