#pragma once

#include <cmath>

#include "aclimb/ops/sequences/contracts.h"
#include "aclimb/truth/cast.h"
#include "aclimb/truth/outputs.h"
#include "aclimb/truth/rounding.h"

namespace aclimb::sequences {

inline void SetNumbers(const truth::Call& call, truth::Outputs& outputs, double first,
                       double step) {
  const DType out = call.DTypeOf(kOut);
  std::vector<double> values;
  for (int64_t i = 0; i < call.ElementCount(kOut); ++i) {
    values.push_back(truth::CastValue(first + static_cast<double>(i) * step, DType::kFloat64, out));
  }
  // The order of the sum may differ by a rounding of float64, and a tie then goes the other way.
  const double relative = out == DType::kFloat64    ? 1e-14
                          : out == DType::kFloat32  ? 1.2e-7
                          : out == DType::kFloat16  ? 1e-3
                          : out == DType::kBFloat16 ? 8e-3
                                                    : 0;
  outputs.Set(kOut, std::move(values),
              truth::Allowance{relative, IsFloating(out) ? 1e-13 + 2 * truth::LeastOf(out) : 0});
}

// Arange and Range.
inline void RangeTruth(const truth::Call& call, truth::Outputs& outputs) {
  const DType out = call.DTypeOf(kOut);
  if (IsFloating(out)) return SetNumbers(call, outputs, call.Real(kStart), call.Real(kStep));
  // Without sign, since sums wrap.
  auto number = static_cast<uint64_t>(call.Whole(kStart));
  std::vector<int64_t> values(static_cast<size_t>(call.ElementCount(kOut)));
  for (int64_t& value : values) {
    value = truth::CastInteger(static_cast<int64_t>(number), out);
    number += static_cast<uint64_t>(call.Whole(kStep));
  }
  outputs.SetIntegers(kOut, std::move(values));
}

inline void LinspaceTruth(const truth::Call& call, truth::Outputs& outputs) {
  const auto steps = static_cast<double>(call.Integer(kStep) - 1);
  double start = call.Real(kStart), end = call.Real(kEnd);
  if (!IsFloating(call.DTypeOf(kOut))) {
    start = std::trunc(start);
    end = std::trunc(end);
  }
  SetNumbers(call, outputs, start, steps > 0 ? (end - start) / steps : 0);
}

}  // namespace aclimb::sequences
