#pragma once

#include <algorithm>

#include "aclimb/ops/fills/contracts.h"
#include "aclimb/truth/cast.h"
#include "aclimb/truth/each.h"
#include "aclimb/truth/outputs.h"
#include "aclimb/truth/rounding.h"

namespace aclimb::fills {

inline void SetAll(const truth::Call& call, truth::Outputs& outputs, double value) {
  outputs.Set(0, std::vector<double>(static_cast<size_t>(call.ElementCount(0)), value),
              truth::Allowance{});
}

inline void ZeroTruth(const truth::Call& call, truth::Outputs& outputs) {
  SetAll(call, outputs, 0);
}
inline void OneTruth(const truth::Call& call, truth::Outputs& outputs) { SetAll(call, outputs, 1); }
inline void ScalarTruth(const truth::Call& call, truth::Outputs& outputs) {
  SetAll(call, outputs, truth::CastScalar(call, 1, call.DTypeOf(0)));
}
inline void TensorTruth(const truth::Call& call, truth::Outputs& outputs) {
  SetAll(call, outputs, truth::CastValue(call.Values(1)[0], call.DTypeOf(1), call.DTypeOf(0)));
}

// Of the flattened matrix every element that is a multiple of columns + 1 is on a diagonal.
inline void DiagonalTruth(const truth::Call& call, truth::Outputs& outputs) {
  using namespace inplace_fill_diagonal;  // NOLINT: the positions
  const std::vector<int64_t>& shape = call.Shape(kSelfRef);
  const double value = truth::CastScalar(call, kFillValue, call.DTypeOf(kSelfRef));
  const bool wraps = call.Bool(kWrap) && shape.size() == 2;
  outputs.Set(kSelfRef,
              truth::EachIndex(
                  shape,
                  [&](const std::vector<int64_t>& index) {
                    const bool equal = std::equal(index.begin() + 1, index.end(), index.begin());
                    const bool again =
                        wraps && (index[0] * shape[1] + index[1]) % (shape[1] + 1) == 0;
                    return equal || again ? value : truth::ValueAt(call, kSelfRef, index);
                  }),
              truth::Allowance{truth::RoundingOf(call.DTypeOf(kSelfRef)), 0});
}

inline void EyeTruth(const truth::Call& call, truth::Outputs& outputs) {
  outputs.Set(eye::kOut,
              truth::EachIndex(call.Shape(eye::kOut),
                               [](const std::vector<int64_t>& index) {
                                 return index[0] == index[1] ? 1.0 : 0.0;
                               }),
              truth::Allowance{});
}

inline void OneHotTruth(const truth::Call& call, truth::Outputs& outputs) {
  using namespace one_hot;  // NOLINT: the positions
  const std::vector<int64_t>& shape = call.Shape(kOut);
  const int64_t axis =
      call.Integer(kAxis) < 0 ? static_cast<int64_t>(shape.size()) - 1 : call.Integer(kAxis);
  const auto value = [&](std::vector<int64_t> index) {
    const int64_t own = index[static_cast<size_t>(axis)];
    index.erase(index.begin() + axis);
    const bool is_it = truth::ValueAt(call, kSelf, index) == static_cast<double>(own);
    return call.Values(is_it ? kOnValue : kOffValue)[0];
  };
  outputs.Set(kOut, truth::EachIndex(shape, value), truth::Allowance{});
}

}  // namespace aclimb::fills
