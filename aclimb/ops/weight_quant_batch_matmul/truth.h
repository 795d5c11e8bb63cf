#pragma once

#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "aclimb/ops/weight_quant_batch_matmul/contract.h"
#include "aclimb/truth/outputs.h"
#include "aclimb/truth/rounding.h"

namespace aclimb::weight_quant_batch_matmul {

// The element of antiquantScale, or of a tensor of its shape, for a term and a column.
inline double ElementOf(const truth::Call& call, int parameter, int64_t term, int64_t column) {
  const std::vector<int64_t>& shape = call.Shape(parameter);
  const int64_t columns = shape.back(), group = call.Integer(kGroupSize);
  const int64_t row = shape.size() == 2 && group > 0 ? term / group : 0;
  return call.Values(parameter)[static_cast<size_t>(row * columns + (columns == 1 ? 0 : column))];
}

template <int kOutput>
inline void Truth(const truth::Call& call, truth::Outputs& outputs) {
  const int64_t rows = call.Shape(kX)[0], terms = call.Shape(kX)[1];
  const int64_t columns = call.Shape(kWeight)[1];
  const DType dtype = call.DTypeOf(kX);
  // A row for each column.
  std::vector<double> weights;
  for (int64_t column = 0; column < columns; ++column) {
    for (int64_t term = 0; term < terms; ++term) {
      const double offset = call.IsGiven(kOffset) ? ElementOf(call, kOffset, term, column) : 0;
      const double code = call.Values(kWeight)[static_cast<size_t>(term * columns + column)];
      weights.push_back((code + offset) * ElementOf(call, kScale, term, column));
    }
  }
  std::vector<double> values, allowed;
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t column = 0; column < columns; ++column) {
      const double* const x = call.Values(kX).data() + row * terms;
      const double* const weight = weights.data() + column * terms;
      double sum = 0, magnitude = 0;
      for (int64_t term = 0; term < terms; ++term) {
        const double product = x[term] * weight[term];
        sum += product;
        magnitude += std::fabs(product);
      }
      if (call.IsGiven(kBias)) {
        const double bias = call.Values(kBias)[static_cast<size_t>(column)];
        sum += bias;
        magnitude += std::fabs(bias);
      }
      values.push_back(sum);
      // A weight has two roundings to float32, and its product and the sum one each.
      allowed.push_back(truth::RoundingOf(dtype) * std::fabs(sum) + 1e-6 * magnitude +
                        truth::LeastOf(dtype));
    }
  }
  outputs.Set(kOutput, std::move(values), std::move(allowed));
}

}  // namespace aclimb::weight_quant_batch_matmul
