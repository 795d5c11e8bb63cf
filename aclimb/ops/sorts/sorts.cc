// The C functions, but for aclnnUnique2, and the plans between them.

#include <cmath>

#include "aclimb/copy/convert.h"
#include "aclimb/core/dimensions.h"
#include "aclimb/executor/phase.h"
#include "aclimb/ops/sorts/contracts.h"
#include "aclimb/ops/sorts/line_plan.h"

namespace aclimb::sorts {
namespace {

int Dimension(const Arguments& arguments, int self, int dim) {
  return static_cast<int>(WrapDimension(arguments.Integer(dim), arguments.Tensor(self).rank()));
}

Result<PlanPointer> PlanSort(const Arguments& arguments, Planner& planner) {
  using namespace sort;  // NOLINT: the positions
  const TensorDescriptor& self = arguments.Tensor(kSelf);
  if (self.IsEmpty()) return PlanPointer();
  return MakeLinePlan(arguments, planner,
                      {.values = kValues,
                       .indices = kIndices,
                       .dim = Dimension(arguments, kSelf, kDim),
                       .order = {.dtype = self.dtype, .descending = arguments.Bool(kDescending)},
                       .wanted = LengthAlong(self, arguments.Integer(kDim))});
}

Result<PlanPointer> PlanArgsort(const Arguments& arguments, Planner& planner) {
  using namespace argsort;  // NOLINT: the positions
  const TensorDescriptor& self = arguments.Tensor(kSelf);
  if (self.IsEmpty()) return PlanPointer();
  return MakeLinePlan(arguments, planner,
                      {.indices = kOut,
                       .dim = Dimension(arguments, kSelf, kDim),
                       .order = {.dtype = self.dtype, .descending = arguments.Bool(kDescending)},
                       .wanted = LengthAlong(self, arguments.Integer(kDim))});
}

Result<PlanPointer> PlanTopk(const Arguments& arguments, Planner& planner) {
  using namespace topk;  // NOLINT: the positions
  const TensorDescriptor& self = arguments.Tensor(kSelf);
  if (self.IsEmpty() || arguments.Integer(kK) == 0) return PlanPointer();
  return MakeLinePlan(arguments, planner,
                      {.values = kValues,
                       .indices = kIndices,
                       .dim = Dimension(arguments, kSelf, kDim),
                       .order = {.dtype = self.dtype, .descending = arguments.Bool(kLargest)},
                       .wanted = arguments.Integer(kK)});
}

Result<PlanPointer> PlanKthvalue(const Arguments& arguments, Planner& planner) {
  using namespace kthvalue;  // NOLINT: the positions
  const TensorDescriptor& self = arguments.Tensor(kSelf);
  if (self.IsEmpty()) return PlanPointer();
  return MakeLinePlan(arguments, planner,
                      {.values = kValues,
                       .indices = kIndices,
                       .dim = Dimension(arguments, kSelf, kDim),
                       .order = {.dtype = self.dtype},
                       .wanted = arguments.Integer(kK),
                       .last_alone = true});
}

// With NaNs before all others the first of them is found; numbers then count from behind them, but
// nobody asks for one.
LineTask MedianTask(DType dtype, int64_t length) {
  return {.order = {.dtype = dtype, .nan_is_least = true},
          .wanted = (length + 1) / 2,
          .last_alone = true,
          .nan_first = true};
}

Result<PlanPointer> PlanMedianDim(const Arguments& arguments, Planner& planner) {
  using namespace median_dim;  // NOLINT: the positions
  const TensorDescriptor& self = arguments.Tensor(kSelf);
  if (self.IsEmpty()) return PlanPointer();
  LineTask task = MedianTask(self.dtype, LengthAlong(self, arguments.Integer(kDim)));
  task.values = kValues;
  task.indices = kIndices;
  task.dim = Dimension(arguments, kSelf, kDim);
  return MakeLinePlan(arguments, planner, task);
}

// The median of nothing.
struct NothingPlan final : Plan {
  void Run(const RunContext& run) const override {
    const float nan = std::nanf("");
    const TensorView out = run.View(median::kValues);
    const copy::Converter converter(DType::kFloat32, out.dtype);
    converter.Changes() ? converter.Run(&nan, 1, out.data) : void(*out.As<float>() = nan);
  }
};

Result<PlanPointer> PlanMedian(const Arguments& arguments, Planner& planner) {
  using namespace median;  // NOLINT: the positions
  const TensorDescriptor& self = arguments.Tensor(kSelf);
  if (self.IsEmpty()) {
    planner.Writes(kValues);
    return PlanPointer(NewPlan<NothingPlan>());
  }
  LineTask task = MedianTask(self.dtype, self.ElementCount());
  task.values = kValues;
  task.flat = true;
  return MakeLinePlan(arguments, planner, task);
}

}  // namespace
}  // namespace aclimb::sorts

