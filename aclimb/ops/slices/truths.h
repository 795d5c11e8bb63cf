#pragma once

#include "aclimb/core/dimensions.h"
#include "aclimb/ops/slices/contracts.h"
#include "aclimb/truth/each.h"
#include "aclimb/truth/outputs.h"

namespace aclimb::slices {

// Every element of the last parameter is the first one's at place(index).
template <typename Place>
void SetMoved(const truth::Call& call, truth::Outputs& outputs, Place place) {
  const int out = call.size() - 1;
  const auto value = [&](std::vector<int64_t> index) {
    place(index);
    return truth::ValueAt(call, 0, index);
  };
  outputs.Set(out, truth::EachIndex(call.Shape(out), value), truth::Allowance{});
}

// The first index that Python's slice takes.
inline int64_t FirstOf(int64_t start, int64_t length) {
  if (start < -length) return 0;
  return start < 0 ? start + length : start;
}

inline void SliceTruth(const truth::Call& call, truth::Outputs& outputs) {
  using namespace slice;  // NOLINT: the positions
  const std::vector<int64_t>& shape = call.Shape(kSelf);
  const size_t d = WrapDimension(call.Integer(kDim), shape.size());
  SetMoved(call, outputs, [&](std::vector<int64_t>& index) {
    index[d] = FirstOf(call.Integer(kStart), shape[d]) + index[d] * call.Integer(kStep);
  });
}

inline void SliceV2Truth(const truth::Call& call, truth::Outputs& outputs) {
  using namespace slice_v2;  // NOLINT: the positions
  const std::vector<int64_t>& shape = call.Shape(kSelf);
  SetMoved(call, outputs, [&](std::vector<int64_t>& index) {
    for (size_t i = 0; i < call.Ints(kAxes).size(); ++i) {
      const size_t d = WrapDimension(call.Ints(kAxes)[i], shape.size());
      index[d] = FirstOf(call.Ints(kStarts)[i], shape[d]) + index[d] * call.Ints(kSteps)[i];
    }
  });
}

inline void FlipTruth(const truth::Call& call, truth::Outputs& outputs) {
  using namespace flip;  // NOLINT: the positions
  const std::vector<int64_t>& shape = call.Shape(kSelf);
  SetMoved(call, outputs, [&](std::vector<int64_t>& index) {
    for (const int64_t dim : call.Ints(kDims)) {
      const size_t d = WrapDimension(dim, shape.size());
      index[d] = shape[d] - 1 - index[d];
    }
  });
}

inline void RollTruth(const truth::Call& call, truth::Outputs& outputs) {
  using namespace roll;  // NOLINT: the positions
  const std::vector<int64_t>& shape = call.Shape(kX);
  SetMoved(call, outputs, [&](std::vector<int64_t>& index) {
    for (size_t i = 0; i < call.Ints(kDims).size(); ++i) {
      const size_t d = WrapDimension(call.Ints(kDims)[i], shape.size());
      index[d] = ((index[d] - call.Ints(kShifts)[i]) % shape[d] + shape[d]) % shape[d];
    }
  });
}

}  // namespace aclimb::slices
