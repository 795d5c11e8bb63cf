#pragma once

#include <cstdlib>

#include "aclimb/ops/pads/contracts.h"
#include "aclimb/truth/cast.h"
#include "aclimb/truth/each.h"
#include "aclimb/truth/outputs.h"

namespace aclimb::pads {

inline void ConstantTruth(const truth::Call& call, truth::Outputs& outputs) {
  using namespace constant;  // NOLINT: the positions
  const std::vector<int64_t>& shape = call.Shape(kSelf);
  const double around =
      truth::CastValue(call.Real(kValue), call.At(kValue).dtype, call.DTypeOf(kSelf));
  const auto value = [&](std::vector<int64_t> index) {
    for (size_t d = 0; d < shape.size(); ++d) {
      index[d] -= PairOf(call.Ints(kPad), shape.size(), d).before;
      if (index[d] < 0 || index[d] >= shape[d]) return around;
    }
    return truth::ValueAt(call, kSelf, index);
  };
  outputs.Set(kOut, truth::EachIndex(call.Shape(kOut), value), truth::Allowance{});
}

inline void ReflectionTruth(const truth::Call& call, truth::Outputs& outputs) {
  using namespace reflection;  // NOLINT: the positions
  const std::vector<int64_t>& shape = call.Shape(kSelf);
  const auto value = [&](std::vector<int64_t> index) {
    for (size_t d = 0; d < shape.size(); ++d) {
      index[d] = std::abs(index[d] - PairOf(call.Ints(kPadding), shape.size(), d).before);
      index[d] = std::min(index[d], 2 * (shape[d] - 1) - index[d]);
    }
    return truth::ValueAt(call, kSelf, index);
  };
  outputs.Set(kOut, truth::EachIndex(call.Shape(kOut), value), truth::Allowance{});
}

}  // namespace aclimb::pads
