#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "aclimb/ops/norm/contract.h"
#include "aclimb/truth/elements.h"
#include "aclimb/truth/operator_entry.h"
#include "aclimb/truth/reduced.h"
#include "aclimb/truth/rounding.h"

namespace aclimb::norm {

// By the definition.
inline double NormOf(const std::vector<double>& elements, double p) {
  if (std::isinf(p)) {
    double best = p > 0 ? 0 : std::numeric_limits<double>::infinity();
    for (const double x : elements) {
      if (std::isnan(x)) return x;
      best = p > 0 ? std::max(best, std::fabs(x)) : std::min(best, std::fabs(x));
    }
    return best;
  }
  double sum = 0;
  for (const double x : elements) {
    sum += p == 0 ? (x != 0 ? 1 : 0) : std::pow(std::fabs(x), p);
  }
  return p == 0 ? sum : std::pow(sum, 1 / p);
}

template <int kResult>
void Truth(const truth::Call& call, truth::Outputs& outputs) {
  const auto reduced =
      contract::DimensionsIn(call.Ints(kDims), static_cast<int>(call.Shape(kSelf).size()));
  const DType stored = call.DTypeOf(kResult);
  const DType rounded = kResult == kOut ? stored : DType(call.Integer(kDType));
  const double p = call.Float(kOrder);
  truth::Expected expected;
  for (const std::vector<double>& elements : truth::Groups(call, kSelf, reduced)) {
    double norm = NormOf(elements, p);
    if (std::isinf(truth::Rounded(norm, rounded))) norm = truth::Rounded(norm, rounded);
    // Float32 sums of absolute values, and what is rounded.
    const double relative = 4e-7 + truth::RoundingOf(stored) + truth::RoundingOf(rounded);
    expected.values.push_back(norm);
    expected.allowed.push_back((std::isfinite(norm) ? norm * relative : 0) +
                               truth::LeastOf(stored) + truth::LeastOf(rounded));
  }
  outputs.Set(kResult, std::move(expected.values), std::move(expected.allowed));
}

inline constexpr truth::OperatorEntry kOperators[] = {
    truth::Entry<decltype(aclnnNormGetWorkspaceSize)>(kNormContract, &Truth<kOut>),
    truth::Entry<decltype(aclnnLinalgVectorNormGetWorkspaceSize)>(kLinalgVectorNormContract,
                                                                  &Truth<kOutAfterDType>)};

}  // namespace aclimb::norm