#define ACLIMB_PHASE2(Name, name, Stream)                                                     \
  namespace aclimb::sorts {                                                                   \
  constinit static Operator name##_operator(name::kContract, Plan##Name);                     \
  }                                                                                           \
  extern "C" aclnnStatus aclnn##Name(void* workspace, uint64_t workspaceSize,                 \
                                     aclOpExecutor* executor, Stream stream) {                \
    return aclimb::Phase2(aclimb::sorts::name##_operator, workspace, workspaceSize, executor, \
                          stream);                                                            \
  }

ACLIMB_PHASE2(Sort, sort, const aclrtStream)
ACLIMB_PHASE2(Argsort, argsort, aclrtStream)
ACLIMB_PHASE2(Topk, topk, const aclrtStream)
ACLIMB_PHASE2(Kthvalue, kthvalue, const aclrtStream)
ACLIMB_PHASE2(MedianDim, median_dim, aclrtStream)
ACLIMB_PHASE2(Median, median, aclrtStream)

extern "C" aclnnStatus aclnnSortGetWorkspaceSize(const aclTensor* self, bool stable, int64_t dim,
                                                 bool descending, aclTensor* valuesOut,
                                                 aclTensor* indicesOut, uint64_t* workspaceSize,
                                                 aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::sorts::sort_operator, workspaceSize, executor, self, stable, dim,
                        descending, valuesOut, indicesOut);
}

extern "C" aclnnStatus aclnnArgsortGetWorkspaceSize(const aclTensor* self, int64_t dim,
                                                    bool descending, aclTensor* out,
                                                    uint64_t* workspaceSize,
                                                    aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::sorts::argsort_operator, workspaceSize, executor, self, dim,
                        descending, out);
}

extern "C" aclnnStatus aclnnTopkGetWorkspaceSize(const aclTensor* self, int64_t k, int64_t dim,
                                                 bool largest, bool sorted, aclTensor* valuesOut,
                                                 aclTensor* indicesOut, uint64_t* workspaceSize,
                                                 aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::sorts::topk_operator, workspaceSize, executor, self, k, dim,
                        largest, sorted, valuesOut, indicesOut);
}

extern "C" aclnnStatus aclnnKthvalueGetWorkspaceSize(const aclTensor* self, int64_t k, int64_t dim,
                                                     bool keepdim, aclTensor* valuesOut,
                                                     aclTensor* indicesOut, uint64_t* workspaceSize,
                                                     aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::sorts::kthvalue_operator, workspaceSize, executor, self, k, dim,
                        keepdim, valuesOut, indicesOut);
}

extern "C" aclnnStatus aclnnMedianDimGetWorkspaceSize(const aclTensor* self, int64_t dim,
                                                      bool keepDim, aclTensor* valuesOut,
                                                      aclTensor* indicesOut,
                                                      uint64_t* workspaceSize,
                                                      aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::sorts::median_dim_operator, workspaceSize, executor, self, dim,
                        keepDim, valuesOut, indicesOut);
}

extern "C" aclnnStatus aclnnMedianGetWorkspaceSize(const aclTensor* self, aclTensor* valuesOut,
                                                   uint64_t* workspaceSize,
                                                   aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::sorts::median_operator, workspaceSize, executor, self, valuesOut);
}
