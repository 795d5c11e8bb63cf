// aclnnBatchNorm and aclnnBatchNormBackward: the C entry points and the plans between them.

#include "aclimb/ops/norms/batch_norm.h"

#include "aclimb/executor/phase.h"
#include "aclimb/ops/norms/channels.h"
#include "aclimb/ops/norms/row_plans.h"

namespace aclimb::norms {
namespace {

// A batch whose dimensions are in the order of the output's memory.
struct Laid {
  rows::Order order;
  Planes planes;
};
Laid LayOut(const TensorView& input, const TensorView& output) {
  constexpr int kChannelDimension = 1;
  const TensorView operands[] = {input, output};
  const rows::Layout layout = rows::LayoutAlong(operands, kChannelDimension, 0);
  return {layout.order, {.outer = layout.outer, .channels = layout.length, .inner = layout.inner}};
}

// Statistics that are there.
rows::Dense StatisticsOf(const contract::Arguments& arguments, Planner& planner, int parameter) {
  return HasTensor(arguments, parameter) ? FloatsOf(arguments, planner, parameter) : rows::Dense();
}
rows::Dense StatisticsTo(const contract::Arguments& arguments, Planner& planner, int parameter) {
  return HasTensor(arguments, parameter) ? FloatsTo(arguments, planner, parameter) : rows::Dense();
}
rows::Dense Moved(const contract::Arguments& arguments, Planner& planner, int parameter) {
  if (!HasTensor(arguments, parameter)) return {};
  const TensorView view = arguments.Tensor(parameter).View();
  return rows::Dense::InOut(planner, parameter, view, DType::kFloat32);
}

struct BatchNormPlan final : Plan {
  void Run(const RunContext& run) const override {
    rows::RunDense(
        run, {&x, &weight, &bias, &running_mean, &running_var, &out, &save_mean, &save_invstd},
        [&] {
          BatchNormalization all = problem;
          all.x = x.Data(run);
          all.x_dtype = x.dtype();
          all.out = out.Data(run);
          all.out_dtype = out.dtype();
          all.weight = static_cast<const float*>(weight.Data(run));
          all.bias = static_cast<const float*>(bias.Data(run));
          all.running_mean = static_cast<float*>(running_mean.Data(run));
          all.running_var = static_cast<float*>(running_var.Data(run));
          all.save_mean = static_cast<float*>(save_mean.Data(run));
          all.save_invstd = static_cast<float*>(save_invstd.Data(run));
          all.scratch = run.Piece<void>(scratch);
          return Normalize(all);
        });
  }

