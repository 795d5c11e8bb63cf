#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "aclimb/truth/call.h"

namespace aclimb::truth {

// The shape that the inputs' shapes broadcast to.
template <size_t N>
std::vector<int64_t> BroadcastShape(const Call& call, const int (&inputs)[N]) {
  std::vector<int64_t> shape;
  for (const int input : inputs) {
    const std::vector<int64_t>& other = call.Shape(input);
    if (other.size() > shape.size()) shape.insert(shape.begin(), other.size() - shape.size(), 1);
    const size_t skip = shape.size() - other.size();
    for (size_t d = 0; d < other.size(); ++d) {
      if (other[d] != 1) shape[skip + d] = other[d];
    }
  }
  return shape;
}

// For each element of the shape, in row-major order, the position of the input's element that it
// comes from, as the input broadcasts to the shape.
std::vector<int64_t> BroadcastFrom(const Call& call, int input, const std::vector<int64_t>& shape);
// The values of these elements.
std::vector<double> BroadcastValues(const Call& call, int input, const std::vector<int64_t>& shape);

// For each element of what the inputs broadcast to, in row-major order, the positions of the
// inputs' elements that it comes from.
template <size_t N>
std::vector<std::array<size_t, N>> BroadcastPlaces(const Call& call, const int (&inputs)[N]) {
  const std::vector<int64_t> shape = BroadcastShape(call, inputs);
  std::vector<std::array<size_t, N>> places;
  for (size_t i = 0; i < N; ++i) {
    const std::vector<int64_t> of_input = BroadcastFrom(call, inputs[i], shape);
    const size_t count = of_input.size();
    const int64_t* const from = of_input.data();
    places.resize(count);
    std::array<size_t, N>* const to = places.data();
    for (size_t n = 0; n < count; ++n) to[n][i] = static_cast<size_t>(from[n]);
  }
  return places;
}

// formula(x, y, ...) of the inputs' elements, which broadcast, in row-major order. The loop works
// with plain pointers, which are quick even in a test that is not optimized.
template <size_t N, typename Formula>
std::vector<double> Each(const Call& call, const int (&inputs)[N], Formula formula) {
  const std::vector<int64_t> shape = BroadcastShape(call, inputs);
  std::vector<double> values[N];
  const double* from[N];
  for (size_t i = 0; i < N; ++i) {
    values[i] = BroadcastValues(call, inputs[i], shape);
    from[i] = values[i].data();
  }
  const size_t count = values[0].size();
  std::vector<double> results(count);
  double* const to = results.data();
  [&]<size_t... I>(std::index_sequence<I...>) {
    for (size_t n = 0; n < count; ++n) to[n] = formula(from[I][n]...);
  }
  (std::make_index_sequence<N>());
  return results;
}

// formula(index) for each index of the shape, in row-major order.
template <typename Formula>
std::vector<double> EachIndex(const std::vector<int64_t>& shape, Formula formula) {
  size_t count = 1;
  for (const int64_t extent : shape) count *= static_cast<size_t>(extent);
  std::vector<double> results(count);
  double* const to = results.data();
  std::vector<int64_t> index(shape.size());
  for (size_t n = 0; n < count; ++n) {
    to[n] = formula(static_cast<const std::vector<int64_t>&>(index));
    for (size_t d = shape.size(); d-- > 0 && ++index[d] == shape[d];) index[d] = 0;
  }
  return results;
}

// The tensor's value at the index.
double ValueAt(const Call& call, Slot slot, const std::vector<int64_t>& index);

}  // namespace aclimb::truth
