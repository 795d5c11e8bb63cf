#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "aclimb/ops/losses/contracts.h"
#include "aclimb/truth/call.h"
#include "aclimb/truth/each.h"
#include "aclimb/truth/outputs.h"
#include "aclimb/truth/rounding.h"

namespace aclimb::losses {

// A result and the size of the terms that it is made of, each of which has a few roundings in
// float32.
struct Term {
  double value;
  double size;
};
inline Term Whole(double value) { return {value, std::fabs(value)}; }

// ---- Formulas, as loss_plan.h has operands; what is not given is 1

inline Term AbsoluteDifferenceTruth(const double* x, double) {
  return Whole(std::fabs(x[0] - x[1]));
}
inline Term AbsoluteDifferenceGradientTruth(const double* x, double) {
  const double d = x[1] - x[2];
  return Whole(x[0] * ((d > 0 ? 1 : 0) - (d < 0 ? 1 : 0)));
}
inline Term SmoothDifferenceTruth(const double* x, double beta) {
  const double size = std::fabs(x[0] - x[1]);
  return {size < beta ? size * size / (2 * beta) : size - beta / 2, size + beta};
}
inline Term SmoothDifferenceGradientTruth(const double* x, double beta) {
  const double d = x[1] - x[2];
  return Whole(d <= -beta ? -x[0] : d >= beta ? x[0] : x[0] * d / beta);
}
inline Term SoftMarginTruth(const double* x, double) {
  // What rounds the exponent, whose size counts.
  const double z = -x[1] * x[0], value = std::fmax(z, 0) + std::log1p(std::exp(-std::fabs(z)));
  return {value, value == 0 ? 0 : value * (1 + std::fabs(z))};
}
inline Term SoftMarginGradientTruth(const double* x, double) {
  const double z = -x[2] * x[1], e = std::exp(-std::fabs(z));
  const double value = -x[2] * ((z < 0 ? e : 1) / (1 + e)) * x[0];
  return {value, std::fabs(value) * (2 - std::fmin(z, 0))};
}
inline double BoundedLogarithm(double logarithm) { return logarithm < -100 ? -100 : logarithm; }
inline Term CrossEntropyTruth(const double* x, double) {
  const double no = (x[1] - 1) * BoundedLogarithm(std::log1p(-x[0]));
  const double yes = x[1] * BoundedLogarithm(std::log(x[0]));
  return {(no - yes) * x[2], (std::fabs(no) + std::fabs(yes)) * std::fabs(x[2])};
}
inline Term CrossEntropyGradientTruth(const double* x, double) {
  const double variance = (1 - x[1]) * x[1];
  return Whole(x[0] * (x[1] - x[2]) / (variance < 1e-12 ? 1e-12 : variance) * x[3]);
}
inline Term CrossEntropyOfLogitsTruth(const double* x, double) {
  const double z = x[0], t = x[1];
  const double softplus = std::log1p(std::exp(-std::fabs(z))) + (z < 0 ? -z : 0);
  const double log_weight = (x[3] - 1) * t + 1, size = (std::fabs(x[3]) + 1) * std::fabs(t) + 1;
  const double value = ((1 - t) * z + log_weight * softplus) * x[2];
  return {value, ((1 + std::fabs(t)) * std::fabs(z) + size * softplus) * std::fabs(x[2])};
}
inline Term CrossEntropyOfLogitsGradientTruth(const double* x, double) {
  const double e = std::exp(-std::fabs(x[1])), s = (x[1] < 0 ? e : 1) / (1 + e);
  const double y = x[2], t = x[4] * y;
  return {x[0] * ((t + (1 - y)) * s - t) * x[3],
          std::fabs(x[0] * x[3]) * (2 * std::fabs(t) + std::fabs(y) + 1)};
}
inline Term DivergenceTruth(const double* x, double) {
  const double entropy = x[1] == 0 ? 0 : x[1] * std::log(x[1]);
  return {entropy - x[1] * x[0], std::fabs(entropy) + std::fabs(x[1] * x[0])};
}
inline Term DivergenceGradientTruth(const double* x, double) { return Whole(-x[2] * x[0]); }
inline Term DivergenceOfLogarithmsTruth(const double* x, double) {
  return Whole(std::exp(x[1]) * (x[1] - x[0]));
}
inline Term DivergenceOfLogarithmsGradientTruth(const double* x, double) {
  return Whole(-std::exp(x[2]) * x[0]);
}

// ---- What operators make of them

template <size_t N>
struct Task {
  Term (*formula)(const double* x, double attribute);
  double attribute;
  int operands[N];  // parameters, the first ones always given
  int out;
  bool sums;
  double factor;
};

template <size_t N>
void SetTruth(const truth::Call& call, truth::Outputs& outputs, const Task<N>& task) {
  const DType dtype = call.DTypeOf(task.out);
  std::vector<double> values, sizes;
  // Operands that are null stand where the first one does.
  int given[N];
  for (size_t n = 0; n < N; ++n) {
    given[n] = call.IsGiven(task.operands[n]) ? task.operands[n] : task.operands[0];
  }
  for (const std::array<size_t, N>& place : truth::BroadcastPlaces(call, given)) {
    double x[N];
    for (size_t n = 0; n < N; ++n) {
      x[n] = call.IsGiven(task.operands[n]) ? call.Values(given[n])[place[n]] : 1;
    }
    const Term term = task.formula(x, task.attribute);
    values.push_back(term.value);
    sizes.push_back(term.size);
  }
  if (task.sums) {
    double sum = 0, size = 0;
    for (const double value : values) sum += value;
    for (const double s : sizes) size += s;
    values = {sum};
    sizes = {size};
  }
  std::vector<double> allowed;
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] *= task.factor;
    const double size = sizes[i] * std::fabs(task.factor);
    allowed.push_back(std::isfinite(values[i]) && std::isfinite(size)
                          ? 1e-6 * size + truth::RoundingOf(dtype) * std::fabs(values[i]) +
                                truth::LeastOf(dtype)
                          : 0);
  }
  outputs.Set(task.out, std::move(values), std::move(allowed));
}

