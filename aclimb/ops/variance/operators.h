#pragma once

#include <algorithm>
#include <cmath>

#include "aclimb/ops/variance/contracts.h"
#include "aclimb/truth/operator_entry.h"
#include "aclimb/truth/reduced.h"
#include "aclimb/truth/rounding.h"

namespace aclimb::variance {

// Two passes: the mean, then what the elements differ from it.
template <bool kRoot, bool kMean>
void Truth(const truth::Call& call, truth::Outputs& outputs) {
  const auto reduced =
      contract::DimensionsIn(call.Ints(kDim), static_cast<int>(call.Shape(kSelf).size()));
  truth::Expected variances, means;
  const auto add = [&](int out, truth::Expected& to, double value, double allowed) {
    const double rounding = std::isfinite(value) ? std::fabs(value) : 0;
    to.values.push_back(value);
    to.allowed.push_back(allowed + rounding * truth::RoundingOf(call.DTypeOf(out)) +
                         truth::LeastOf(call.DTypeOf(out)));
  };
  for (const std::vector<double>& elements : truth::Groups(call, kSelf, reduced)) {
    const auto count = static_cast<double>(elements.size());
    double sum = 0, squares = 0, magnitude = 0, power = 0;
    for (const double x : elements) {
      sum += x;
      magnitude += std::fabs(x) / count;
      power += x * x / count;
    }
    const double mean = sum / count;
    for (const double x : elements) squares += (x - mean) * (x - mean);
    const double variance =
        squares / std::max(0.0, count - static_cast<double>(call.Integer(kCorrection)));
    const double value = kRoot ? std::sqrt(variance) : variance;
    // What double loses of the squares; a root of what is lost may be all of a root.
    const double lost = 1e-12 * power;
    add(kOut, variances, value,
        std::isfinite(value) ? 1e-9 * value + (kRoot ? std::sqrt(lost) : lost) : 0);
    if (kMean) add(kMeanOut, means, mean, std::isfinite(mean) ? 1e-12 * magnitude : 0);
  }
  outputs.Set(kOut, std::move(variances.values), std::move(variances.allowed));
  if (kMean) outputs.Set(kMeanOut, std::move(means.values), std::move(means.allowed));
}

inline constexpr auto kTruthOfVar = &Truth<false, false>;
inline constexpr auto kTruthOfVarCorrection = &Truth<false, false>;
inline constexpr auto kTruthOfStd = &Truth<true, false>;
inline constexpr auto kTruthOfVarMean = &Truth<false, true>;
inline constexpr auto kTruthOfStdMeanCorrection = &Truth<true, true>;

inline constexpr truth::OperatorEntry kOperators[] = {
#define ACLIMB_VARIANCE(name, Name, ...) \
  truth::Entry<decltype(aclnn##Name##GetWorkspaceSize)>(k##Name##Contract, kTruthOf##Name),
#define ACLIMB_VARIANCE_AND_MEAN(name, Name, ...) ACLIMB_VARIANCE(name, Name, ...)
#include "aclimb/ops/variance/rows.inc"
#undef ACLIMB_VARIANCE
#undef ACLIMB_VARIANCE_AND_MEAN
};

}  // namespace aclimb::variance
