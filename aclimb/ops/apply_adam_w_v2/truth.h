#pragma once

#include <cmath>
#include <utility>
#include <vector>

#include "aclimb/ops/apply_adam_w_v2/contract.h"
#include "aclimb/truth/call.h"
#include "aclimb/truth/outputs.h"
#include "aclimb/truth/rounding.h"

namespace aclimb::apply_adam_w_v2 {

inline void Truth(const truth::Call& call, truth::Outputs& outputs) {
  const auto number = [&](int p) { return static_cast<double>(static_cast<float>(call.Real(p))); };
  const double lr = number(kLr), beta1 = number(kBeta1), beta2 = number(kBeta2);
  const double decay = number(kWeightDecay), eps = number(kEps);
  const double t = 1 + call.Values(kStep)[0];
  const double correction1 = 1 - std::pow(beta1, t), correction2 = 1 - std::pow(beta2, t);
  const bool amsgrad = call.Bool(kAmsgrad);
  struct Result {
    std::vector<double> values, allowed;
    void Add(double value, double size, DType dtype) {
      const bool finite = std::isfinite(value) && std::isfinite(size);
      values.push_back(value);
      allowed.push_back(finite ? 2e-6 * size + truth::RoundingOf(dtype) * std::fabs(value) +
                                     truth::LeastOf(dtype)
                               : 0);
    }
  };
  Result var, m, v, max;
  const DType dtype = call.DTypeOf(kVar);
  for (size_t i = 0; i < call.Values(kVar).size(); ++i) {
    const double g = call.Bool(kMaximize) ? -call.Values(kGrad)[i] : call.Values(kGrad)[i];
    const double first = beta1 * call.Values(kM)[i] + (1 - beta1) * g;
    const double first_size = std::fabs(beta1 * call.Values(kM)[i]) + std::fabs((1 - beta1) * g);
    const double second = beta2 * call.Values(kV)[i] + (1 - beta2) * g * g;
    double used = second;
    if (amsgrad) {
      const double before = call.Values(kMax)[i];
      used = before >= second || std::isnan(before) ? before : second;
      max.Add(used, std::fabs(used), call.DTypeOf(kMax));
    }
    const double root = std::sqrt(used / correction2) + eps;
    const double old = call.Values(kVar)[i];
    const double change = lr / correction1 * first / root;
    var.Add(old - lr * decay * old - change,
            std::fabs(old) * (1 + std::fabs(lr * decay)) +
                std::fabs(lr / correction1 * first_size / root),
            dtype);
    m.Add(first, first_size, dtype);
    v.Add(second, std::fabs(second), dtype);
  }
  outputs.Set(kVar, std::move(var.values), std::move(var.allowed));
  outputs.Set(kM, std::move(m.values), std::move(m.allowed));
  outputs.Set(kV, std::move(v.values), std::move(v.allowed));
  if (amsgrad) {
    outputs.Set(kMax, std::move(max.values), std::move(max.allowed));
  } else if (call.IsGiven(kMax)) {
    outputs.Set(kMax, call.Values(kMax), truth::Allowance{});
  }
}

}  // namespace aclimb::apply_adam_w_v2
