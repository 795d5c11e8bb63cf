#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "aclimb/ops/softmax/contracts.h"
#include "aclimb/truth/call.h"
#include "aclimb/truth/outputs.h"

namespace aclimb::softmax {

// Calls body(places) with the numbers of the elements of each row along `dim` of the shape.
template <typename Body>
void EachRow(const std::vector<int64_t>& shape, int64_t dim, const Body& body) {
  const auto rank = static_cast<int64_t>(shape.size());
  if (dim < 0) dim += std::max<int64_t>(1, rank);
  int64_t outer = 1, length = 1, inner = 1;
  for (int64_t d = 0; d < rank; ++d) {
    (d < dim ? outer : d == dim ? length : inner) *= shape[static_cast<size_t>(d)];
  }
  for (int64_t o = 0; o < outer; ++o) {
    for (int64_t i = 0; i < inner; ++i) {
      std::vector<size_t> places;
      for (int64_t k = 0; k < length; ++k) {
        places.push_back(static_cast<size_t>((o * length + k) * inner + i));
      }
      body(places);
    }
  }
}

// One rounding to each dtype, and what float32 loses in sums and exponentials.
inline truth::Allowance AllowanceOf(DType dtype) {
  switch (dtype) {
    case DType::kFloat16:
      return {6e-4, 1e-7};
    case DType::kBFloat16:
      return {5e-3, 1e-9};
    case DType::kFloat64:
      return {1e-14, 1e-15};
    default:
      return {3e-6, 1e-9};
  }
}

template <bool kLogarithm>
void ForwardTruth(const truth::Call& call, truth::Outputs& outputs) {
  const std::vector<double>& x = call.Values(kSelf);
  std::vector<double> result(x.size()), allowed(x.size());
  const truth::Allowance in =
      AllowanceOf(call.DTypeOf(kSelf) == DType::kFloat64 ? DType::kFloat64 : DType::kFloat32);
  const truth::Allowance out = AllowanceOf(call.DTypeOf(kOut));
  EachRow(call.Shape(kSelf), call.Integer(kDim), [&](const std::vector<size_t>& places) {
    double max = -std::numeric_limits<double>::infinity(), sum = 0;
    for (const size_t at : places) max = std::max(max, x[at]);
    for (const size_t at : places) sum += std::exp(x[at] - max);
    for (const size_t at : places) {
      result[at] = kLogarithm ? x[at] - max - std::log(sum) : std::exp(x[at] - max) / sum;
      // Of a logarithm close to 0, the terms cancel.
      const double terms = kLogarithm ? std::fabs(x[at] - max) + std::fabs(std::log(sum)) : 0;
      allowed[at] = (in.relative + out.relative) * std::fabs(result[at]) + out.absolute +
                    (kLogarithm ? in.relative * (terms + 1) : 0);
    }
  });
  outputs.Set(kOut, std::move(result), std::move(allowed));
}

template <bool kLogarithm>
void BackwardTruth(const truth::Call& call, truth::Outputs& outputs) {
  const std::vector<double>& g = call.Values(kGradOutput);
  const std::vector<double>& y = call.Values(kOutput);
  std::vector<double> result(g.size()), allowed(g.size());
  const truth::Allowance out = AllowanceOf(call.DTypeOf(kGradInput));
  EachRow(
      call.Shape(kGradOutput), call.Integer(kBackwardDim), [&](const std::vector<size_t>& places) {
        double sum = 0, size = 0;
        for (const size_t at : places) {
          const double term = kLogarithm ? g[at] : g[at] * y[at];
          sum += term;
          size += std::fabs(term);
        }
        for (const size_t at : places) {
          const double factor = kLogarithm ? std::exp(y[at]) : y[at];
          result[at] = kLogarithm ? g[at] - factor * sum : (g[at] - sum) * factor;
          // What the sum loses, and the two that cancel.
          const double terms = kLogarithm
                                   ? std::fabs(g[at]) + std::fabs(factor) * (size + std::fabs(sum))
                                   : (std::fabs(g[at]) + size) * std::fabs(factor);
          allowed[at] = out.relative * std::fabs(result[at]) + out.absolute + 2e-6 * terms;
        }
      });
  outputs.Set(kGradInput, std::move(result), std::move(allowed));
}

}  // namespace aclimb::softmax
