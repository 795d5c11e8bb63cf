#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "aclimb/core/dimensions.h"
#include "aclimb/ops/sorts/contracts.h"
#include "aclimb/truth/call.h"
#include "aclimb/truth/cast.h"
#include "aclimb/truth/outputs.h"

namespace aclimb::sorts {

// NaN is larger than all numbers, and like every NaN.
inline bool Less(double a, double b) { return std::isnan(b) ? !std::isnan(a) : a < b; }

// Elements of lines, and their places in them.
struct Ordered {
  std::vector<double> values;
  std::vector<double> places;
};
// Each line gives its elements at the places that choose(line) returns. Results are in row-major
// order of self's shape with so many elements in place of the dimension.
template <typename Choose>
Ordered OfEachLine(const truth::Call& call, int64_t dim, int64_t wanted, Choose choose) {
  std::vector<int64_t> shape = call.Shape(0);
  if (shape.empty()) shape = {1};
  if (dim < 0) dim += static_cast<int64_t>(shape.size());
  const auto length = static_cast<size_t>(shape[static_cast<size_t>(dim)]);
  size_t inner = 1, outer = 1;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (d < static_cast<size_t>(dim)) outer *= static_cast<size_t>(shape[d]);
    if (d > static_cast<size_t>(dim)) inner *= static_cast<size_t>(shape[d]);
  }
  const auto count = static_cast<size_t>(wanted);
  Ordered all;
  all.values.resize(outer * count * inner);
  all.places.resize(outer * count * inner);
  for (size_t o = 0; o < outer; ++o) {
    for (size_t i = 0; i < inner; ++i) {
      std::vector<double> line;
      for (size_t k = 0; k < length; ++k) {
        line.push_back(call.Values(0)[(o * length + k) * inner + i]);
      }
      const std::vector<size_t> places = choose(line);
      for (size_t k = 0; k < count; ++k) {
        const size_t at = (o * count + k) * inner + i;
        all.values[at] = line[places[k]];
        all.places[at] = static_cast<double>(places[k]);
      }
    }
  }
  return all;
}

inline std::vector<size_t> PlacesInOrder(const std::vector<double>& line, bool descending) {
  std::vector<size_t> places(line.size());
  for (size_t i = 0; i < places.size(); ++i) places[i] = i;
  std::stable_sort(places.begin(), places.end(), [&](size_t a, size_t b) {
    return descending ? Less(line[b], line[a]) : Less(line[a], line[b]);
  });
  return places;
}
inline size_t PlaceOfMedian(const std::vector<double>& line) {
  const auto nan =
      std::find_if(line.begin(), line.end(), [](double element) { return std::isnan(element); });
  if (nan != line.end()) return static_cast<size_t>(nan - line.begin());
  return PlacesInOrder(line, false)[(line.size() - 1) / 2];
}

inline int64_t LengthOf(const truth::Call& call, int64_t dim) {
  const std::vector<int64_t>& shape = call.Shape(0);
  if (shape.empty()) return 1;
  return shape[WrapDimension(dim, shape.size())];
}

inline void SetBoth(truth::Outputs& outputs, int values, int indices, Ordered ordered) {
  outputs.Set(values, std::move(ordered.values), truth::Allowance{});
  outputs.Set(indices, std::move(ordered.places), truth::Allowance{});
}

inline void SortTruth(const truth::Call& call, truth::Outputs& outputs) {
  using namespace sort;  // NOLINT: the positions
  const int64_t dim = call.Integer(kDim);
  const bool descending = call.Bool(kDescending);
  SetBoth(outputs, kValues, kIndices,
          OfEachLine(call, dim, LengthOf(call, dim), [=](const std::vector<double>& line) {
            return PlacesInOrder(line, descending);
          }));
}
inline void ArgsortTruth(const truth::Call& call, truth::Outputs& outputs) {
  using namespace argsort;  // NOLINT: the positions
  const int64_t dim = call.Integer(kDim);
  const bool descending = call.Bool(kDescending);
  const Ordered all =
      OfEachLine(call, dim, LengthOf(call, dim),
                 [=](const std::vector<double>& line) { return PlacesInOrder(line, descending); });
  outputs.Set(kOut, all.places, truth::Allowance{});
}
inline void TopkTruth(const truth::Call& call, truth::Outputs& outputs) {
  using namespace topk;  // NOLINT: the positions
  const bool largest = call.Bool(kLargest);
  SetBoth(
      outputs, kValues, kIndices,
      OfEachLine(call, call.Integer(kDim), call.Integer(kK),
                 [=](const std::vector<double>& line) { return PlacesInOrder(line, largest); }));
}
inline void KthvalueTruth(const truth::Call& call, truth::Outputs& outputs) {
  using namespace kthvalue;  // NOLINT: the positions
  const auto k = static_cast<size_t>(call.Integer(kK));
  SetBoth(outputs, kValues, kIndices,
          OfEachLine(call, call.Integer(kDim), 1, [=](const std::vector<double>& line) {
            return std::vector<size_t>{PlacesInOrder(line, false)[k - 1]};
          }));
}
inline void MedianDimTruth(const truth::Call& call, truth::Outputs& outputs) {
  using namespace median_dim;  // NOLINT: the positions
  SetBoth(outputs, kValues, kIndices,
          OfEachLine(call, call.Integer(kDim), 1, [](const std::vector<double>& line) {
            return std::vector<size_t>{PlaceOfMedian(line)};
          }));
}
inline void MedianTruth(const truth::Call& call, truth::Outputs& outputs) {
  using namespace median;  // NOLINT: the positions
  const std::vector<double>& elements = call.Values(kSelf);
  const double value = call.ElementCount(kSelf) == 0
                           ? truth::CastValue(std::numeric_limits<double>::quiet_NaN(),
                                              DType::kFloat32, call.DTypeOf(kValues))
                           : elements[PlaceOfMedian(elements)];
  outputs.Set(kValues, {value}, truth::Allowance{});
}

// An output that is not wanted is -1.
inline void TruthOfUnique(const truth::Call& call, truth::Outputs& outputs, int values_out,
                          int inverse_out, int counts_out) {
  const std::vector<double>& elements = call.Values(0);
  std::vector<double> values, inverse(elements.size()), counts;
  if (call.ElementCount(0) > 0) {
    for (const size_t place : PlacesInOrder(elements, false)) {
      const double element = elements[place];
      // A NaN is not even like itself.
      if (values.empty() || values.back() != element) {
        values.push_back(element);
        counts.push_back(0);
      }
      ++counts.back();
      inverse[place] = static_cast<double>(values.size() - 1);
    }
  }
  values.resize(elements.size());
  counts.resize(elements.size());
  outputs.Set(values_out, std::move(values), truth::Allowance{});
  if (inverse_out >= 0) outputs.Set(inverse_out, std::move(inverse), truth::Allowance{});
  if (counts_out >= 0) outputs.Set(counts_out, std::move(counts), truth::Allowance{});
}
inline void UniqueTruth(const truth::Call& call, truth::Outputs& outputs) {
  using namespace unique;  // NOLINT: the positions
  TruthOfUnique(call, outputs, kValues, call.Bool(kReturnInverse) ? kInverse : -1, -1);
}
inline void Unique2Truth(const truth::Call& call, truth::Outputs& outputs) {
  using namespace unique2;  // NOLINT: the positions
  TruthOfUnique(call, outputs, kValues, call.Bool(kReturnInverse) ? kInverse : -1,
                call.Bool(kReturnCounts) ? kCounts : -1);
}

}  // namespace aclimb::sorts
