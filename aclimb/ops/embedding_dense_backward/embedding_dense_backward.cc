// aclnnEmbeddingDenseBackward: the C entry points and the plan between them.

#include <memory>

#include "aclimb/core/text.h"
#include "aclimb/executor/inspect.h"
#include "aclimb/executor/phase.h"
#include "aclimb/ops/embedding_dense_backward/contract.h"
#include "aclimb/ops/embedding_dense_backward/cpu.h"
#include "aclnnop/aclnn_embedding_dense_backward.h"

namespace aclimb::embedding_dense_backward {
namespace {

struct EmbeddingDenseBackwardPlan final : Plan {
  int64_t padding_idx = -1;
  bool scale_by_freq = false;
  WorkspacePiece scratch;

  void Run(const RunContext& run) const override {
    RunOnCpu({.grad = run.View(kGrad),
              .indices = run.View(kIndices),
              .out = run.View(kOut),
              .padding_idx = padding_idx,
              .scale_by_freq = scale_by_freq,
              .scratch = run.Piece(scratch)});
  }

  void Inspect(const RunContext& run, const Inspector& inspector) const override {
    const int64_t rows = run.View(kOut).shape[0];
    InspectRange(
        inspector, "check/data/index-range", "indices", run.View(kIndices),
        {.begin = 0, .end = rows, .excepted = padding_idx, .because = Cat("numWeights is ", rows)});
  }
};

// Empty inputs still fill out with zeros; only an empty out leaves nothing to do.
Result<PlanPointer> MakePlan(const contract::Arguments& arguments, Planner& planner) {
  const TensorDescriptor& out = arguments.Tensor(kOut);
  if (out.IsEmpty()) return PlanPointer();
  planner.Reads(kGrad);
  planner.Reads(kIndices);
  planner.Writes(kOut);
  auto plan = NewPlan<EmbeddingDenseBackwardPlan>();
  plan->padding_idx = arguments.Integer(kPaddingIdx);
  plan->scale_by_freq = arguments.Bool(kScaleGradByFreq);
  plan->scratch = planner.workspace().Book(
      ScratchBytes(arguments.Tensor(kGrad).View(), arguments.Tensor(kIndices).View(), out.View()));
  return PlanPointer(std::move(plan));
}

constinit Operator kOperator(kContract, MakePlan);

}  // namespace
}  // namespace aclimb::embedding_dense_backward

extern "C" aclnnStatus aclnnEmbeddingDenseBackwardGetWorkspaceSize(
    const aclTensor* grad, const aclTensor* indices, uint64_t numWeights, uint64_t paddingIdx,
    bool scaleGradByFreq, const aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::embedding_dense_backward::kOperator, workspaceSize, executor, grad,
                        indices, numWeights, paddingIdx, scaleGradByFreq, out);
}

extern "C" aclnnStatus aclnnEmbeddingDenseBackward(void* workspace, uint64_t workspaceSize,
                                                   aclOpExecutor* executor,
                                                   const aclrtStream stream) {
  return aclimb::Phase2(aclimb::embedding_dense_backward::kOperator, workspace, workspaceSize,
                        executor, stream);
}
