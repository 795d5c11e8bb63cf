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

// A shape as [outer, extent, inner] around one dimension.
struct Slices {
  int64_t outer = 1, extent = 1, inner = 1;
};
inline Slices SlicesOf(std::vector<int64_t> shape, int64_t dim) {
  if (shape.empty()) shape = {1};
  const auto rank = static_cast<int64_t>(shape.size());
  if (dim < 0) dim += rank;
  Slices slices;
  slices.extent = shape[static_cast<size_t>(dim)];
  for (int64_t d = 0; d < rank; ++d) {
    if (d < dim) slices.outer *= shape[static_cast<size_t>(d)];
    if (d > dim) slices.inner *= shape[static_cast<size_t>(d)];
  }
  return slices;
}

inline void EmbeddingTruth(const truth::Call& call, truth::Outputs& outputs) {
  const std::vector<int64_t>& shape = call.Shape(kWeight);
  outputs.Set(kRows, Truth(call.Values(kWeight), 1, shape[0], shape[1], call.Ints(kIndices), false),
              truth::Allowance{});
}

template <bool kWraps>
void DimensionTruth(const truth::Call& call, truth::Outputs& outputs) {
  const Slices s = SlicesOf(call.Shape(kSelf), call.Integer(kDim));
  outputs.Set(kOut,
              Truth(call.Values(kSelf), s.outer, s.extent, s.inner, call.Ints(kIndex), kWraps),
              truth::Allowance{});
}

// kWhich is the output: selfRef itself, or outRef.
template <int kWhich>
void ReplacingTruth(const truth::Call& call, truth::Outputs& outputs) {
  const Slices s = SlicesOf(call.Shape(kSelf), call.Integer(kDim));
  const std::vector<int64_t>& index = call.Ints(kIndex);
  const std::vector<double>& source = call.Values(kSource);
  std::vector<double> out = call.Values(kSelf);
  const auto count = static_cast<int64_t>(index.size());
  for (int64_t n = 0; n < static_cast<int64_t>(source.size()); ++n) {
    const int64_t to = index[static_cast<size_t>(n / s.inner % count)];
    if (to < 0 || to >= s.extent) continue;
    const int64_t at = (n / s.inner / count * s.extent + to) * s.inner + n % s.inner;
    out[static_cast<size_t>(at)] = source[static_cast<size_t>(n)];
  }
  outputs.Set(kWhich, std::move(out), truth::Allowance{});
}

}  // namespace aclimb::gather_rows
