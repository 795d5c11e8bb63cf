#pragma once

#include "aclimb/ops/joins/contracts.h"
#include "aclimb/truth/cast.h"
#include "aclimb/truth/each.h"
#include "aclimb/truth/outputs.h"

namespace aclimb::joins {

inline double Cast(const truth::Call& call, truth::Slot from, const std::vector<int64_t>& index) {
  return truth::CastValue(truth::ValueAt(call, from, index), call.DTypeOf(from),
                          call.DTypeOf(join::kOut));
}

inline void CatTruth(const truth::Call& call, truth::Outputs& outputs) {
  const size_t dim = WrapDimension(call.Integer(join::kDim), call.Shape(join::kOut).size());
  const auto value = [&](std::vector<int64_t> index) {
    int i = 0;
    for (; index[dim] >= call.Shape({join::kTensors, i})[dim]; ++i) {
      index[dim] -= call.Shape({join::kTensors, i})[dim];
    }
    return Cast(call, {join::kTensors, i}, index);
  };
  outputs.Set(join::kOut, truth::EachIndex(call.Shape(join::kOut), value), truth::Allowance{});
}

inline void StackTruth(const truth::Call& call, truth::Outputs& outputs) {
  const size_t dim = WrapDimension(call.Integer(join::kDim), call.Shape(join::kOut).size());
  const auto value = [&](std::vector<int64_t> index) {
    const auto i = static_cast<int>(index[dim]);
    index.erase(index.begin() + static_cast<ptrdiff_t>(dim));
    return Cast(call, {join::kTensors, i}, index);
  };
  outputs.Set(join::kOut, truth::EachIndex(call.Shape(join::kOut), value), truth::Allowance{});
}

// Part i begins where `at` says.
template <typename At>
void SetParts(const truth::Call& call, truth::Outputs& outputs, At at) {
  const size_t dim = WrapDimension(call.Integer(split::kDim), call.Shape(split::kSelf).size());
  for (int i = 0; i < call.ListSize(split::kOut); ++i) {
    const auto value = [&](std::vector<int64_t> index) {
      index[dim] += at(i);
      return truth::ValueAt(call, split::kSelf, index);
    };
    outputs.Set({split::kOut, i}, truth::EachIndex(call.Shape({split::kOut, i}), value),
                truth::Allowance{});
  }
}

inline void SplitTensorTruth(const truth::Call& call, truth::Outputs& outputs) {
  SetParts(call, outputs, [&](int i) { return i * call.Integer(split::kSizes); });
}

inline void SplitWithSizeTruth(const truth::Call& call, truth::Outputs& outputs) {
  SetParts(call, outputs, [&](int i) {
    int64_t at = 0;
    for (int k = 0; k < i; ++k) at += call.Ints(split::kSizes)[static_cast<size_t>(k)];
    return at;
  });
}

}  // namespace aclimb::joins