inline double CountOf(const truth::Call& call, int a, int b) {
  double count = 1;
  for (const int64_t extent : truth::BroadcastShape(call, {a, b})) {
    count *= static_cast<double>(extent);
  }
  return count;
}
template <size_t N>
void SetLoss(const truth::Call& call, truth::Outputs& outputs, Task<N> task, int64_t reduction) {
  task.sums = reduction != 0;
  task.factor = reduction == 1 ? 1 / CountOf(call, 0, 1) : 1;
  SetTruth(call, outputs, task);
}
template <size_t N>
void SetGradient(const truth::Call& call, truth::Outputs& outputs, Task<N> task,
                 int64_t reduction) {
  task.factor = reduction == 1 ? 1 / CountOf(call, 1, 2) : 1;
  SetTruth(call, outputs, task);
}

inline void SoftMarginLossTruth(const truth::Call& call, truth::Outputs& outputs) {
  SetLoss<2>(call, outputs, {&SoftMarginTruth, 0, {0, 1}, soft_margin_loss::kOut, false, 1},
             call.Integer(soft_margin_loss::kReduction));
}
inline void SoftMarginLossBackwardTruth(const truth::Call& call, truth::Outputs& outputs) {
  SetGradient<3>(
      call, outputs,
      {&SoftMarginGradientTruth, 0, {0, 1, 2}, soft_margin_loss_backward::kOut, false, 1},
      call.Integer(soft_margin_loss_backward::kReduction));
}
inline void L1LossTruth(const truth::Call& call, truth::Outputs& outputs) {
  SetLoss<2>(call, outputs, {&AbsoluteDifferenceTruth, 0, {0, 1}, l1_loss::kOut, false, 1},
             call.Integer(l1_loss::kReduction));
}
inline void L1LossBackwardTruth(const truth::Call& call, truth::Outputs& outputs) {
  SetGradient<3>(
      call, outputs,
      {&AbsoluteDifferenceGradientTruth, 0, {0, 1, 2}, l1_loss_backward::kGradInput, false, 1},
      call.Integer(l1_loss_backward::kReduction));
}
inline void SmoothL1LossTruth(const truth::Call& call, truth::Outputs& outputs) {
  SetLoss<2>(call, outputs,
             {&SmoothDifferenceTruth,
              call.Float(smooth_l1_loss::kBeta),
              {0, 1},
              smooth_l1_loss::kResult,
              false,
              1},
             call.Integer(smooth_l1_loss::kReduction));
}
inline void SmoothL1LossBackwardTruth(const truth::Call& call, truth::Outputs& outputs) {
  SetGradient<3>(call, outputs,
                 {&SmoothDifferenceGradientTruth,
                  call.Float(smooth_l1_loss_backward::kBeta),
                  {0, 1, 2},
                  smooth_l1_loss_backward::kGradInput,
                  false,
                  1},
                 call.Integer(smooth_l1_loss_backward::kReduction));
}
inline void KlDivTruth(const truth::Call& call, truth::Outputs& outputs) {
  const bool logarithms = call.Bool(kl_div::kLogTarget);
  SetLoss<2>(call, outputs,
             {logarithms ? &DivergenceOfLogarithmsTruth : &DivergenceTruth,
              0,
              {0, 1},
              kl_div::kOut,
              false,
              1},
             call.Integer(kl_div::kReduction));
}
inline void KlDivBackwardTruth(const truth::Call& call, truth::Outputs& outputs) {
  using namespace kl_div_backward;  // NOLINT: the positions
  const int64_t reduction = call.Integer(kReduction);
  Task<3> task = {call.Bool(kl_div_backward::kLogTarget) ? &DivergenceOfLogarithmsGradientTruth
                                                         : &DivergenceGradientTruth,
                  0,
                  {0, 1, 2},
                  kl_div_backward::kOut,
                  false,
                  1};
  if (reduction != 3) return SetGradient(call, outputs, task, reduction);
  const std::vector<int64_t>& self = call.Shape(1);
  task.factor = self.empty() ? 1 : 1 / static_cast<double>(self[0]);
  SetTruth(call, outputs, task);
}
inline void BinaryCrossEntropyTruth(const truth::Call& call, truth::Outputs& outputs) {
  SetLoss<3>(call, outputs,
             {&CrossEntropyTruth, 0, {0, 1, 2}, binary_cross_entropy::kOut, false, 1},
             call.Integer(binary_cross_entropy::kReduction));
}
inline void BinaryCrossEntropyBackwardTruth(const truth::Call& call, truth::Outputs& outputs) {
  SetGradient<4>(
      call, outputs,
      {&CrossEntropyGradientTruth, 0, {0, 1, 2, 3}, binary_cross_entropy_backward::kOut, false, 1},
      call.Integer(binary_cross_entropy_backward::kReduction));
}
inline void BinaryCrossEntropyWithLogitsTruth(const truth::Call& call, truth::Outputs& outputs) {
  SetLoss<4>(call, outputs,
             {&CrossEntropyOfLogitsTruth,
              0,
              {0, 1, 2, 3},
              binary_cross_entropy_with_logits::kOut,
              false,
              1},
             call.Integer(binary_cross_entropy_with_logits::kReduction));
}
inline void BinaryCrossEntropyWithLogitsBackwardTruth(const truth::Call& call,
                                                      truth::Outputs& outputs) {
  SetGradient<5>(call, outputs,
                 {&CrossEntropyOfLogitsGradientTruth,
                  0,
                  {0, 1, 2, 3, 4},
                  binary_cross_entropy_with_logits_backward::kOut,
                  false,
                  1},
                 call.Integer(binary_cross_entropy_with_logits_backward::kReduction));
}

}  // namespace aclimb::losses
