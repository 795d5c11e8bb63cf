#pragma once

#include <cmath>
#include <utility>

#include "aclimb/ops/reduce_nansum/contract.h"
#include "aclimb/truth/cast.h"
#include "aclimb/truth/outputs.h"
#include "aclimb/truth/reduced.h"
#include "aclimb/truth/rounding.h"

namespace aclimb::reduce_nansum {

inline void Truth(const truth::Call& call, truth::Outputs& outputs) {
  const auto rank = static_cast<int>(call.Shape(kSelf).size());
  const auto reduced = contract::DimensionsIn(call.Ints(kDim), rank);
  const DType in = call.DTypeOf(kSelf), dtype = DType(call.Integer(kDType));
  const DType out = call.DTypeOf(kOut);
  truth::Expected expected;
  for (const std::vector<double>& elements : truth::Groups(call, kSelf, reduced)) {
    double sum = 0, size = 0;
    for (const double element : elements) {
      const double x = truth::CastValue(element, in, dtype);
      if (std::isnan(x)) continue;
      sum += x;
      size += std::fabs(x);
    }
    if (dtype == DType::kBool) sum = sum != 0 ? 1 : 0;
    const double result = truth::CastValue(
        truth::CastValue(sum, IsFloating(dtype) ? DType::kFloat64 : DType::kInt64, dtype), dtype,
        out);
    // Terms are added in float32, a few at a time; then come two roundings.
    const double relative = truth::RoundingOf(dtype) + truth::RoundingOf(out);
    const double sums = IsFloating(dtype) ? 4e-7 * size : 0;
    expected.values.push_back(result);
    expected.allowed.push_back(std::isfinite(result)
                                   ? sums + relative * std::fabs(result) + truth::LeastOf(dtype) +
                                         truth::LeastOf(out)
                                   : 0);
  }
  outputs.Set(kOut, std::move(expected.values), std::move(expected.allowed));
}

}  // namespace aclimb::reduce_nansum
