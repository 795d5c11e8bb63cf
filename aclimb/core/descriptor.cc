#include "aclimb/core/descriptor.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "aclimb/core/half.h"
#include "aclimb/core/hash.h"
#include "aclimb/core/packed.h"
#include "aclimb/core/text.h"

namespace aclimb {

void TensorDescriptor::SetKey() {
  key.clear();
  key.reserve(4 + 2 * shape.size() + storage_shape.size());
  key.push_back(shape.size() << 32 | storage_shape.size());
  key.push_back(static_cast<uint64_t>(dtype) << 32 | static_cast<uint32_t>(format));
  key.push_back(static_cast<uint64_t>(offset));
  for (const auto* list : {&shape, &stride, &storage_shape}) {
    key.insert(key.end(), list->begin(), list->end());
  }
  uint64_t hash = 0;
  for (size_t i = 0; i < key.size(); ++i) hash += HashShare(key[i], i);
  key.push_back(hash);
}

int64_t TensorDescriptor::ElementCount() const {
  int64_t count = 1;
  for (int64_t extent : shape) count *= extent;
  return count;
}

bool TensorDescriptor::IsEmpty() const {
  for (int64_t extent : shape) {
    if (extent == 0) return true;
  }
  return false;
}

std::optional<TensorDescriptor::ByteRange> TensorDescriptor::Footprint() const {
  if (IsEmpty()) return ByteRange{};
  int64_t last = offset;
  for (size_t d = 0; d < shape.size(); ++d) {
    int64_t reach;
    if (__builtin_mul_overflow(shape[d] - 1, stride[d], &reach) ||
        __builtin_add_overflow(last, reach, &last)) {
      return std::nullopt;
    }
  }
  const int64_t size = static_cast<int64_t>(SizeOf(dtype)), packed = PackedPerByte(dtype);
  ByteRange range;
  int64_t end;
  if (__builtin_add_overflow(last, packed, &end) ||
      __builtin_mul_overflow(end / packed, size, &range.end) ||
      __builtin_mul_overflow(offset / packed, size, &range.begin)) {
    return std::nullopt;
  }
  return range;
}

TensorView TensorDescriptor::View() const {
  // The stride of a single element may be any number. Kernels multiply by it and add it to
  // addresses, though they read nothing there: a number that no memory has room for would overflow.
  constexpr int64_t kMostStride = int64_t{1} << 40;
  TensorView view;
  view.dtype = dtype;
  view.rank = rank();
  for (int d = 0; d < view.rank; ++d) {
    view.shape[d] = shape[static_cast<size_t>(d)];
    view.stride[d] = stride[static_cast<size_t>(d)];
    if (view.shape[d] == 1 && view.stride[d] > kMostStride) view.stride[d] = 0;
  }
  // The offset of an empty tensor may lie anywhere, also where no address is.
  if (data != nullptr && !IsEmpty()) {
    view.data = static_cast<char*>(data) + BytesOf(dtype, offset);
  }
  return view;
}

std::vector<int64_t> ContiguousStrides(const std::vector<int64_t>& shape) {
  std::vector<int64_t> stride(shape.size());
  int64_t step = 1;
  for (size_t d = shape.size(); d-- > 0;) {
    stride[d] = step;
    if (shape[d] > 1) step *= shape[d];
  }
  return stride;
}

std::optional<int64_t> ElementCountOf(const std::vector<int64_t>& shape) {
  // A zero anywhere makes the product zero, but strides still multiply the other extents.
  int64_t product = 1;
  bool empty = false;
  for (int64_t extent : shape) {
    if (extent == 0) {
      empty = true;
    } else if (__builtin_mul_overflow(product, extent, &product)) {
      return std::nullopt;
    }
  }
  return empty ? 0 : product;
}

namespace {

template <typename T>
T Read(const ScalarValue& scalar) {
  T value;
  std::memcpy(&value, scalar.bytes, sizeof(value));
  return value;
}

// To(value) of a real dtype, 0 of any other.
template <typename To>
To Converted(const ScalarValue& scalar) {
  switch (scalar.dtype) {
    case DType::kFloat32:
      return To(Read<float>(scalar));
    case DType::kFloat64:
      return To(Read<double>(scalar));
    case DType::kFloat16:
      return To(aclimb::ToFloat(Read<Float16>(scalar)));
    case DType::kBFloat16:
      return To(aclimb::ToFloat(Read<BFloat16>(scalar)));
    case DType::kInt8:
      return To(Read<int8_t>(scalar));
    case DType::kInt16:
      return To(Read<int16_t>(scalar));
    case DType::kInt32:
      return To(Read<int32_t>(scalar));
    case DType::kInt64:
      return To(Read<int64_t>(scalar));
    case DType::kUInt8:
      return To(Read<uint8_t>(scalar));
    case DType::kUInt16:
      return To(Read<uint16_t>(scalar));
    case DType::kUInt32:
      return To(Read<uint32_t>(scalar));
    case DType::kUInt64:
      return To(Read<uint64_t>(scalar));
    case DType::kBool:
      return To(Read<uint8_t>(scalar) != 0);
    default:
      return To(0);
  }
}

// An int64 from any number.
struct Nearest {
  template <typename T>
  explicit Nearest(T number) {
    if constexpr (std::is_floating_point_v<T>) {
      const double real = static_cast<double>(number);
      if (real >= 0x1p63) {
        value = std::numeric_limits<int64_t>::max();
      } else if (real < -0x1p63) {
        value = std::numeric_limits<int64_t>::min();
      } else {
        value = std::isnan(real) ? 0 : static_cast<int64_t>(real);
      }
    } else if constexpr (std::is_same_v<T, uint64_t>) {
      value = static_cast<int64_t>(
          std::min(number, static_cast<uint64_t>(std::numeric_limits<int64_t>::max())));
    } else {
      value = number;
    }
  }
  int64_t value;
};

}  // namespace

float ScalarValue::ToFloat() const { return Converted<float>(*this); }
double ScalarValue::ToDouble() const { return Converted<double>(*this); }
int64_t ScalarValue::ToInteger() const { return Converted<Nearest>(*this).value; }
int64_t ScalarValue::ToWrappedInteger() const {
  return dtype == DType::kUInt64 ? Read<int64_t>(*this) : ToInteger();
}

std::string ScalarValue::Text() const {
  if (IsComplex(dtype)) return Cat("a ", NameOf(dtype), " scalar");
  if (dtype == DType::kFloat64) return Cat(NameOf(dtype), " ", ToDouble());
  if (IsFloating(dtype)) return Cat(NameOf(dtype), " ", ToFloat());
  if (dtype == DType::kUInt64) return Cat(NameOf(dtype), " ", Read<uint64_t>(*this));
  return Cat(NameOf(dtype), " ", ToInteger());
}

}  // namespace aclimb
