#include "aclimb/truth/elements.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "aclimb/core/half.h"
#include "aclimb/core/packed.h"
#include "aclimb/core/text.h"

namespace aclimb::truth {
namespace {

template <typename T>
double Read(const unsigned char* at) {
  T value;
  std::memcpy(&value, at, sizeof(value));
  return static_cast<double>(value);
}

template <typename T>
void Write(unsigned char* at, T value) {
  std::memcpy(at, &value, sizeof(value));
}

template <typename T>
void WriteInteger(unsigned char* at, double value) {
  using Limits = std::numeric_limits<T>;
  const double whole = std::trunc(value);
  // The largest number as a double may be one too large.
  if (!(whole < static_cast<double>(Limits::max()))) return Write(at, Limits::max());
  Write(at, whole <= static_cast<double>(Limits::min()) ? Limits::min() : static_cast<T>(whole));
}

// From double at once: by way of float32 it would be rounded twice.
uint16_t HalfBits(double value, bool brain) {
  const float nearest = static_cast<float>(value);
  float single = nearest;
  const double difference = value - static_cast<double>(nearest);
  // Rounding to odd keeps what the second rounding needs to know.
  if (std::isfinite(value) && difference != 0 && std::isfinite(nearest) &&
      (BitsOf(nearest) & 1) == 0) {
    single = std::nextafter(nearest, difference > 0 ? std::numeric_limits<float>::infinity()
                                                    : -std::numeric_limits<float>::infinity());
  }
  return brain ? ToBFloat16(single).bits : ToFloat16(single).bits;
}

// A copy whose length the compiler knows is an instruction or two.
void CopyElement(unsigned char* to, const unsigned char* from, size_t size) {
  switch (size) {
    case 1:
      *to = *from;
      return;
    case 2:
      std::memcpy(to, from, 2);
      return;
    case 4:
      std::memcpy(to, from, 4);
      return;
    case 8:
      std::memcpy(to, from, 8);
      return;
    default:
      std::memcpy(to, from, size);
  }
}

}  // namespace

void LoadElement(const unsigned char* storage, int64_t place, DType dtype, unsigned char* element) {
  const size_t size = SizeOf(dtype);
  const auto packed = PackedPerByte(dtype);
  if (packed == 1) {
    CopyElement(element, storage + static_cast<size_t>(place) * size, size);
    return;
  }
  const unsigned char byte = storage[place / packed];
  *element = (place % packed == 0 ? byte : byte >> 4) & 0xF;
}

void StoreElement(unsigned char* storage, int64_t place, DType dtype,
                  const unsigned char* element) {
  const size_t size = SizeOf(dtype);
  const auto packed = PackedPerByte(dtype);
  if (packed == 1) {
    CopyElement(storage + static_cast<size_t>(place) * size, element, size);
    return;
  }
  unsigned char* const at = storage + place / packed;
  const bool is_low = place % packed == 0;
  *at = static_cast<unsigned char>(is_low ? (*at & 0xF0) | (*element & 0xF)
                                          : (*at & 0xF) | *element << 4);
}

double ReadElement(const unsigned char* at, DType dtype) {
  uint16_t bits = 0;
  switch (dtype) {
    case DType::kFloat32:
    case DType::kComplex64:
      return Read<float>(at);
    case DType::kFloat64:
    case DType::kComplex128:
      return Read<double>(at);
    case DType::kFloat16:
    case DType::kComplex32:
      std::memcpy(&bits, at, sizeof(bits));
      return ToFloat(Float16{bits});
    case DType::kBFloat16:
      std::memcpy(&bits, at, sizeof(bits));
      return ToFloat(BFloat16{bits});
    case DType::kInt4:
      return (*at & 0xF) - 2 * (*at & 8);
    case DType::kInt8:
      return Read<int8_t>(at);
    case DType::kInt16:
      return Read<int16_t>(at);
    case DType::kInt32:
      return Read<int32_t>(at);
    case DType::kInt64:
      return Read<int64_t>(at);
    case DType::kUInt16:
      return Read<uint16_t>(at);
    case DType::kUInt32:
      return Read<uint32_t>(at);
    case DType::kUInt64:
      return Read<uint64_t>(at);
    default:
      return Read<uint8_t>(at);
  }
}

int64_t ReadInteger(const unsigned char* at, DType dtype) {
  if (dtype != DType::kInt64 && dtype != DType::kUInt64) {
    return static_cast<int64_t>(ReadElement(at, dtype));
  }
  int64_t value;
  std::memcpy(&value, at, sizeof(value));
  return value;
}

void WriteElement(unsigned char* at, DType dtype, double value) {
  switch (dtype) {
    case DType::kFloat32:
    case DType::kComplex64:
      return Write(at, static_cast<float>(value));
    case DType::kFloat64:
    case DType::kComplex128:
      return Write(at, value);
    case DType::kFloat16:
    case DType::kComplex32:
    case DType::kBFloat16:
      return Write(at, HalfBits(value, dtype == DType::kBFloat16));
    case DType::kInt4:
      WriteInteger<int8_t>(at, std::clamp(value, -8.0, 7.0));
      *at &= 0xF;
      return;
    case DType::kInt8:
      return WriteInteger<int8_t>(at, value);
    case DType::kInt16:
      return WriteInteger<int16_t>(at, value);
    case DType::kInt32:
      return WriteInteger<int32_t>(at, value);
    case DType::kInt64:
      return WriteInteger<int64_t>(at, value);
    case DType::kUInt16:
      return WriteInteger<uint16_t>(at, value);
    case DType::kUInt32:
      return WriteInteger<uint32_t>(at, value);
    case DType::kUInt64:
      return WriteInteger<uint64_t>(at, value);
    case DType::kBool:
      return Write<uint8_t>(at, value != 0 ? 1 : 0);
    default:
      return WriteInteger<uint8_t>(at, value);
  }
}

double Rounded(double value, DType dtype) {
  unsigned char bytes[8] = {};
  WriteElement(bytes, dtype, value);
  return ReadElement(bytes, dtype);
}

std::vector<int64_t> PlacesOf(const std::vector<int64_t>& shape,
                              const std::vector<int64_t>& strides) {
  // Beside an extent of 0 another one may be of any size.
  if (std::ranges::count(shape, 0) != 0) return {};
  size_t total = 1;
  for (const int64_t extent : shape) total *= static_cast<size_t>(extent);
  std::vector<int64_t> places(total);
  // Those of the inner dimensions come again for each step of the next one.
  size_t inner = 1;
  for (size_t d = shape.size(); d-- > 0;) {
    for (size_t i = inner; i < inner * static_cast<size_t>(shape[d]); ++i) {
      places[i] = places[i - inner] + strides[d];
    }
    inner *= static_cast<size_t>(shape[d]);
  }
  return places;
}

std::string IndexText(const std::vector<int64_t>& shape, size_t number) {
  std::vector<int64_t> index(shape.size());
  for (size_t d = shape.size(); d-- > 0;) {
    index[d] = static_cast<int64_t>(number % static_cast<size_t>(shape[d]));
    number /= static_cast<size_t>(shape[d]);
  }
  return ShapeText(index.data(), index.size());
}

}  // namespace aclimb::truth
