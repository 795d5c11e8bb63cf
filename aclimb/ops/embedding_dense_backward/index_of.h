#pragma once

#include <cstdint>

#include "aclimb/core/half.h"
#include "aclimb/core/tensor_view.h"

namespace aclimb::embedding_dense_backward {

// Indices of any dtype as rows: FLOAT, FLOAT16 and DOUBLE towards zero, BOOL as 0 and 1, the
// integers as they are. Values that no int64 holds become -1, which is outside every table.
inline int64_t Truncate(double value) {
  return value > -1.0 && value < 0x1p63 ? static_cast<int64_t>(value) : -1;
}
inline int64_t IndexOf(double value) { return Truncate(value); }
inline int64_t IndexOf(float value) { return Truncate(value); }
inline int64_t IndexOf(Float16 value) { return Truncate(ToFloat(value)); }
inline int64_t IndexOf(int64_t value) { return value; }
inline int64_t IndexOf(int32_t value) { return value; }
inline int64_t IndexOf(int16_t value) { return value; }
inline int64_t IndexOf(int8_t value) { return value; }
inline int64_t IndexOf(uint8_t value) { return value; }
struct Bool8 {
  uint8_t byte;
};
inline int64_t IndexOf(Bool8 value) { return value.byte != 0; }

// body(data), where IndexOf takes what `data` points to.
template <typename F>
void WithIndexType(const TensorView& indices, const F& body) {
  switch (indices.dtype) {
    case DType::kInt64:
      return body(indices.As<const int64_t>());
    case DType::kInt32:
      return body(indices.As<const int32_t>());
    case DType::kInt16:
      return body(indices.As<const int16_t>());
    case DType::kInt8:
      return body(indices.As<const int8_t>());
    case DType::kUInt8:
      return body(indices.As<const uint8_t>());
    case DType::kBool:
      return body(indices.As<const Bool8>());
    case DType::kFloat16:
      return body(indices.As<const Float16>());
    case DType::kFloat32:
      return body(indices.As<const float>());
    default:
      return body(indices.As<const double>());
  }
}

}  // namespace aclimb::embedding_dense_backward
