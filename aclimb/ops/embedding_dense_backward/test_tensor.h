#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <vector>

#include "aclimb/core/half.h"
#include "aclimb/core/tensor_view.h"

namespace aclimb::embedding_dense_backward {

inline constexpr unsigned char kPoison = 0xA5;

inline double ReadElement(DType dtype, const void* from) {
  switch (dtype) {
    case DType::kFloat16:
      return ToFloat(*static_cast<const Float16*>(from));
    case DType::kBFloat16:
      return ToFloat(*static_cast<const BFloat16*>(from));
    case DType::kFloat32:
      return *static_cast<const float*>(from);
    case DType::kFloat64:
      return *static_cast<const double*>(from);
    case DType::kInt64:
      return static_cast<double>(*static_cast<const int64_t*>(from));
    case DType::kInt32:
      return *static_cast<const int32_t*>(from);
    case DType::kInt16:
      return *static_cast<const int16_t*>(from);
    case DType::kInt8:
      return *static_cast<const int8_t*>(from);
    default:
      return *static_cast<const uint8_t*>(from);
  }
}

inline void WriteElement(DType dtype, double value, void* to) {
  switch (dtype) {
    case DType::kFloat16:
      *static_cast<Float16*>(to) = ToFloat16(static_cast<float>(value));
      break;
    case DType::kBFloat16:
      *static_cast<BFloat16*>(to) = ToBFloat16(static_cast<float>(value));
      break;
    case DType::kFloat32:
      *static_cast<float*>(to) = static_cast<float>(value);
      break;
    case DType::kFloat64:
      *static_cast<double*>(to) = value;
      break;
    case DType::kInt64:
      *static_cast<int64_t*>(to) = static_cast<int64_t>(value);
      break;
    case DType::kInt32:
      *static_cast<int32_t*>(to) = static_cast<int32_t>(value);
      break;
    case DType::kInt16:
      *static_cast<int16_t*>(to) = static_cast<int16_t>(value);
      break;
    case DType::kInt8:
      *static_cast<int8_t*>(to) = static_cast<int8_t>(value);
      break;
    default:
      *static_cast<uint8_t*>(to) = static_cast<uint8_t>(value);
      break;
  }
}

// A strided tensor in memory of exactly its footprint, so that the address sanitizer sees every
// step outside, and filled with poison, so that bytes between the elements can be compared.
class TestTensor {
 public:
  // `stride` in elements, empty for row-major; the first element lies `offset` elements in.
  TestTensor(DType dtype, const std::vector<int64_t>& shape, std::vector<int64_t> stride = {},
             int64_t offset = 0) {
    if (stride.empty()) {
      stride.assign(shape.size(), 1);
      for (size_t d = shape.size(); d-- > 1;) stride[d - 1] = stride[d] * shape[d];
    }
    view_.dtype = dtype;
    view_.rank = static_cast<int>(shape.size());
    int64_t last = offset;
    for (size_t d = 0; d < shape.size(); ++d) {
      view_.shape[d] = shape[d];
      view_.stride[d] = stride[d];
      last += (shape[d] - 1) * stride[d];
    }
    bytes_ = view_.ElementCount() == 0 ? 0 : static_cast<size_t>(last + 1) * SizeOf(dtype);
    memory_ = std::make_unique<unsigned char[]>(bytes_);
    view_.data = memory_.get() + static_cast<size_t>(offset) * SizeOf(dtype);
    Poison();
  }

  const TensorView& view() const { return view_; }
  void Poison() { std::memset(memory_.get(), kPoison, bytes_); }

  // Calls visit(i, address) for every element in row-major order.
  void Each(const std::function<void(int64_t, char*)>& visit) const {
    for (int64_t i = 0; i < view_.ElementCount(); ++i) {
      int64_t offset = 0;
      int64_t rest = i;
      for (int d = view_.rank - 1; d >= 0; --d) {
        offset += rest % view_.shape[d] * view_.stride[d];
        rest /= view_.shape[d];
      }
      visit(i, static_cast<char*>(view_.data) + offset * static_cast<int64_t>(SizeOf(view_.dtype)));
    }
  }
  void Fill(const std::function<double(int64_t)>& value) {
    Each([&](int64_t i, char* at) { WriteElement(view_.dtype, value(i), at); });
  }
  std::vector<double> Values() const {
    std::vector<double> values(static_cast<size_t>(view_.ElementCount()));
    Each([&](int64_t i, char* at) {
      values[static_cast<size_t>(i)] = ReadElement(view_.dtype, at);
    });
    return values;
  }
  // Everything, the bytes between the elements included.
  std::vector<unsigned char> Bytes() const {
    return std::vector<unsigned char>(memory_.get(), memory_.get() + bytes_);
  }
  // The same with every element poisoned: what lies between them.
  std::vector<unsigned char> Gaps() const {
    std::vector<unsigned char> bytes = Bytes();
    Each([&](int64_t, char* at) {
      std::memset(bytes.data() + (reinterpret_cast<unsigned char*>(at) - memory_.get()), kPoison,
                  SizeOf(view_.dtype));
    });
    return bytes;
  }
  bool GapsAreUntouched() const {
    for (unsigned char byte : Gaps()) {
      if (byte != kPoison) return false;
    }
    return true;
  }

 private:
  TensorView view_;
  size_t bytes_ = 0;
  std::unique_ptr<unsigned char[]> memory_;
};

}  // namespace aclimb::embedding_dense_backward
