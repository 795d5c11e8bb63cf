#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "aclimb/ops/ctc_loss/contracts.h"
#include "aclimb/truth/call.h"
#include "aclimb/truth/draw_call.h"
#include "aclimb/truth/draw_tensor.h"
#include "aclimb/truth/each.h"
#include "aclimb/truth/outputs.h"
#include "aclimb/truth/rounding.h"

namespace aclimb::ctc_loss {

// A sequence with its probabilities, which the kernels never form: sums of products of them.
struct Spelling {
  std::vector<int64_t> states;  // classes: blanks and labels in turns
  int64_t steps;

  // Whether a path leads from state s - 2 to state s.
  bool Skips(size_t s) const { return s >= 2 && s % 2 == 1 && states[s] != states[s - 2]; }
};
template <typename P>
Spelling SpellingOf(const truth::Call& call, int64_t n) {
  const std::vector<int64_t>& lengths = call.Ints(P::kTargetLengths);
  const std::vector<int64_t>& targets = call.Shape(P::kTargets);
  size_t begin = 0;
  if (targets.size() == 2) {
    begin = static_cast<size_t>(n * targets[1]);
  } else {
    for (int64_t i = 0; i < n; ++i) begin += static_cast<size_t>(lengths[static_cast<size_t>(i)]);
  }
  Spelling spelling = {{call.Integer(P::kBlank)},
                       call.Ints(P::kInputLengths)[static_cast<size_t>(n)]};
  for (int64_t i = 0; i < lengths[static_cast<size_t>(n)]; ++i) {
    const double label = call.Values(P::kTargets)[begin + static_cast<size_t>(i)];
    spelling.states.push_back(static_cast<int64_t>(label));
    spelling.states.push_back(call.Integer(P::kBlank));
  }
  return spelling;
}
template <typename P>
double Probability(const truth::Call& call, int64_t t, int64_t n, int64_t c) {
  return std::exp(truth::ValueAt(call, P::kLogProbs, {t, n, c}));
}

inline void LossTruth(const truth::Call& call, truth::Outputs& outputs) {
  using P = Forward;
  const std::vector<int64_t>& shape = call.Shape(P::kLogAlpha);
  std::vector<double> losses, alphas, loss_errors, alpha_errors;
  // Each logarithm is one of a product of probabilities, computed in double and rounded once; the
  // kernels add logarithms of up to 4 for each step.
  const double rounding = truth::RoundingOf(call.DTypeOf(P::kLogProbs));
  const auto error = [&](double value) {
    const double sums = 1e-14 * static_cast<double>(shape[1] + 1) * 8;
    return std::isfinite(value) ? rounding * std::fabs(value) + sums : 0.0;
  };
  for (int64_t n = 0; n < shape[0]; ++n) {
    const Spelling spelling = SpellingOf<P>(call, n);
    const size_t count = spelling.states.size();
    std::vector<double> before(count), now(count);
    before[0] = 1;
    double likely = count == 1 ? 1 : 0;
    for (int64_t t = 0; t < shape[1]; ++t) {
      for (size_t s = 0; s < static_cast<size_t>(shape[2]); ++s) {
        double own = 0;
        if (t < spelling.steps && s < count) {
          // Before the first step all paths are at a blank of their own before the first.
          own = before[s] + (s > 0 ? before[s - 1] : 0);
          if (t > 0 && spelling.Skips(s)) own += before[s - 2];
          own *= Probability<P>(call, t, n, spelling.states[s]);
          now[s] = own;
        }
        alphas.push_back(std::log(own));
        alpha_errors.push_back(error(alphas.back()));
      }
      if (t < spelling.steps) before = now;
      if (t + 1 == spelling.steps) likely = now[count - 1] + (count > 1 ? now[count - 2] : 0);
    }
    losses.push_back(-std::log(likely));
    loss_errors.push_back(error(losses.back()));
  }
  outputs.Set(P::kLoss, std::move(losses), std::move(loss_errors));
  outputs.Set(P::kLogAlpha, std::move(alphas), std::move(alpha_errors));
}

inline void GradientTruth(const truth::Call& call, truth::Outputs& outputs) {
  using P = Backward;
  const std::vector<int64_t>& shape = call.Shape(P::kOut);
  const int64_t sequences = shape[1], classes = shape[2];
  std::vector<double> values(static_cast<size_t>(call.ElementCount(P::kOut)));
  std::vector<double> allowed(values.size());
  const double rounding = truth::RoundingOf(call.DTypeOf(P::kOut));
  for (int64_t n = 0; n < sequences; ++n) {
    const Spelling spelling = SpellingOf<P>(call, n);
    const size_t count = spelling.states.size();
    const double lost = call.Values(P::kLoss)[static_cast<size_t>(n)];
    const double above = call.Values(P::kGradOut)[static_cast<size_t>(n)];
    if (call.Bool(P::kZeroInfinity) && lost == std::numeric_limits<double>::infinity()) continue;
    std::vector<double> behind(count), now(count);
    for (int64_t t = spelling.steps; t-- > 0;) {
      std::vector<double> sums(static_cast<size_t>(classes));
      for (size_t s = 0; s < count; ++s) {
        double own = t + 1 == spelling.steps && s + 2 >= count ? 1 : 0;
        if (t + 1 < spelling.steps) {
          own = behind[s] + (s + 1 < count ? behind[s + 1] : 0);
          if (s + 2 < count && spelling.Skips(s + 2)) own += behind[s + 2];
        }
        now[s] = own * Probability<P>(call, t, n, spelling.states[s]);
        sums[static_cast<size_t>(spelling.states[s])] +=
            now[s] * std::exp(truth::ValueAt(call, P::kLogAlpha, {n, t, static_cast<int64_t>(s)}));
      }
      behind = now;
      for (int64_t c = 0; c < classes; ++c) {
        const double own = Probability<P>(call, t, n, c);
        const double share = sums[static_cast<size_t>(c)] * std::exp(lost) / own;
        const auto at = static_cast<size_t>((t * sequences + n) * classes + c);
        values[at] = (own - share) * above;
        // Both terms are exponentials of sums of logarithms in double, which are below 100.
        allowed[at] = 1e-13 * static_cast<double>(shape[0] + 1) * (own + share) * std::fabs(above) +
                      rounding * std::fabs(values[at]) + truth::LeastOf(call.DTypeOf(P::kOut));
      }
    }
  }
  outputs.Set(P::kOut, std::move(values), std::move(allowed));
}

template <typename P>
void DrawCtc(truth::Draw& draw, truth::Call& call) {
  constexpr bool kLosses = std::is_same_v<P, Forward>;
  constexpr int64_t kSteps[] = {4, 1, 9, 6, 0};
  constexpr int64_t kSequences[] = {2, 1, 5, 0};
  constexpr int64_t kClasses[] = {5, 2, 1, 20};
  const int64_t steps = draw.Pick(kSteps), sequences = draw.Pick(kSequences);
  const int64_t classes = draw.Pick(kClasses), columns = draw.Below(5);
  std::vector<int64_t> inputs, targets;
  int64_t sum = 0, most = 0;
  for (int64_t n = 0; n < sequences; ++n) {
    inputs.push_back(steps - draw.Below(2) * draw.Below(steps + 1));
    targets.push_back(columns - draw.Below(columns + 1));
    sum += targets.back();
    most = std::max(most, targets.back());
  }
  truth::DrawTensor(draw, call, P::kLogProbs, {steps, sequences, classes});
  const DType dtype = call.DTypeOf(P::kLogProbs);
  const bool padded = draw.Flip();
  const DType label = truth::DrawDType(draw, kLabels[draw.product()]);
  call.SetTensor(
      P::kTargets, padded ? std::vector<int64_t>{sequences, columns} : std::vector<int64_t>{sum},
      label,
      truth::DrawIndices(draw, padded ? sequences * columns : sum,
                         label == DType::kBool ? std::min<int64_t>(2, classes) : classes));
  call.SetInts(P::kInputLengths, std::move(inputs));
  call.SetInts(P::kTargetLengths, std::move(targets));
  call.SetInteger(P::kBlank, draw.Below(classes));
  call.SetInteger(P::kZeroInfinity, draw.Flip() ? 1 : 0);
  truth::DrawTensor(draw, call, P::kLoss, {sequences}, dtype);
  const int64_t width = 2 * most + 1;
  truth::DrawTensor(draw, call, P::kLogAlpha, {sequences, steps, draw.Flip() ? width : width + 7},
                    dtype);
  if constexpr (!kLosses) {
    truth::DrawTensor(draw, call, P::kGradOut, {sequences}, dtype);
    truth::DrawTensor(draw, call, P::kOut, {steps, sequences, classes}, dtype);
  }
  draw.SetCost(static_cast<double>(100 * steps * sequences * (width + classes)));
  truth::MarkUnlessObeyed(draw, call);
}

}  // namespace aclimb::ctc_loss
