// The operators that change elements along one dimension: the C functions and the plan between
// them.

#include <algorithm>
#include <vector>

#include "aclimb/copy/convert.h"
#include "aclimb/copy/copy.h"
#include "aclimb/core/text.h"
#include "aclimb/executor/inspect.h"
#include "aclimb/executor/phase.h"
#include "aclimb/ops/indexing/contracts.h"
#include "aclimb/ops/indexing/int64_index.h"
#include "aclimb/ops/indexing/update.h"

namespace aclimb::indexing {
namespace {

// Where an operator has what. In place, self is the output.
struct Positions {
  int self = 0;
  int dim = 1;
  int index = 2;
  int source = -1;  // a tensor, or
  int value = -1;   // a scalar
  int out = 0;
};

class UpdatePlan final : public Plan {
 public:
  UpdatePlan(const Arguments& arguments, const Positions& at, Operation operation) : at_(at) {
    const TensorDescriptor& self = arguments.Tensor(at.self);
    dim_ = static_cast<int>(WrapDimension(arguments.Integer(at.dim), self.rank()));
    shape_.dtype = self.dtype;
    shape_.operation = operation;
    if (at.value >= 0) {
      const ScalarValue& value = arguments.Scalar(at.value);
      const copy::Converter converter(value.dtype, self.dtype);
      converter.Changes() ? converter.Run(value.bytes, 1, value_)
                          : void(std::copy_n(value.bytes, SizeOf(self.dtype), value_));
    }
  }

  void SetAlpha(const ScalarValue& alpha) {
    alpha_ =
        shape_.dtype == DType::kFloat64 ? alpha.ToDouble() : static_cast<double>(alpha.ToFloat());
    whole_alpha_ = alpha.ToInteger();
  }
  // Indices of the program, as aclnnIndexFillTensor has them.
  void SetIndices(const std::vector<int64_t>& indices, int64_t extent) {
    for (const int64_t i : indices) own_indices_.push_back(i < 0 ? i + extent : i);
  }

  // Entries have the shape of `index`, expanded where its strides are 0.
  void Plan(const Arguments& arguments, Planner& planner, TensorView index) {
    const TensorView out = WithRank(arguments.Tensor(at_.out).View());
    TensorView source = index;
    std::fill_n(source.stride, source.rank, 0);
    if (at_.source >= 0) {
      const TensorView tensor = WithRank(arguments.Tensor(at_.source).View());
      std::copy_n(tensor.stride, tensor.rank, source.stride);
    }
    TensorView target = index;
    std::copy_n(out.stride, out.rank, target.stride);
    shape_.count = index.shape[dim_];
    shape_.extent = out.shape[dim_];
    updates_ = true;
    if (at_.source >= 0) planner.Reads(at_.source);
    if (own_indices_.empty()) planner.Reads(at_.index);
    if (shape_.extent == 0) return;
    shape_.index_step = index.stride[dim_];
    shape_.out_step = out.stride[dim_];
    shape_.source_step = source.stride[dim_];
    const TensorView lines[] = {Without(target, dim_), Without(source, dim_), Without(index, dim_)};
    shape_.lines = Walk<3>::Make({&lines[0], &lines[1], &lines[2]});
    const int64_t bytes = shape_.ScratchBytes();
    if (bytes != 0) scratch_ = planner.workspace().Book(bytes);
    if (at_.self == at_.out) planner.Moves(at_.out, shape_.Moves());
  }
  Int64Index& index() { return index_; }

  void Run(const RunContext& run) const override {
    const TensorView self = run.View(at_.self), out = run.View(at_.out);
    if (out.data != self.data && !copy::Copy(self, out)) return;
    if (!updates_) return;
    if (shape_.extent == 0) FailInspected(*this, run);
    const int64_t* const indices =
        own_indices_.empty() ? index_.Get(run, at_.index) : own_indices_.data();
    if (indices == nullptr) return;
    const bool all_known = Apply(shape_, {.out = out.data,
                                          .source = at_.source >= 0 ? run.Data(at_.source) : value_,
                                          .index = indices,
                                          .scratch = run.Piece(scratch_),
                                          .alpha = alpha_,
                                          .whole_alpha = whole_alpha_});
    if (!all_known) FailInspected(*this, run);
  }

  void Inspect(const RunContext& run, const Inspector& inspector) const override {
    if (!updates_ || !own_indices_.empty()) return;
    InspectRange(inspector, "check/data/index-range", "index", run.View(at_.index),
                 {.begin = 0,
                  .end = shape_.extent,
                  .excepted = {},
                  .because = Cat("dimension ", dim_,
                                 at_.self == at_.out ? " of selfRef has " : " of self has ",
                                 shape_.extent, " elements")});
  }

