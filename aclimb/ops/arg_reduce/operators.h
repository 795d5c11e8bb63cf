#pragma once

#include <cmath>

#include "aclimb/ops/arg_reduce/contracts.h"
#include "aclimb/truth/cast.h"
#include "aclimb/truth/operator_entry.h"
#include "aclimb/truth/reduced.h"

namespace aclimb::arg_reduce {

// The first NaN, or the first of the best.
template <bool kLargest>
size_t PlaceOf(const std::vector<double>& elements) {
  size_t place = 0;
  for (size_t i = 0; i < elements.size(); ++i) {
    if (std::isnan(elements[i])) return i;
    const bool better = kLargest ? elements[i] > elements[place] : elements[i] < elements[place];
    if (better) place = i;
  }
  return place;
}

template <bool kLargest, int kPlaces>
void Truth(const truth::Call& call, truth::Outputs& outputs) {
  const auto reduced =
      contract::DimensionsIn({call.Integer(kDim)}, static_cast<int>(call.Shape(kSelf).size()));
  std::vector<double> values, places;
  for (const std::vector<double>& elements : truth::Groups(call, kSelf, reduced)) {
    const size_t place = PlaceOf<kLargest>(elements);
    values.push_back(elements[place]);
    places.push_back(
        truth::CastValue(static_cast<double>(place), DType::kInt64, call.DTypeOf(kPlaces)));
  }
  if (kPlaces != kOut) outputs.Set(kOut, values, truth::Allowance());
  outputs.Set(kPlaces, places, truth::Allowance());
}

inline constexpr bool kMax = true, kMin = false;
inline constexpr truth::OperatorEntry kOperators[] = {
#define ACLIMB_ARG(name, Name, header, fold, sentence) \
  truth::Entry<decltype(aclnn##Name##GetWorkspaceSize)>(k##Name##Contract, &Truth<fold, kOut>),
#define ACLIMB_BEST(name, Name, header, fold, sentence) \
  truth::Entry<decltype(aclnn##Name##GetWorkspaceSize)>(k##Name##Contract, &Truth<fold, kIndices>),
#include "aclimb/ops/arg_reduce/rows.inc"
#undef ACLIMB_ARG
#undef ACLIMB_BEST
};

}  // namespace aclimb::arg_reduce
