#pragma once

#include <cmath>

#include "aclimb/ops/softshrink/contract.h"
#include "aclimb/truth/each.h"
#include "aclimb/truth/outputs.h"

namespace aclimb::softshrink {

// One rounding to the dtype, relative to the result.
inline truth::Allowance AllowanceOf(DType dtype) {
  switch (dtype) {
    case DType::kFloat16:
      return {5e-4, 6e-8};
    case DType::kBFloat16:
      return {4e-3, 1e-38};
    default:
      return {6e-8, 1e-38};
  }
}

inline void Truth(const truth::Call& call, truth::Outputs& outputs) {
  const double lambd = call.Float(kLambd);
  const auto shrunk = truth::Each(call, {kSelf}, [=](double x) {
    if (x > lambd) return x - lambd;
    if (x < -lambd) return x + lambd;
    return std::isnan(x) ? x : 0.0;
  });
  outputs.Set(kOut, shrunk, AllowanceOf(call.DTypeOf(kSelf)));
}

}  // namespace aclimb::softshrink
