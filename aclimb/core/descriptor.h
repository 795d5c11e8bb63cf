#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "aclimb/core/dtype.h"
#include "aclimb/core/tensor_view.h"

namespace aclimb {

// What the handles of the aclnn base library stand for. Plain data: the functions that create and
// destroy them are in executor/.

// A strided view of a storage. Strides and offset are in elements; the storage shape and the format
// are what the caller said, never checked against the view.
struct TensorDescriptor {
  std::vector<int64_t> shape;
  std::vector<int64_t> stride;  // always one per dimension
  std::vector<int64_t> storage_shape;
  int64_t offset = 0;
  DType dtype = DType::kUndefined;
  int32_t format = 2;  // aclFormat
  void* data = nullptr;
  // All of the above but the address, as numbers, with their hash at the end: by these are calls
  // told apart. Kept because tensors live longer than calls; empty until SetKey().
  std::vector<uint64_t> key = {};

  // To be called when a member has changed.
  void SetKey();

  int rank() const { return static_cast<int>(shape.size()); }
  int64_t ElementCount() const;  // cannot overflow: creation refuses such shapes
  bool IsEmpty() const;

  // Bytes of the storage that the view touches: [begin, end), counted from `data`. {0, 0} when
  // empty; nothing when an address computation would overflow int64.
  struct ByteRange {
    int64_t begin = 0;
    int64_t end = 0;
  };
  std::optional<ByteRange> Footprint() const;

  // The kernel's picture of it with the first element at `data` + offset; none of an empty tensor.
  // Rank must be <= 8.
  TensorView View() const;
};

// Row-major strides of a shape.
std::vector<int64_t> ContiguousStrides(const std::vector<int64_t>& shape);

// The number of elements; nothing when the product overflows int64.
std::optional<int64_t> ElementCountOf(const std::vector<int64_t>& shape);

// One element of any dtype, copied from the host.
struct ScalarValue {
  DType dtype = DType::kUndefined;
  alignas(16) unsigned char bytes[16] = {};

  // The value as float32, rounded to nearest; DOUBLE 0.1 becomes 0.1f. Real dtypes only.
  float ToFloat() const;
  // The value as double, exactly but for the widest integers.
  double ToDouble() const;
  // Without the fraction; what is beyond int64 becomes its nearest number, NaN becomes 0. Real
  // dtypes only.
  int64_t ToInteger() const;
  // The same for arithmetic that wraps: UINT64 keeps its bits.
  int64_t ToWrappedInteger() const;
  // "INT64 3"; complex numbers are not told.
  std::string Text() const;
};

using IntArrayValue = std::vector<int64_t>;
using FloatArrayValue = std::vector<float>;
using BoolArrayValue = std::vector<uint8_t>;

}  // namespace aclimb
