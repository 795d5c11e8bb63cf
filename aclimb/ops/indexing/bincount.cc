// aclnnBincount: the C entry points and the plan between them.

#include "aclimb/copy/convert.h"
#include "aclimb/copy/copy.h"
#include "aclimb/copy/zeros.h"
#include "aclimb/core/text.h"
#include "aclimb/executor/inspect.h"
#include "aclimb/executor/phase.h"
#include "aclimb/ops/indexing/contracts.h"
#include "aclimb/ops/indexing/int64_index.h"
#include "aclimb/ops/indexing/update.h"

namespace aclimb::indexing {
namespace {

using namespace bincount;  // NOLINT: the positions

class BincountPlan final : public Plan {
 public:
  BincountPlan(const Arguments& arguments, Planner& planner)
      : weighted_(arguments.Given(kWeights)) {
    const TensorView self = arguments.Tensor(kSelf).View();
    const TensorView out = arguments.Tensor(kOut).View();
    planner.Writes(kOut);
    length_ = out.shape[0];
    if (arguments.Tensor(kSelf).IsEmpty()) return;
    planner.Reads(kSelf);
    counts_ = true;
    numbers_ = Int64Index(planner, self);
    const TensorView one;
    shape_ = {.dtype = out.dtype,
              .operation = !weighted_ && IsInteger(out.dtype) ? Operation::kCount : Operation::kAdd,
              .count = self.shape[0],
              .extent = length_,
              .index_step = numbers_.view().stride[0],
              .out_step = out.stride[0],
              .source_step = 0,
              .lines = Walk<3>::Make({&one, &one, &one})};
    if (weighted_) {
      planner.Reads(kWeights);
      const TensorView weights = arguments.Tensor(kWeights).View();
      converts_ = weights.dtype != out.dtype;
      shape_.source_step = converts_ ? 1 : weights.stride[0];
      if (converts_) {
        converted_ =
            planner.workspace().Book(shape_.count, static_cast<int64_t>(SizeOf(out.dtype)));
      }
    } else {
      const uint8_t number = 1;
      copy::Converter(DType::kUInt8, out.dtype).Run(&number, 1, one_);
    }
    const int64_t bytes = shape_.ScratchBytes();
    if (bytes != 0) scratch_ = planner.workspace().Book(bytes);
    planner.Costs({.cycles = 10.0 * static_cast<double>(shape_.count)});
  }

  void Run(const RunContext& run) const override {
    if (!copy::FillWithZeros(run.View(kOut)) || !counts_) return;
    const int64_t* const numbers = numbers_.Get(run, kSelf);
    if (numbers == nullptr) return;
    const void* source = weighted_ ? run.Data(kWeights) : one_;
    if (converts_) {
      const TensorView weights = run.View(kWeights);
      TensorView dense = DenseLike(weights, run.Piece(converted_));
      dense.dtype = shape_.dtype;
      if (!copy::Copy(weights, dense)) return;
      source = dense.data;
    }
    const bool all_counted = Apply(shape_, {.out = run.Data(kOut),
                                            .source = source,
                                            .index = numbers,
                                            .scratch = run.Piece(scratch_)});
    if (!all_counted) FailInspected(*this, run);
  }

  void Inspect(const RunContext& run, const Inspector& inspector) const override {
    if (!counts_) return;
    InspectRange(inspector, "check/data/index-range", "self", run.View(kSelf),
                 {.begin = 0,
                  .end = length_,
                  .excepted = {},
                  .because = Cat("out has ", length_, " elements")});
  }

 private:
  const bool weighted_;
  bool counts_ = false;
  bool converts_ = false;
  int64_t length_;
  Int64Index numbers_;
  UpdateShape shape_;
  alignas(8) unsigned char one_[8] = {};
  WorkspacePiece converted_;
  WorkspacePiece scratch_;
};

Result<PlanPointer> MakePlan(const Arguments& arguments, Planner& planner) {
  if (arguments.Tensor(kOut).IsEmpty()) return PlanPointer();
  return PlanPointer(NewPlan<BincountPlan>(arguments, planner));
}

constinit Operator bincount_operator(kContract, MakePlan);

}  // namespace
}  // namespace aclimb::indexing

extern "C" aclnnStatus aclnnBincountGetWorkspaceSize(const aclTensor* self,
                                                     const aclTensor* weights, int64_t minlength,
                                                     aclTensor* out, uint64_t* workspaceSize,
                                                     aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::indexing::bincount_operator, workspaceSize, executor, self, weights,
                        minlength, out);
}

extern "C" aclnnStatus aclnnBincount(void* workspace, uint64_t workspaceSize,
                                     aclOpExecutor* executor, aclrtStream stream) {
  return aclimb::Phase2(aclimb::indexing::bincount_operator, workspace, workspaceSize, executor,
                        stream);
}
