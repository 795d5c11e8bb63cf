#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "aclimb/copy/storage.h"
#include "aclimb/core/tensor_view.h"
#include "tests/support/compare.h"

namespace aclimb::testing {

// One element of a dtype as a number, and back. What is written is a value of the dtype.
inline double ReadElement(DType dtype, const char* at) {
  const auto as = [&](auto value) {
    std::memcpy(&value, at, sizeof(value));
    return value;
  };
  switch (dtype) {
    case DType::kBool:
    case DType::kUInt8:
      return as(uint8_t());
    case DType::kInt8:
      return as(int8_t());
    case DType::kInt16:
      return as(int16_t());
    case DType::kInt32:
      return as(int32_t());
    case DType::kInt64:
      return static_cast<double>(as(int64_t()));
    case DType::kUInt16:
      return as(uint16_t());
    case DType::kUInt32:
      return as(uint32_t());
    case DType::kUInt64:
      return static_cast<double>(as(uint64_t()));
    case DType::kFloat32:
      return static_cast<double>(as(float()));
    case DType::kFloat64:
      return as(double());
    case DType::kFloat16:
      return static_cast<double>(ToFloat(as(Float16())));
    default:
      return static_cast<double>(ToFloat(as(BFloat16())));
  }
}

inline void WriteElement(DType dtype, double value, char* at) {
  const auto put = [&](auto element) { std::memcpy(at, &element, sizeof(element)); };
  switch (dtype) {
    case DType::kBool:
      return put(static_cast<uint8_t>(value != 0));
    case DType::kUInt8:
      return put(static_cast<uint8_t>(value));
    case DType::kInt8:
      return put(static_cast<int8_t>(value));
    case DType::kInt16:
      return put(static_cast<int16_t>(value));
    case DType::kInt32:
      return put(static_cast<int32_t>(value));
    case DType::kInt64:
      return put(static_cast<int64_t>(value));
    case DType::kUInt16:
      return put(static_cast<uint16_t>(value));
    case DType::kUInt32:
      return put(static_cast<uint32_t>(value));
    case DType::kUInt64:
      return put(static_cast<uint64_t>(value));
    case DType::kFloat32:
      return put(static_cast<float>(value));
    case DType::kFloat64:
      return put(value);
    case DType::kFloat16:
      return put(ToFloat16(static_cast<float>(value)));
    default:
      return put(ToBFloat16(static_cast<float>(value)));
  }
}

// A number that every dtype holds, as `dtype` holds it after a cast: bytes wrap, BOOL is 0 or 1.
inline double AsElement(DType dtype, double value) {
  if (dtype == DType::kBool) return value != 0 ? 1 : 0;
  if (dtype == DType::kUInt8) return static_cast<uint8_t>(static_cast<int64_t>(value));
  if (dtype == DType::kInt8) return static_cast<int8_t>(static_cast<int64_t>(value));
  if (dtype == DType::kUInt16) return static_cast<uint16_t>(static_cast<int64_t>(value));
  if (dtype == DType::kUInt32) return static_cast<uint32_t>(static_cast<int64_t>(value));
  if (dtype == DType::kUInt64) {
    return static_cast<double>(static_cast<uint64_t>(static_cast<int64_t>(value)));
  }
  return value;
}

inline constexpr DType kStorageDTypes[] = {
    DType::kBool,  DType::kUInt8,   DType::kInt8,    DType::kInt16,   DType::kInt32,
    DType::kInt64, DType::kFloat32, DType::kFloat64, DType::kFloat16, DType::kBFloat16};
// Those that are copied and converted, and that no formula computes in.
inline constexpr DType kMoreStorageDTypes[] = {DType::kUInt16, DType::kUInt32, DType::kUInt64};

// Calls body(address) for each element of the view, in row-major order.
template <typename Body>
void EachElement(const TensorView& view, const Body& body) {
  std::vector<int64_t> index(static_cast<size_t>(view.rank), 0);
  const auto size = static_cast<int64_t>(SizeOf(view.dtype));
  char* at = view.As<char>();
  for (int64_t left = view.ElementCount(); left > 0; --left) {
    body(at);
    for (int d = view.rank - 1; d >= 0; --d) {
      int64_t& place = index[static_cast<size_t>(d)];
      at += view.stride[d] * size;
      if (++place < view.shape[d]) break;
      at -= place * view.stride[d] * size;
      place = 0;
    }
  }
}

// A strided view in memory of its own, whose every byte is poison at first.
class TestView {
 public:
  static constexpr char kPoison = static_cast<char>(0xC3);

