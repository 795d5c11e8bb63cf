// aclnnEmbedding, aclnnIndexSelect and aclnnGatherV2: the C entry points and the plan between them.

#include "aclimb/core/dimensions.h"
#include "aclimb/core/text.h"
#include "aclimb/executor/inspect.h"
#include "aclimb/executor/phase.h"
#include "aclimb/executor/unit_scratch.h"
#include "aclimb/ops/gather_rows/blocks.h"
#include "aclimb/ops/gather_rows/contract.h"
#include "aclimb/ops/gather_rows/cpu.h"
#include "aclimb/rows/dense.h"

namespace aclimb::gather_rows {
namespace {

// Positions of the parameters, which the three operators name differently.
struct Positions {
  int self;
  int index;
  int out;
};

struct GatherRowsPlan final : Plan {
  Positions at;
  const char* self_name;
  const char* index_name;
  int dim = 0;
  bool counts_from_end = false;
  rows::Dense index;
  UnitScratch blocks;  // without bytes where elements are read on their own

  // Of aclnnEmbedding, indices without dimensions leave none in out.
  Args Views(const TensorView& self, const TensorView& out) const {
    return {.self = self,
            .out = out,
            .dim = dim,
            .index_rank = out.rank - (self.rank - 1),
            .counts_from_end = counts_from_end};
  }

  void BookBlocks(Planner& planner, const Args& views) {
    const int64_t bytes = BlockBytes(views);
    if (bytes > 0) blocks.Book(planner, BlockCount(views), bytes);
  }

  void Run(const RunContext& run) const override {
    const int64_t* const indices = index.Read<int64_t>(run);
    if (indices == nullptr) return;
    Args args = Views(WithRank(run.View(at.self)), WithRank(run.View(at.out)));
    args.index = indices;
    args.blocks = blocks.Memory(run);
    const bool all_known = RunOnCpu(args);
    if (!all_known) FailInspected(*this, run);
  }

  void Inspect(const RunContext& run, const Inspector& inspector) const override {
    const int64_t end = WithRank(run.View(at.self)).shape[dim];
    InspectRange(inspector, "check/data/index-range", index_name, run.View(at.index),
                 {.begin = counts_from_end ? -end : 0,
                  .end = end,
                  .excepted = {},
                  .because = Cat("dimension ", dim, " of ", self_name, " has ", end, " elements")});
  }
};

Result<PlanPointer> MakePlanAt(const contract::Arguments& arguments, Planner& planner,
                               const Positions& at, const char* self_name, const char* index_name,
                               int dim, bool counts_from_end) {
  const TensorDescriptor& out = arguments.Tensor(at.out);
  if (out.IsEmpty()) return PlanPointer();
  planner.Reads(at.self);
  planner.Moves(at.self, {.read = out.ElementCount()});
  planner.Writes(at.out);
  auto plan = NewPlan<GatherRowsPlan>();
  plan->at = at;
  plan->self_name = self_name;
  plan->index_name = index_name;
  plan->dim = dim;
  plan->counts_from_end = counts_from_end;
  plan->index =
      rows::Dense::Input(planner, at.index, arguments.Tensor(at.index).View(), DType::kInt64);
  // Elsewhere the question would take a noticeable part of a small call.
  const TensorDescriptor& self = arguments.Tensor(at.self);
  if (dim + 1 < self.rank() && self.stride[static_cast<size_t>(dim)] == 1) {
    plan->BookBlocks(planner, plan->Views(self.View(), WithRank(out.View())));
  }
  // Most of a single element's time is finding it.
  planner.Costs({.cycles = static_cast<double>(out.ElementCount())});
  return PlanPointer(std::move(plan));
}

Result<PlanPointer> MakeEmbeddingPlan(const contract::Arguments& arguments, Planner& planner) {
  return MakePlanAt(arguments, planner, {kWeight, kIndices, kRows}, "weight", "indices", 0, false);
}

template <bool kCountsFromEnd>
Result<PlanPointer> MakePlan(const contract::Arguments& arguments, Planner& planner) {
  return MakePlanAt(
      arguments, planner, {kSelf, kIndex, kOut}, "self", "index",
      static_cast<int>(WrapDimension(arguments.Integer(kDim), arguments.Tensor(kSelf).rank())),
      kCountsFromEnd);
}

constinit Operator kEmbedding(kEmbeddingContract, MakeEmbeddingPlan);
constinit Operator kIndexSelect(kIndexSelectContract, MakePlan<false>);
constinit Operator kGatherV2(kGatherV2Contract, MakePlan<true>);

}  // namespace
}  // namespace aclimb::gather_rows

extern "C" aclnnStatus aclnnEmbeddingGetWorkspaceSize(const aclTensor* weight,
                                                      const aclTensor* indices,
                                                      const aclTensor* out, uint64_t* workspaceSize,
                                                      aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::gather_rows::kEmbedding, workspaceSize, executor, weight, indices,
                        out);
}

extern "C" aclnnStatus aclnnEmbedding(void* workspace, uint64_t workspaceSize,
                                      aclOpExecutor* executor, const aclrtStream stream) {
  return aclimb::Phase2(aclimb::gather_rows::kEmbedding, workspace, workspaceSize, executor,
                        stream);
}

extern "C" aclnnStatus aclnnIndexSelectGetWorkspaceSize(const aclTensor* self, int64_t dim,
                                                        const aclTensor* index, aclTensor* out,
                                                        uint64_t* workspaceSize,
                                                        aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::gather_rows::kIndexSelect, workspaceSize, executor, self, dim,
                        index, out);
}

extern "C" aclnnStatus aclnnIndexSelect(void* workspace, uint64_t workspaceSize,
                                        aclOpExecutor* executor, const aclrtStream stream) {
  return aclimb::Phase2(aclimb::gather_rows::kIndexSelect, workspace, workspaceSize, executor,
                        stream);
}

extern "C" aclnnStatus aclnnGatherV2GetWorkspaceSize(const aclTensor* self, int64_t dim,
                                                     const aclTensor* index, aclTensor* out,
                                                     uint64_t* workspaceSize,
                                                     aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::gather_rows::kGatherV2, workspaceSize, executor, self, dim, index,
                        out);
}

extern "C" aclnnStatus aclnnGatherV2(void* workspace, uint64_t workspaceSize,
                                     aclOpExecutor* executor, aclrtStream stream) {
  return aclimb::Phase2(aclimb::gather_rows::kGatherV2, workspace, workspaceSize, executor, stream);
}