 private:
  const Positions at_;
  int dim_;
  UpdateShape shape_;
  bool updates_ = false;
  double alpha_ = 1;
  int64_t whole_alpha_ = 1;
  alignas(16) unsigned char value_[16] = {};
  std::vector<int64_t> own_indices_;
  Int64Index index_;
  WorkspacePiece scratch_;
};

// What all have in common, before the entries. Null when there is nothing to do at all.
std::shared_ptr<UpdatePlan> Begin(const Arguments& arguments, Planner& planner, const Positions& at,
                                  Operation operation, bool has_entries) {
  const TensorDescriptor& self = arguments.Tensor(at.self);
  const bool in_place = at.self == at.out;
  if ((self.IsEmpty() || in_place) && !has_entries) return nullptr;
  if (!in_place) planner.Reads(at.self);
  planner.Writes(at.out);
  return NewPlan<UpdatePlan>(arguments, at, operation);
}

// By a tensor of indices for each entry.
Result<PlanPointer> PlanEntries(const Arguments& arguments, Planner& planner, const Positions& at,
                                Operation operation) {
  const TensorDescriptor& index = arguments.Tensor(at.index);
  const auto plan = Begin(arguments, planner, at, operation, !index.IsEmpty());
  if (plan == nullptr) return PlanPointer();
  if (!index.IsEmpty()) {
    plan->index() = Int64Index(planner, index.View());
    plan->Plan(arguments, planner, WithRank(plan->index().view()));
  }
  planner.Costs({.cycles = 10.0 * static_cast<double>(index.ElementCount())});
  return PlanPointer(plan);
}

Operation OperationOf(const Arguments& arguments) {
  constexpr Operation kOperations[] = {Operation::kReplace, Operation::kAdd, Operation::kMultiply};
  return kOperations[arguments.Integer(Scatter::kReduce)];
}

Result<PlanPointer> PlanScatter(const Arguments& arguments, Planner& planner) {
  return PlanEntries(arguments, planner, {.source = Scatter::kSource, .out = Scatter::kOut},
                     OperationOf(arguments));
}
Result<PlanPointer> PlanInplaceScatter(const Arguments& arguments, Planner& planner) {
  return PlanEntries(arguments, planner, {.source = Scatter::kSource}, OperationOf(arguments));
}
Result<PlanPointer> PlanScatterValue(const Arguments& arguments, Planner& planner) {
  return PlanEntries(arguments, planner, {.value = Scatter::kSource, .out = Scatter::kOut},
                     OperationOf(arguments));
}
Result<PlanPointer> PlanInplaceScatterValue(const Arguments& arguments, Planner& planner) {
  return PlanEntries(arguments, planner, {.value = Scatter::kSource}, OperationOf(arguments));
}
Result<PlanPointer> PlanScatterAdd(const Arguments& arguments, Planner& planner) {
  return PlanEntries(arguments, planner, {.source = ScatterAdd::kSource, .out = ScatterAdd::kOut},
                     Operation::kAdd);
}

// By one index for each slice.
Result<PlanPointer> PlanIndexAdd(const Arguments& arguments, Planner& planner) {
  using namespace index_add;  // NOLINT: the positions
  const TensorDescriptor& source = arguments.Tensor(kSource);
  const auto plan = Begin(arguments, planner, {.source = kSource, .out = kOut}, Operation::kAdd,
                          !source.IsEmpty());
  if (plan == nullptr) return PlanPointer();
  plan->SetAlpha(arguments.Scalar(kAlpha));
  if (!source.IsEmpty()) {
    plan->index() = Int64Index(planner, arguments.Tensor(kIndex).View());
    TensorView index = WithRank(source.View());
    std::fill_n(index.stride, index.rank, 0);
    index.stride[WrapDimension(arguments.Integer(kDim), arguments.Tensor(kSelf).rank())] =
        WithRank(plan->index().view()).stride[0];
    plan->Plan(arguments, planner, index);
  }
  planner.Costs({.cycles = 2.0 * static_cast<double>(source.ElementCount())});
  return PlanPointer(plan);
}

Result<PlanPointer> PlanFill(const Arguments& arguments, Planner& planner, int out) {
  using P = IndexFill;
  const IntArrayValue& indices = arguments.Ints(P::kIndex);
  const bool has_entries = !indices.empty() && !arguments.Tensor(P::kSelf).IsEmpty();
  const auto plan =
      Begin(arguments, planner, {.value = P::kValue, .out = out}, Operation::kReplace, has_entries);
  if (plan == nullptr) return PlanPointer();
  TensorView entries = WithRank(arguments.Tensor(P::kSelf).View());
  const auto dim = static_cast<int64_t>(
      WrapDimension(arguments.Integer(P::kDim), arguments.Tensor(P::kSelf).rank()));
  if (has_entries) {
    plan->SetIndices(indices, entries.shape[dim]);
    std::fill_n(entries.stride, entries.rank, 0);
    entries.shape[dim] = static_cast<int64_t>(indices.size());
    entries.stride[dim] = 1;
    plan->Plan(arguments, planner, entries);
  }
  planner.Costs({.cycles = static_cast<double>(entries.ElementCount())});
  return PlanPointer(plan);
}
Result<PlanPointer> PlanIndexFillTensor(const Arguments& arguments, Planner& planner) {
  return PlanFill(arguments, planner, IndexFill::kOut);
}
Result<PlanPointer> PlanInplaceIndexFillTensor(const Arguments& arguments, Planner& planner) {
  return PlanFill(arguments, planner, IndexFill::kSelf);
}

}  // namespace
}  // namespace aclimb::indexing

