#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "aclimb/ops/gather_rows/contract.h"
#include "aclimb/truth/call.h"
#include "aclimb/truth/outputs.h"

namespace aclimb::gather_rows {

// Element by element; what is outside of [0, extent) gives zeros.
inline std::vector<double> Truth(const std::vector<double>& self, int64_t outer, int64_t extent,
                                 int64_t inner, const std::vector<int64_t>& index, bool wraps) {
  std::vector<double> out;
  for (int64_t o = 0; o < outer; ++o) {
    for (int64_t k : index) {
      if (wraps && k < 0) k += extent;
      for (int64_t i = 0; i < inner; ++i) {
        const bool known = k >= 0 && k < extent;
        out.push_back(known ? self[static_cast<size_t>((o * extent + k) * inner + i)] : 0.0);
      }
    }
  }
  return out;
}

inline void EmbeddingTruth(const truth::Call& call, truth::Outputs& outputs) {
  const std::vector<int64_t>& shape = call.Shape(kWeight);
  outputs.Set(kRows, Truth(call.Values(kWeight), 1, shape[0], shape[1], call.Ints(kIndices), false),
              truth::Allowance{});
}

template <bool kWraps>
void DimensionTruth(const truth::Call& call, truth::Outputs& outputs) {
  std::vector<int64_t> shape = call.Shape(kSelf);
  if (shape.empty()) shape = {1};
  const auto rank = static_cast<int64_t>(shape.size());
  const int64_t dim = call.Integer(kDim) < 0 ? call.Integer(kDim) + rank : call.Integer(kDim);
  int64_t outer = 1, inner = 1;
  for (int64_t d = 0; d < rank; ++d) {
    if (d < dim) outer *= shape[static_cast<size_t>(d)];
    if (d > dim) inner *= shape[static_cast<size_t>(d)];
  }
  outputs.Set(kOut,
              Truth(call.Values(kSelf), outer, shape[static_cast<size_t>(dim)], inner,
                    call.Ints(kIndex), kWraps),
              truth::Allowance{});
}

}  // namespace aclimb::gather_rows