  // Dimensions lie in memory in `order`, the outermost first, `gap` elements apart; those in
  // `repeated` (a bit each) have stride 0.
  TestView(DType dtype, std::vector<int64_t> shape, std::vector<int> order = {}, int64_t gap = 0,
           unsigned repeated = 0) {
    view_.dtype = dtype;
    view_.rank = static_cast<int>(shape.size());
    if (order.empty()) {
      for (int d = 0; d < view_.rank; ++d) order.push_back(d);
    }
    int64_t step = 1 + gap;
    for (size_t k = shape.size(); k-- > 0;) {
      const int d = order[k];
      const int64_t extent = shape[static_cast<size_t>(d)];
      view_.shape[d] = extent;
      view_.stride[d] = (repeated >> d & 1) != 0 ? 0 : step;
      if ((repeated >> d & 1) == 0) step = step * extent + gap;
    }
    memory_.assign(static_cast<size_t>(step + 2 * kMargin) * SizeOf(dtype), kPoison);
    view_.data = memory_.data() + static_cast<size_t>(kMargin) * SizeOf(dtype);
  }
  TestView(TestView&&) = default;

  const TensorView& view() const { return view_; }
  const std::vector<char>& memory() const { return memory_; }
  int64_t count() const { return view_.ElementCount(); }

  // Element `i` of the row-major order.
  char* At(int64_t i) const {
    int64_t offset = 0;
    for (int d = view_.rank - 1; d >= 0; --d) {
      offset += i % view_.shape[d] * view_.stride[d];
      i /= view_.shape[d];
    }
    return view_.As<char>() + offset * static_cast<int64_t>(SizeOf(view_.dtype));
  }
  double Read(int64_t i) const { return ReadElement(view_.dtype, At(i)); }
  void Write(int64_t i, double value) { WriteElement(view_.dtype, value, At(i)); }
  // body(address) of each element, in row-major order.
  template <typename Body>
  void Each(const Body& body) const {
    EachElement(view_, body);
  }
  std::vector<double> Values() const {
    std::vector<double> values;
    values.reserve(static_cast<size_t>(count()));
    Each([&](const char* at) { values.push_back(ReadElement(view_.dtype, at)); });
    return values;
  }
  // To another place in a vector or cache line: `elements`, less than a margin, further on.
  void Move(int64_t elements) {
    view_.data = view_.As<char>() + elements * static_cast<int64_t>(SizeOf(view_.dtype));
  }
  // Leaves the first `extent` places of a dimension in the view.
  void Narrow(int dimension, int64_t extent) { view_.shape[dimension] = extent; }
  // Whole numbers that every dtype holds.
  void FillWhole(Random& random, int64_t most = 20) {
    const bool is_unsigned = IsUnsigned(view_.dtype);
    Each([&](char* at) {
      WriteElement(view_.dtype, static_cast<double>(random.Integer(is_unsigned ? 0 : -most, most)),
                   at);
    });
  }

  // No byte but those of elements was written.
  bool SurroundingsIntact() const {
    std::vector<char> rest = memory_;
    const size_t size = SizeOf(view_.dtype);
    Each([&](const char* at) { std::memset(rest.data() + (at - memory_.data()), kPoison, size); });
    return std::all_of(rest.begin(), rest.end(), [](char byte) { return byte == kPoison; });
  }

 private:
  static constexpr int64_t kMargin = 67;  // elements: no vector's multiple

  TensorView view_;
  std::vector<char> memory_;
};

// The dimensions in any order.
inline std::vector<int> AnyOrder(Random& random, size_t rank) {
  std::vector<int> order;
  for (size_t d = 0; d < rank; ++d) order.push_back(static_cast<int>(d));
  for (size_t d = rank; d > 1; --d) {
    std::swap(order[d - 1], order[static_cast<size_t>(random.Integer(0, int64_t(d) - 1))]);
  }
  return order;
}

}  // namespace aclimb::testing
