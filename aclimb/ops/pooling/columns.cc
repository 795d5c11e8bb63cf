// The operators that make columns of windows, and planes of columns: the C functions, and the plans
// between them.

#include "aclimb/executor/phase.h"
#include "aclimb/executor/unit_scratch.h"
#include "aclimb/ops/pooling/columns_contracts.h"
#include "aclimb/ops/pooling/kernels.h"
#include "aclimb/rows/dense.h"

namespace aclimb::pooling {
namespace {

struct ColumnPlan final : Plan {
  bool sum = false;
  ColumnArgs args = {};
  rows::Dense from, to;
  UnitScratch sums;

  void Run(const RunContext& run) const override {
    rows::RunDense(run, {&from, &to}, [&] {
      ColumnArgs of_run = args;
      of_run.from = from.Data(run);
      of_run.to = to.Data(run);
      of_run.sums = sums.Memory(run);
      return sum ? SumColumns(of_run) : MakeColumns(of_run, SizeOf(from.dtype()));
    });
  }
};

Result<PlanPointer> PlanOfColumns(const Arguments& arguments, Planner& planner, int from, int to,
                                  const Windows& windows, bool sum) {
  // Sums of more terms are made in double.
  constexpr int64_t kFewTerms = 16;
  const TensorView read = arguments.Tensor(from).View(), written = arguments.Tensor(to).View();
  if (written.ElementCount() == 0) return PlanPointer();
  auto plan = NewPlan<ColumnPlan>();
  plan->sum = sum;
  plan->args.windows = windows;
  const DType dtype = sum ? DType::kFloat32 : read.dtype;
  plan->from = rows::Dense::Input(planner, from, read, dtype);
  plan->to = rows::Dense::Output(planner, to, written, dtype);
  const Axis &height = windows.height, &width = windows.width;
  if (sum && height.kernel * width.kernel > kFewTerms) {
    plan->sums.Book(planner, windows.planes, height.in * width.in * int64_t{sizeof(double)});
  }
  const double columns = static_cast<double>(sum ? read.ElementCount() : written.ElementCount());
  planner.Costs({.cycles = plan->from.CopyCycles() + plan->to.CopyCycles() + columns});
  return PlanPointer(std::move(plan));
}

Result<PlanPointer> PlanColumns(const Arguments& arguments, Planner& planner) {
  using namespace columns;  // NOLINT: the positions
  return PlanOfColumns(arguments, planner, kSelf, kOut,
                       At::Over(arguments, arguments.Tensor(kSelf).shape), false);
}

Result<PlanPointer> MakeBackwardPlan(const Arguments& arguments, Planner& planner) {
  using namespace columns_backward;  // NOLINT: the positions
  return PlanOfColumns(arguments, planner, kGradOutput, kOut,
                       At::Over(arguments, arguments.Tensor(kOut).shape), true);
}

constinit Operator kColumns(columns::kContract, PlanColumns);
constinit Operator kColumnsBackward(columns_backward::kContract, MakeBackwardPlan);

}  // namespace
}  // namespace aclimb::pooling

extern "C" aclnnStatus aclnnIm2colGetWorkspaceSize(
    const aclTensor* self, const aclIntArray* kernelSize, const aclIntArray* dilation,
    const aclIntArray* padding, const aclIntArray* stride, const aclTensor* out,
    uint64_t* workspaceSize, aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::pooling::kColumns, workspaceSize, executor, self, kernelSize,
                        dilation, padding, stride, out);
}

extern "C" aclnnStatus aclnnIm2col(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                   aclrtStream stream) {
  return aclimb::Phase2(aclimb::pooling::kColumns, workspace, workspaceSize, executor, stream);
}

extern "C" aclnnStatus aclnnIm2colBackwardGetWorkspaceSize(
    const aclTensor* gradOutput, const aclIntArray* inputSize, const aclIntArray* kernelSize,
    const aclIntArray* dilation, const aclIntArray* padding, const aclIntArray* stride,
    aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::pooling::kColumnsBackward, workspaceSize, executor, gradOutput,
                        inputSize, kernelSize, dilation, padding, stride, out);
}

extern "C" aclnnStatus aclnnIm2colBackward(void* workspace, uint64_t workspaceSize,
                                           aclOpExecutor* executor, aclrtStream stream) {
  return aclimb::Phase2(aclimb::pooling::kColumnsBackward, workspace, workspaceSize, executor,
                        stream);
}
