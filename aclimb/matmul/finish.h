#pragma once

#include <cstdint>

#include "aclimb/copy/convert.h"
#include "aclimb/matmul/problem.h"

namespace aclimb::matmul {

// What becomes of sums: out = beta * self + alpha * sum, rounded once.
class Finish {
 public:
  Finish() = default;
  Finish(const Problem& problem, double alpha, double beta);

  // Whether a float32 sum is an element of the output as it is.
  bool IsIdentity() const { return alpha_ == 1 && !has_self_; }

  // Neighbours of a row. The addresses are those of the first.
  void Row(const float* sums, int64_t count, const char* self, char* out) const;
  void Row(const double* sums, int64_t count, const char* self, char* out) const;

 private:
  template <typename Sum>
  void RowOf(const Sum* sums, int64_t count, const char* self, char* out) const;
  template <typename Sum>
  void Block(const Sum* sums, int64_t count, const char* self, char* out) const;

  static constexpr int64_t kBlock = 256;

  double alpha_ = 1;
  double beta_ = 0;
  bool has_self_ = false;
  int64_t self_size_ = 0, self_column_ = 0, out_size_ = 0, out_column_ = 0;
  copy::Converter from_self_, to_out_;
};

}  // namespace aclimb::matmul
