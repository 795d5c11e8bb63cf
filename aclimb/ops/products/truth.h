#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "aclimb/core/dtype.h"
#include "aclimb/truth/call.h"
#include "aclimb/truth/outputs.h"

namespace aclimb::products {

// out = beta * self + alpha * (first @ second) in double, by its definition, for all that are
// wanted.
struct Definition {
  int first, second, out;  // parameters
  int self = -1;
  double alpha = 1, beta = 1;
  bool adds_batch = false;  // first and second have one dimension more than out
};

// One rounding to the dtype, and what adding in float32 leaves, relative to the absolute terms.
inline double AllowedError(DType dtype, double value, double magnitude) {
  if (dtype == DType::kFloat64) return 0x1p-48 * magnitude + 1e-300;
  const double rounding = dtype == DType::kFloat32   ? 0x1p-23
                          : dtype == DType::kFloat16 ? 0x1p-11
                                                     : 0x1p-8;
  const double least = dtype == DType::kFloat16 ? 0x1p-24 : 1e-37;
  return rounding * std::fabs(value) + 1e-6 * magnitude + least;
}

// The offset of each element of `shape` in a dense tensor of shape `own`, which broadcasts to it.
inline std::vector<int64_t> BroadcastPlaces(const std::vector<int64_t>& own,
                                            const std::vector<int64_t>& shape) {
  std::vector<int64_t> steps(shape.size(), 0);
  int64_t step = 1, count = 1;
  for (size_t d = own.size(); d-- > 0;) {
    if (own[d] != 1) steps[shape.size() - own.size() + d] = step;
    step *= own[d];
  }
  for (const int64_t extent : shape) count *= extent;
  std::vector<int64_t> places(static_cast<size_t>(count), 0);
  for (int64_t i = 0; i < count; ++i) {
    int64_t rest = i;
    for (size_t d = shape.size(); d-- > 0;) {
      places[static_cast<size_t>(i)] += rest % shape[d] * steps[d];
      rest /= shape[d];
    }
  }
  return places;
}

inline void Compute(const truth::Call& call, const Definition& of, truth::Outputs& outputs) {
  std::vector<int64_t> first = call.Shape(of.first), second = call.Shape(of.second);
  std::vector<int64_t> out = call.Shape(of.out);
  const bool from_row = first.size() == 1, from_column = second.size() == 1;
  if (from_row && from_column) out.clear();
  if (from_column) {
    second.push_back(1);
    out.push_back(1);
  }
  if (from_row) {
    first.insert(first.begin(), 1);
    out.insert(out.end() - 1, 1);
  }
  const int64_t terms = first.back(), columns = second.back();
  int64_t added = 1, rows = 0;
  if (of.adds_batch) {
    added = first[0];
    rows = first[1];
    first.erase(first.begin());
    second.erase(second.begin());
  }
  // Rows of the left factor and columns of the right one, by their first elements.
  std::vector<int64_t> heads = out;
  std::vector<int64_t> left = first, right = second;
  left.back() = 1;
  right[right.size() - 2] = 1;
  const auto places = [&](const std::vector<int64_t>& own) { return BroadcastPlaces(own, heads); };
  std::vector<int64_t> from_first = places(left), from_second = places(right);
  const std::vector<double>& a = call.Values(of.first);
  const std::vector<double>& b = call.Values(of.second);
  const bool has_self = of.self >= 0 && of.beta != 0;
  std::vector<int64_t> self = has_self ? call.Shape(of.self) : std::vector<int64_t>();
  if (from_column) self.push_back(1);
  const std::vector<int64_t> from_self = places(self);
  std::vector<double> values, allowed;
  for (size_t i = 0; i < from_first.size(); ++i) {
    const int64_t row = from_first[i], matrix = from_second[i] / columns;
    const int64_t column = from_second[i] % columns;
    double sum = 0, magnitude = 0;
    for (int64_t batch = 0; batch < added && of.alpha != 0; ++batch) {
      const int64_t at_a = (batch * rows + row) * terms, at_b = (batch + matrix) * terms;
      for (int64_t k = 0; k < terms; ++k) {
        const double term = a[static_cast<size_t>(at_a + k)] *
                            b[static_cast<size_t>((at_b + k) * columns + column)];
        sum += term;
        magnitude += std::fabs(term);
      }
    }
    double value = of.alpha != 0 ? of.alpha * sum : 0;
    magnitude *= std::fabs(of.alpha);
    if (has_self) {
      const double addend = of.beta * call.Values(of.self)[static_cast<size_t>(from_self[i])];
      value += addend;
      magnitude += std::fabs(addend);
    }
    values.push_back(value);
    allowed.push_back(AllowedError(call.DTypeOf(of.out), value, magnitude));
  }
  outputs.Set(of.out, std::move(values), std::move(allowed));
}

}  // namespace aclimb::products
