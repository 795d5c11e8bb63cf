#pragma once

#include <cmath>

#include "aclimb/ops/softshrink/contract.h"
#include "aclimb/truth/each.h"
#include "aclimb/truth/outputs.h"
#include "aclimb/truth/rounding.h"

namespace aclimb::softshrink {

inline void Truth(const truth::Call& call, truth::Outputs& outputs) {
  const double lambd = call.Float(kLambd);
  const auto shrunk = truth::Each(call, {kSelf}, [=](double x) {
    if (x > lambd) return x - lambd;
    if (x < -lambd) return x + lambd;
    return std::isnan(x) ? x : 0.0;
  });
  // A difference of two float32 values, rounded once more where the result is a half type.
  const DType dtype = call.DTypeOf(kSelf);
  outputs.Set(kOut, shrunk, truth::Allowance{truth::RoundingOf(dtype), truth::LeastOf(dtype)});
}

}  // namespace aclimb::softshrink
