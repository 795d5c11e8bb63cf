#pragma once

#include <cstdint>
#include <utility>

#include "aclimb/contract/arguments.h"
#include "aclimb/executor/plan.h"
#include "aclimb/ops/norms/normalize.h"
#include "aclimb/ops/norms/row_gradient.h"
#include "aclimb/rows/dense.h"

// The plans of norms whose rows lie one after the other.
namespace aclimb::norms {

// An input that the kernel reads as float32; none if it was not given.
inline rows::Dense FloatsOf(const contract::Arguments& arguments, Planner& planner, int parameter) {
  if (!arguments.Given(parameter)) return {};
  const TensorView view = arguments.Tensor(parameter).View();
  return rows::Dense::Input(planner, parameter, view, DType::kFloat32);
}
// An output that the kernel gives as float32.
inline rows::Dense FloatsTo(const contract::Arguments& arguments, Planner& planner, int parameter) {
  if (!arguments.Given(parameter)) return {};
  const TensorView view = arguments.Tensor(parameter).View();
  return rows::Dense::Output(planner, parameter, view, DType::kFloat32);
}
// Those that it reads and rounds to in the dtype that they have.
inline rows::Dense InputOf(const contract::Arguments& arguments, Planner& planner, int parameter) {
  return rows::Dense::Input(planner, parameter, arguments.Tensor(parameter).View());
}
inline rows::Dense OutputOf(const contract::Arguments& arguments, Planner& planner, int parameter) {
  const TensorView view = arguments.Tensor(parameter).View();
  return rows::Dense::Output(planner, parameter, view, rows::KernelDType(view.dtype));
}

// How many elements the last `row_rank` dimensions have, and how many rows of these there are.
struct RowCounts {
  int64_t rows = 1;
  int64_t length = 1;
};
inline RowCounts CountRows(const TensorDescriptor& tensor, size_t row_rank) {
  RowCounts counts;
  for (size_t d = 0; d < tensor.shape.size(); ++d) {
    (d + row_rank < tensor.shape.size() ? counts.rows : counts.length) *= tensor.shape[d];
  }
  return counts;
}

struct NormalizePlan final : Plan {
  void SetRows(RowCounts counts) {
    problem.rows = counts.rows;
    problem.length = counts.length;
  }

  void Run(const RunContext& run) const override {
    rows::RunDense(run, {&x, &x2, &addend, &weight, &bias, &sum, &out, &mean, &rstd}, [&] {
      Normalization all = problem;
      all.x = x.Data(run);
      all.x_dtype = x.dtype();
      all.x2 = x2.Data(run);
      all.x2_dtype = x2.dtype();
      all.addend = static_cast<const float*>(addend.Data(run));
      all.weight = static_cast<const float*>(weight.Data(run));
      all.bias = static_cast<const float*>(bias.Data(run));
      all.sum = sum.Data(run);
      all.sum_dtype = sum.dtype();
      all.out = out.Data(run);
      all.out_dtype = out.dtype();
      all.mean = static_cast<float*>(mean.Data(run));
      all.rstd = static_cast<float*>(rstd.Data(run));
      return Normalize(all);
    });
  }

  // Null means that it was not given.
  rows::Dense x, x2, addend, weight, bias, sum, out, mean, rstd;
  Normalization problem;  // the numbers, without addresses and dtypes
};

inline Result<PlanPointer> Finished(std::shared_ptr<NormalizePlan> plan, Planner& planner) {
  const auto count = static_cast<double>(plan->problem.rows * plan->problem.length);
  planner.Costs({.cycles = kNormalizeCycles * count + plan->x.CopyCycles() + plan->x2.CopyCycles() +
                           plan->sum.CopyCycles() + plan->out.CopyCycles()});
  return PlanPointer(std::move(plan));
}

// The gradient of a norm; `kSpread` is where it takes the second of its statistics.
template <class Gradient, const float* Gradient::*kSpread>
struct GradientPlan final : Plan {
  void Run(const RunContext& run) const override {
    rows::RunDense(run, {&grad, &x, &mean, &spread, &weight, &out, &weight_sums, &bias_sums}, [&] {
      Gradient all = problem;
      all.grad = grad.Data(run);
      all.grad_dtype = grad.dtype();
      all.x = x.Data(run);
      all.x_dtype = x.dtype();
      all.mean = static_cast<const float*>(mean.Data(run));
      all.*kSpread = static_cast<const float*>(spread.Data(run));
      all.weight = static_cast<const float*>(weight.Data(run));
      all.out = out.Data(run);
      all.out_dtype = out.dtype();
      all.weight_sums = static_cast<float*>(weight_sums.Data(run));
      all.bias_sums = static_cast<float*>(bias_sums.Data(run));
      all.scratch = run.Piece<void>(scratch);
      return Solve(all);
    });
  }

  rows::Dense grad, x, mean, spread, weight, out, weight_sums, bias_sums;
  WorkspacePiece scratch;
  Gradient problem;  // the numbers
};

using RowGradientPlan = GradientPlan<RowGradient, &RowGradient::rstd>;

inline void SetRows(RowCounts counts, RowGradientPlan& plan) {
  plan.problem.rows = counts.rows;
  plan.problem.length = counts.length;
}

inline Result<PlanPointer> Finished(std::shared_ptr<RowGradientPlan> plan, Planner& planner) {
  const RowGradient& problem = plan->problem;
  if (plan->weight_sums.given() || plan->bias_sums.given()) {
    plan->scratch = planner.workspace().Book(RowGradientScratch(problem.rows, problem.length));
  }
  const auto count = static_cast<double>(problem.rows * problem.length);
  planner.Costs({.cycles = kRowGradientCycles * count + plan->grad.CopyCycles() +
                           plan->x.CopyCycles() + plan->out.CopyCycles()});
  return PlanPointer(std::move(plan));
}

}  // namespace aclimb::norms
