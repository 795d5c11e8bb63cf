#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "aclimb/core/dtype.h"
#include "aclimb/truth/cast.h"

// What each row gives for the elements of one result, in double, and how far it may be off.
namespace aclimb::reduce::truths {

using Elements = std::vector<double>;

struct Result {
  double value;
  double allowed = 0;  // before it is rounded to a dtype
};

// Sums and products of integers wrap.
inline double Cast(double x, DType dtype) {
  return truth::CastValue(x, IsFloating(dtype) ? DType::kFloat64 : DType::kInt64, dtype);
}

// Elements are of `dtype`, in which the result is too.
inline Result ReduceSum(const Elements& elements, DType dtype) {
  double sum = 0, size = 0;
  for (const double x : elements) {
    sum += x;
    size += std::fabs(x);
  }
  if (!IsFloating(dtype)) return {Cast(sum, dtype)};
  return {sum, size * (dtype == DType::kFloat64 ? 1e-14 : 4e-7)};
}
inline Result Mean(const Elements& elements, DType dtype) {
  const auto count = static_cast<double>(elements.size());
  double sum = 0;
  for (const double x : elements) sum += x;
  if (!IsFloating(dtype)) return {Cast(count == 0 ? 0 : std::trunc(sum / count), dtype)};
  const Result whole = ReduceSum(elements, dtype);
  return {whole.value / count, elements.empty() ? 0 : whole.allowed / count};
}
inline Result MeanV2(const Elements& elements, DType dtype) { return Mean(elements, dtype); }

template <class IsBetter>
double Best(const Elements& elements, IsBetter is_better) {
  double best = elements.front();
  for (const double x : elements) {
    if (std::isnan(x)) return x;
    if (is_better(x, best)) best = x;
  }
  return best;
}
inline Result Amax(const Elements& elements, DType) {
  return {Best(elements, [](double x, double best) { return x > best; })};
}
inline Result Amin(const Elements& elements, DType) {
  return {Best(elements, [](double x, double best) { return x < best; })};
}
inline Result Max(const Elements& elements, DType dtype) { return Amax(elements, dtype); }
inline Result Min(const Elements& elements, DType dtype) { return Amin(elements, dtype); }

inline Result All(const Elements& elements, DType) {
  return {std::ranges::count(elements, 0.0) == 0 ? 1.0 : 0.0};
}
inline Result Any(const Elements& elements, DType) {
  return {std::ranges::all_of(elements, [](double x) { return x == 0; }) ? 0.0 : 1.0};
}

inline Result LogSumExp(const Elements& elements, DType) {
  double most = -std::numeric_limits<double>::infinity();
  for (const double x : elements) most = std::fmax(most, x);
  if (!std::isfinite(most)) most = 0;
  double sum = 0;
  for (const double x : elements) sum += std::exp(x - most);
  return {std::log(sum) + most, 1e-6};
}

// A product of integers keeps its lowest bits.
inline Result Prod(const Elements& elements, DType dtype) {
  if (dtype == DType::kBool) return All(elements, dtype);
  if (IsFloating(dtype)) {
    long double product = 1;
    for (const double x : elements) product *= x;
    const auto rounded = static_cast<double>(product);
    return {rounded, std::isfinite(rounded) ? std::fabs(rounded) * 1e-12 : 0};
  }
  uint64_t product = 1;
  for (const double x : elements) product *= static_cast<uint64_t>(static_cast<int64_t>(x));
  const auto whole = static_cast<int64_t>(product);
  // The lowest bits of a number that no double holds are those of one that does.
  if (dtype == DType::kInt64) return {static_cast<double>(whole)};
  return {Cast(static_cast<double>(static_cast<int32_t>(product)), dtype)};
}
inline Result ProdDim(const Elements& elements, DType dtype) { return Prod(elements, dtype); }

// Results of integers and BOOL, which are exact and wrap at 64 bits, where the result is one of
// the elements' dtype; null of what divides.
using Whole = int64_t (*)(const std::vector<int64_t>& elements);

inline int64_t WholeSum(const std::vector<int64_t>& elements) {
  uint64_t sum = 0;
  for (const int64_t x : elements) sum += static_cast<uint64_t>(x);
  return static_cast<int64_t>(sum);
}
inline int64_t WholeProduct(const std::vector<int64_t>& elements) {
  uint64_t product = 1;
  for (const int64_t x : elements) product *= static_cast<uint64_t>(x);
  return static_cast<int64_t>(product);
}
inline int64_t WholeMost(const std::vector<int64_t>& elements) {
  return *std::ranges::max_element(elements);
}
inline int64_t WholeLeast(const std::vector<int64_t>& elements) {
  return *std::ranges::min_element(elements);
}
inline Whole WholeOf(Result (*of)(const Elements& elements, DType dtype)) {
  if (of == &ReduceSum) return &WholeSum;
  if (of == &Prod || of == &ProdDim) return &WholeProduct;
  if (of == &Amax || of == &Max) return &WholeMost;
  if (of == &Amin || of == &Min) return &WholeLeast;
  return nullptr;
}

}  // namespace aclimb::reduce::truths
