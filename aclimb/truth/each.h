#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <tuple>
#include <vector>

#include "aclimb/truth/call.h"
#include "aclimb/truth/elements.h"

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

// For each element of what the inputs broadcast to, in row-major order, the positions of the
// inputs' elements that it comes from.
template <size_t N>
std::vector<std::array<size_t, N>> BroadcastPlaces(const Call& call, const int (&inputs)[N]) {
  const std::vector<int64_t> shape = BroadcastShape(call, inputs);
  // In elements, from an element of the result to the next one of the same dimension.
  std::vector<int64_t> steps(shape.size());
  std::vector<std::array<size_t, N>> places;
  for (size_t i = 0; i < N; ++i) {
    const std::vector<int64_t>& own = call.Shape(inputs[i]);
    std::fill(steps.begin(), steps.end(), 0);
    int64_t step = 1;
    for (size_t d = own.size(); d-- > 0;) {
      if (own[d] != 1) steps[shape.size() - own.size() + d] = step;
      step *= own[d];
    }
    const std::vector<int64_t> of_input = PlacesOf(shape, steps);
    places.resize(of_input.size());
    for (size_t n = 0; n < of_input.size(); ++n) places[n][i] = static_cast<size_t>(of_input[n]);
  }
  return places;
}

// formula(x, y, ...) of the inputs' elements, which broadcast, in row-major order.
template <size_t N, typename Formula>
std::vector<double> Each(const Call& call, const int (&inputs)[N], Formula formula) {
  std::vector<double> results;
  for (const std::array<size_t, N>& place : BroadcastPlaces(call, inputs)) {
    std::array<double, N> arguments;
    for (size_t i = 0; i < N; ++i) arguments[i] = call.Values(inputs[i])[place[i]];
    results.push_back(std::apply(formula, arguments));
  }
  return results;
}

// formula(index) for each index of the shape, in row-major order.
template <typename Formula>
std::vector<double> EachIndex(const std::vector<int64_t>& shape, Formula formula) {
  std::vector<double> results;
  int64_t count = 1;
  for (const int64_t extent : shape) count *= extent;
  std::vector<int64_t> index(shape.size());
  for (int64_t n = 0; n < count; ++n) {
    results.push_back(formula(static_cast<const std::vector<int64_t>&>(index)));
    for (size_t d = shape.size(); d-- > 0 && ++index[d] == shape[d];) index[d] = 0;
  }
  return results;
}

// The tensor's value at the index.
inline double ValueAt(const Call& call, Slot slot, const std::vector<int64_t>& index) {
  int64_t number = 0;
  for (size_t d = 0; d < index.size(); ++d) number = number * call.Shape(slot)[d] + index[d];
  return call.Values(slot)[static_cast<size_t>(number)];
}

}  // namespace aclimb::truth
