#pragma once

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "aclimb/core/dimensions.h"
#include "aclimb/ops/repeats/by_tensor_contracts.h"
#include "aclimb/ops/repeats/contracts.h"
#include "aclimb/truth/each.h"
#include "aclimb/truth/outputs.h"

namespace aclimb::repeats {

// Expand and Repeat: every dimension of self begins anew.
inline void RepeatTruth(const truth::Call& call, truth::Outputs& outputs) {
  const std::vector<int64_t>& shape = call.Shape(repeat::kSelf);
  const auto value = [&](std::vector<int64_t> index) {
    index.erase(index.begin(), index.end() - static_cast<ptrdiff_t>(shape.size()));
    for (size_t d = 0; d < shape.size(); ++d) index[d] %= shape[d];
    return truth::ValueAt(call, repeat::kSelf, index);
  };
  outputs.Set(repeat::kOut, truth::EachIndex(call.Shape(repeat::kOut), value), truth::Allowance{});
}

inline void InterleaveTruth(const truth::Call& call, truth::Outputs& outputs) {
  using namespace interleave;  // NOLINT: the positions
  const size_t rank = call.Shape(kSelf).size();
  const auto value = [&](std::vector<int64_t> index) {
    index[WrapDimension(call.Integer(kDim), index.size())] /= call.Integer(kRepeats);
    index.resize(rank);
    return truth::ValueAt(call, kSelf, index);
  };
  outputs.Set(kOut, truth::EachIndex(call.Shape(kOut), value), truth::Allowance{});
}

inline void InterleaveAllTruth(const truth::Call& call, truth::Outputs& outputs) {
  using namespace interleave_all;  // NOLINT: the positions
  std::vector<double> out;
  for (const double value : call.Values(kSelf)) {
    out.insert(out.end(), static_cast<size_t>(call.Integer(kRepeats)), value);
  }
  outputs.Set(kOut, std::move(out), truth::Allowance{});
}

// Which index each of `size` places is made of; none where the numbers are wrong.
inline std::optional<std::vector<int64_t>> SourcesOf(const std::vector<int64_t>& repeats,
                                                     int64_t extent, int64_t size) {
  std::vector<int64_t> sources;
  for (int64_t i = 0; i < extent; ++i) {
    const int64_t times = repeats[repeats.size() == 1 ? 0 : static_cast<size_t>(i)];
    const int64_t room = size - static_cast<int64_t>(sources.size());
    if (times < 0 || times > room) return std::nullopt;
    sources.insert(sources.end(), static_cast<size_t>(times), i);
  }
  if (static_cast<int64_t>(sources.size()) != size) return std::nullopt;
  return sources;
}

inline void InterleaveByTensorTruth(const truth::Call& call, truth::Outputs& outputs) {
  using namespace interleave_by_tensor;  // NOLINT: the positions
  const auto sources =
      SourcesOf(call.Ints(kRepeats), call.ElementCount(kSelf), call.Integer(kOutputSize));
  if (!sources) return outputs.Refuse(kWrongRepeats);
  std::vector<double> out;
  for (const int64_t i : *sources) out.push_back(call.Values(kSelf)[static_cast<size_t>(i)]);
  outputs.Set(kOut, std::move(out), truth::Allowance{});
}

inline void InterleaveDimByTensorTruth(const truth::Call& call, truth::Outputs& outputs) {
  using namespace interleave_dim_by_tensor;  // NOLINT: the positions
  const size_t rank = call.Shape(kSelf).size();
  const size_t dim = WrapDimension(call.Integer(kDim), rank);
  const int64_t extent = rank == 0 ? 1 : call.Shape(kSelf)[dim];
  const auto sources = SourcesOf(call.Ints(kRepeats), extent, call.Integer(kOutputSize));
  if (!sources) return outputs.Refuse(kWrongRepeats);
  std::vector<double> out;
  if (call.ElementCount(kOut) > 0) {
    out = truth::EachIndex(call.Shape(kOut), [&](std::vector<int64_t> index) {
      index[dim] = (*sources)[static_cast<size_t>(index[dim])];
      index.resize(rank);
      return truth::ValueAt(call, kSelf, index);
    });
  }
  outputs.Set(kOut, std::move(out), truth::Allowance{});
}

}  // namespace aclimb::repeats
