#pragma once

#include <cstdint>
#include <memory>

#include "aclimb/core/dtype.h"

// oneDNN's product of two matrices on the calling thread alone.
namespace aclimb::matmul::onednn {

// c[m, n] = sum over k of a[m, k] * b[k, n]. Strides are in elements; a and b have neighbours in
// memory in a row or in a column, c in a row.
struct Request {
  int64_t m = 0, n = 0, k = 0;
  int64_t a_row = 0, a_column = 0;  // from one row to the next, and from one column
  int64_t b_row = 0, b_column = 0;
  int64_t c_row = 0;
  DType operand = DType::kFloat32;  // float32 or bfloat16
  DType result = DType::kFloat32;   // or bfloat16, rounded once
  bool accumulates = false;         // c += the sum, which is rounded first
  int threads = 1;                  // for the cache of answers

  bool operator==(const Request&) const = default;
};

class Product {
 public:
  virtual ~Product() = default;
  virtual int64_t ScratchBytes() const = 0;
  // Several threads may run it at a time, each with scratch memory of its own.
  virtual void Run(const void* a, const void* b, void* c, void* scratch) const = 0;
};
using ProductPointer = std::shared_ptr<const Product>;

// Null when oneDNN cannot. Cached; throws as Ask does (onednn/adapter.h).
ProductPointer MakeProduct(const Request& request);

}  // namespace aclimb::matmul::onednn