  rows::Dense x, weight, bias, running_mean, running_var, out, save_mean, save_invstd;
  WorkspacePiece scratch;
  BatchNormalization problem;  // the numbers
};

Result<PlanPointer> PlanBatchNorm(const contract::Arguments& arguments, Planner& planner) {
  using namespace batch_norm;  // NOLINT: its positions
  const TensorView input = arguments.Tensor(kInput).View();
  const TensorView output = arguments.Tensor(kOutput).View();
  const auto [order, planes] = LayOut(input, output);
  auto plan = NewPlan<BatchNormPlan>();
  BatchNormalization& problem = plan->problem;
  problem.planes = planes;
  problem.training = arguments.Bool(kTraining);
  problem.momentum = arguments.Real(kMomentum);
  problem.eps = arguments.Real(kEps);
  plan->x = rows::Dense::Input(planner, kInput, input, input.dtype, order);
  plan->weight = FloatsOf(arguments, planner, kWeight);
  plan->bias = FloatsOf(arguments, planner, kBias);
  plan->out = rows::Dense::Output(planner, kOutput, output, rows::KernelDType(output.dtype), order);
  if (problem.training) {
    plan->running_mean = Moved(arguments, planner, kRunningMean);
    plan->running_var = Moved(arguments, planner, kRunningVar);
    plan->save_mean = StatisticsTo(arguments, planner, kSaveMean);
    plan->save_invstd = StatisticsTo(arguments, planner, kSaveInvstd);
  } else {
    plan->running_mean = StatisticsOf(arguments, planner, kRunningMean);
    plan->running_var = StatisticsOf(arguments, planner, kRunningVar);
  }
  plan->scratch = planner.workspace().Book(BatchScratch(planes));
  planner.Costs({.cycles = kChannelCycles * static_cast<double>(planes.ElementCount()) +
                           plan->x.CopyCycles() + plan->out.CopyCycles()});
  return PlanPointer(std::move(plan));
}

using BatchGradientPlan = GradientPlan<BatchGradient, &BatchGradient::spread>;

Result<PlanPointer> PlanBatchNormBackward(const contract::Arguments& arguments, Planner& planner) {
  using namespace batch_norm_backward;  // NOLINT: its positions
  const BoolArrayValue& wanted = arguments.Bools(kOutputMask);
  if (!wanted[0] && !wanted[1] && !wanted[2]) return PlanPointer();
  const TensorView grad = arguments.Tensor(kGradOut).View();
  const TensorView input = arguments.Tensor(kInput).View();
  const TensorView out = wanted[0] ? arguments.Tensor(kGradInput).View() : input;
  const auto [order, planes] = LayOut(input, out);
  auto plan = NewPlan<BatchGradientPlan>();
  BatchGradient& problem = plan->problem;
  const bool training = arguments.Bool(kTraining);
  problem.planes = planes;
  problem.eps = arguments.Real(kEps);
  problem.fixed_statistics = !training;
  problem.spread_is_variance = !training;
  plan->grad = rows::Dense::Input(planner, kGradOut, grad, grad.dtype, order);
  plan->x = rows::Dense::Input(planner, kInput, input, input.dtype, order);
  plan->mean = StatisticsOf(arguments, planner, training ? kSaveMean : kRunningMean);
  plan->spread = StatisticsOf(arguments, planner, training ? kSaveInvstd : kRunningVar);
  if (wanted[0]) {
    plan->weight = FloatsOf(arguments, planner, kWeight);
    plan->out = rows::Dense::Output(planner, kGradInput, out, rows::KernelDType(out.dtype), order);
  }
  if (wanted[1]) plan->weight_sums = FloatsTo(arguments, planner, kGradWeight);
  if (wanted[2]) plan->bias_sums = FloatsTo(arguments, planner, kGradBias);
  plan->scratch = planner.workspace().Book(BatchScratch(planes));
  planner.Costs({.cycles = kChannelCycles * static_cast<double>(planes.ElementCount()) +
                           plan->grad.CopyCycles() + plan->x.CopyCycles() +
                           plan->out.CopyCycles()});
  return PlanPointer(std::move(plan));
}

constinit Operator kBatchNorm(batch_norm::kContract, PlanBatchNorm);
constinit Operator kBatchNormBackward(batch_norm_backward::kContract, PlanBatchNormBackward);

}  // namespace
}  // namespace aclimb::norms

extern "C" aclnnStatus aclnnBatchNormGetWorkspaceSize(
    const aclTensor* input, const aclTensor* weight, const aclTensor* bias, aclTensor* runningMean,
    aclTensor* runningVar, bool training, double momentum, double eps, aclTensor* output,
    aclTensor* saveMean, aclTensor* saveInvstd, uint64_t* workspaceSize, aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::norms::kBatchNorm, workspaceSize, executor, input, weight, bias,
                        runningMean, runningVar, training, momentum, eps, output, saveMean,
                        saveInvstd);
}

extern "C" aclnnStatus aclnnBatchNorm(void* workspace, uint64_t workspaceSize,
                                      aclOpExecutor* executor, aclrtStream stream) {
  return aclimb::Phase2(aclimb::norms::kBatchNorm, workspace, workspaceSize, executor, stream);
}

extern "C" aclnnStatus aclnnBatchNormBackwardGetWorkspaceSize(
    const aclTensor* gradOut, const aclTensor* input, const aclTensor* weight,
    const aclTensor* runningMean, const aclTensor* runningVar, const aclTensor* saveMean,
    const aclTensor* saveInvstd, bool training, double eps, const aclBoolArray* outputMask,
    aclTensor* gradInput, aclTensor* gradWeight, aclTensor* gradBias, uint64_t* workspaceSize,
    aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::norms::kBatchNormBackward, workspaceSize, executor, gradOut, input,
                        weight, runningMean, runningVar, saveMean, saveInvstd, training, eps,
                        outputMask, gradInput, gradWeight, gradBias);
}

extern "C" aclnnStatus aclnnBatchNormBackward(void* workspace, uint64_t workspaceSize,
                                              aclOpExecutor* executor, const aclrtStream stream) {
  return aclimb::Phase2(aclimb::norms::kBatchNormBackward, workspace, workspaceSize, executor,
                        stream);
}