#define ACLIMB_OPERATOR_OF(Name, name, Stream)                                                   \
  namespace aclimb::indexing {                                                                   \
  constinit static Operator name##_operator(name::kContract, Plan##Name);                        \
  }                                                                                              \
  extern "C" aclnnStatus aclnn##Name(void* workspace, uint64_t workspaceSize,                    \
                                     aclOpExecutor* executor, Stream stream) {                   \
    return aclimb::Phase2(aclimb::indexing::name##_operator, workspace, workspaceSize, executor, \
                          stream);                                                               \
  }

ACLIMB_OPERATOR_OF(Scatter, scatter, const aclrtStream)
ACLIMB_OPERATOR_OF(InplaceScatter, inplace_scatter, aclrtStream)
ACLIMB_OPERATOR_OF(ScatterValue, scatter_value, const aclrtStream)
ACLIMB_OPERATOR_OF(InplaceScatterValue, inplace_scatter_value, aclrtStream)
ACLIMB_OPERATOR_OF(ScatterAdd, scatter_add, const aclrtStream)
ACLIMB_OPERATOR_OF(IndexAdd, index_add, aclrtStream)
ACLIMB_OPERATOR_OF(IndexFillTensor, index_fill_tensor, aclrtStream)
ACLIMB_OPERATOR_OF(InplaceIndexFillTensor, inplace_index_fill_tensor, aclrtStream)

extern "C" aclnnStatus aclnnScatterGetWorkspaceSize(const aclTensor* self, int64_t dim,
                                                    const aclTensor* index, const aclTensor* src,
                                                    int64_t reduce, aclTensor* out,
                                                    uint64_t* workspaceSize,
                                                    aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::indexing::scatter_operator, workspaceSize, executor, self, dim,
                        index, src, reduce, out);
}

extern "C" aclnnStatus aclnnInplaceScatterGetWorkspaceSize(aclTensor* selfRef, int64_t dim,
                                                           const aclTensor* index,
                                                           const aclTensor* src, int64_t reduce,
                                                           uint64_t* workspaceSize,
                                                           aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::indexing::inplace_scatter_operator, workspaceSize, executor,
                        selfRef, dim, index, src, reduce);
}

extern "C" aclnnStatus aclnnScatterValueGetWorkspaceSize(const aclTensor* self, int64_t dim,
                                                         const aclTensor* index,
                                                         const aclScalar* value, int64_t reduce,
                                                         aclTensor* out, uint64_t* workspaceSize,
                                                         aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::indexing::scatter_value_operator, workspaceSize, executor, self,
                        dim, index, value, reduce, out);
}

extern "C" aclnnStatus aclnnInplaceScatterValueGetWorkspaceSize(
    aclTensor* selfRef, int64_t dim, const aclTensor* index, const aclScalar* value, int64_t reduce,
    uint64_t* workspaceSize, aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::indexing::inplace_scatter_value_operator, workspaceSize, executor,
                        selfRef, dim, index, value, reduce);
}

extern "C" aclnnStatus aclnnScatterAddGetWorkspaceSize(const aclTensor* self, int64_t dim,
                                                       const aclTensor* index, const aclTensor* src,
                                                       aclTensor* out, uint64_t* workspaceSize,
                                                       aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::indexing::scatter_add_operator, workspaceSize, executor, self, dim,
                        index, src, out);
}

extern "C" aclnnStatus aclnnIndexAddGetWorkspaceSize(
    const aclTensor* self, const int64_t dim, const aclTensor* index, const aclTensor* source,
    const aclScalar* alpha, aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::indexing::index_add_operator, workspaceSize, executor, self, dim,
                        index, source, alpha, out);
}

extern "C" aclnnStatus aclnnIndexFillTensorGetWorkspaceSize(const aclTensor* self, int64_t dim,
                                                            const aclIntArray* index,
                                                            const aclScalar* value, aclTensor* out,
                                                            uint64_t* workspaceSize,
                                                            aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::indexing::index_fill_tensor_operator, workspaceSize, executor, self,
                        dim, index, value, out);
}

extern "C" aclnnStatus aclnnInplaceIndexFillTensorGetWorkspaceSize(aclTensor* selfRef, int64_t dim,
                                                                   const aclIntArray* index,
                                                                   const aclScalar* value,
                                                                   uint64_t* workspaceSize,
                                                                   aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::indexing::inplace_index_fill_tensor_operator, workspaceSize,
                        executor, selfRef, dim, index, value);
}
