#pragma once

#include <array>
#include <cstdint>
#include <tuple>
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

// formula(x, y, ...) of the inputs' elements, which broadcast, in row-major order.
template <size_t N, typename Formula>
std::vector<double> Each(const Call& call, const int (&inputs)[N], Formula formula) {
  const std::vector<int64_t> shape = BroadcastShape(call, inputs);
  // In elements, from an element of the result to the next one of the same dimension.
  std::array<std::vector<int64_t>, N> steps;
  int64_t count = 1;
  for (const int64_t extent : shape) count *= extent;
  for (size_t i = 0; i < N; ++i) {
    const std::vector<int64_t>& own = call.Shape(inputs[i]);
    steps[i].assign(shape.size(), 0);
    int64_t step = 1;
    for (size_t d = own.size(); d-- > 0;) {
      if (own[d] != 1) steps[i][shape.size() - own.size() + d] = step;
      step *= own[d];
    }
  }
  std::vector<double> results;
  results.reserve(static_cast<size_t>(count));
  for (int64_t n = 0; n < count; ++n) {
    std::array<double, N> arguments;
    for (size_t i = 0; i < N; ++i) {
      int64_t rest = n;
      int64_t at = 0;
      for (size_t d = shape.size(); d-- > 0;) {
        at += rest % shape[d] * steps[i][d];
        rest /= shape[d];
      }
      arguments[i] = call.Values(inputs[i])[static_cast<size_t>(at)];
    }
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
