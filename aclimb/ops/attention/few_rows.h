#pragma once

#include <cstdint>

#include "aclimb/core/dtype.h"
#include "aclimb/matmul/vectors.h"

namespace aclimb::attention {

// Rows of a tile up to which the keys and values are read where they lie, in their own dtype: a
// product of matrices would read them another time to pack them. 16 bits become float32 for each
// row.
inline int64_t MostFewRows(DType key) { return key == DType::kFloat32 ? 8 : 4; }

// Rows of keys or values side by side that have a distance from one to the next, in elements.
struct TileRows {
  const char* data;
  int64_t row, count, width;
};

// The two products of a tile that has few rows of queries.
class FewRows {
 public:
  FewRows() = default;
  FewRows(DType key, DType value);

  // scores[r * scores_row + k] = queries[r] * keys[k]; the rows of queries are as long as keys are.
  //   totals  for as many as there are keys
  void Score(const float* queries, int64_t rows, const TileRows& keys, float* scores,
             int64_t scores_row, double* totals) const;
  // out[r] += the sum of weights[r * weights_row + k] * values[k].
  //   totals  for as many as a value is wide
  void AddValues(const float* weights, int64_t weights_row, int64_t rows, const TileRows& values,
                 float* out, double* totals) const;

 private:
  int64_t key_size_ = 0, value_size_ = 0;
  matmul::VectorSums score_ = nullptr, sum_ = nullptr;
  matmul::SharedSums shared_score_ = nullptr, shared_sum_ = nullptr;  // of some rows together
};

}  // namespace aclimb::attention
