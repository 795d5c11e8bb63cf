#include "aclimb/truth/elements.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "aclimb/core/half.h"
#include "aclimb/core/packed.h"
#include "aclimb/core/text.h"

namespace aclimb::truth {
namespace {

// From double at once: by way of float32 it would be rounded twice.
uint16_t HalfBits(double value, bool brain) {
  const float nearest = static_cast<float>(value);
  const double again = static_cast<double>(nearest);
  // Rounding to odd keeps what the second rounding needs to know: toward zero, and the last bit is
  // set where something was lost. As numbers, because a branch on either could not be foretold.
  const uint32_t toward_zero = BitsOf(nearest) - (std::fabs(again) > std::fabs(value) ? 1u : 0u);
  const float single = FloatOfBits(toward_zero | (again != value ? 1u : 0u));
  return brain ? ToBFloat16(single).bits : ToFloat16(single).bits;
}

// How the elements of a dtype are read and written. Of each: as double, as integer, and rounded
// once from double.
template <typename T>
struct Number {
  static T Load(const unsigned char* at) {
    T value;
    std::memcpy(&value, at, sizeof(value));
    return value;
  }
  static double Read(const unsigned char* at) { return static_cast<double>(Load(at)); }
  // One of 64 bits without sign keeps its bits.
  static int64_t ReadInteger(const unsigned char* at) { return static_cast<int64_t>(Load(at)); }
  static void Write(unsigned char* at, double value) {
    const T number = Nearest(value);
    std::memcpy(at, &number, sizeof(number));
  }
  static T Nearest(double value) {
    if constexpr (std::is_floating_point_v<T>) {
      return static_cast<T>(value);
    } else {
      using Limits = std::numeric_limits<T>;
      const double whole = std::trunc(value);
      // The largest number as a double may be one too large.
      if (!(whole < static_cast<double>(Limits::max()))) return Limits::max();
      return whole <= static_cast<double>(Limits::min()) ? Limits::min() : static_cast<T>(whole);
    }
  }
};
struct Bool : Number<uint8_t> {
  static void Write(unsigned char* at, double value) { *at = value != 0 ? 1 : 0; }
};
struct Int4 {
  static double Read(const unsigned char* at) { return (*at & 0xF) - 2 * (*at & 8); }
  static int64_t ReadInteger(const unsigned char* at) { return (*at & 0xF) - 2 * (*at & 8); }
  static void Write(unsigned char* at, double value) {
    Number<int8_t>::Write(at, std::clamp(value, -8.0, 7.0));
    *at &= 0xF;
  }
};
template <typename T>
struct Half {
  static double Read(const unsigned char* at) {
    T half;
    std::memcpy(&half.bits, at, sizeof(half.bits));
    return ToFloat(half);
  }
  static int64_t ReadInteger(const unsigned char* at) { return static_cast<int64_t>(Read(at)); }
  static void Write(unsigned char* at, double value) {
    const uint16_t bits = HalfBits(value, std::is_same_v<T, BFloat16>);
    std::memcpy(at, &bits, sizeof(bits));
  }
};

// body(codec) with one of the above.
template <typename Body>
auto ByDType(DType dtype, Body body) {
  switch (dtype) {
    case DType::kFloat32:
    case DType::kComplex64:
      return body(Number<float>());
    case DType::kFloat64:
    case DType::kComplex128:
      return body(Number<double>());
    case DType::kFloat16:
    case DType::kComplex32:
      return body(Half<Float16>());
    case DType::kBFloat16:
      return body(Half<BFloat16>());
    case DType::kInt4:
      return body(Int4());
    case DType::kInt8:
      return body(Number<int8_t>());
    case DType::kInt16:
      return body(Number<int16_t>());
    case DType::kInt32:
      return body(Number<int32_t>());
    case DType::kInt64:
      return body(Number<int64_t>());
    case DType::kUInt16:
      return body(Number<uint16_t>());
    case DType::kUInt32:
      return body(Number<uint32_t>());
    case DType::kUInt64:
      return body(Number<uint64_t>());
    case DType::kBool:
      return body(Bool());
    default:
      return body(Number<uint8_t>());
  }
}

// read(codec, element) of each element.
template <typename T, typename ReadOne>
std::vector<T> ReadAll(const std::vector<unsigned char>& elements, DType dtype, ReadOne read) {
  const size_t size = SizeOf(dtype);
  std::vector<T> values(size > 0 ? elements.size() / size : 0);
  ByDType(dtype, [&](auto codec) {
    const unsigned char* at = elements.data();
    for (T& value : values) {
      value = read(codec, at);
      at += size;
    }
  });
  return values;
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
  return ByDType(dtype, [&](auto codec) { return codec.Read(at); });
}

int64_t ReadInteger(const unsigned char* at, DType dtype) {
  return ByDType(dtype, [&](auto codec) { return codec.ReadInteger(at); });
}

void WriteElement(unsigned char* at, DType dtype, double value) {
  ByDType(dtype, [&](auto codec) { codec.Write(at, value); });
}

void WriteInteger(unsigned char* at, DType dtype, int64_t value) {
  std::memcpy(at, &value, SizeOf(dtype));  // the lowest bytes come first
}

std::vector<unsigned char> WriteElements(const std::vector<double>& values, DType dtype) {
  const size_t size = SizeOf(dtype);
  std::vector<unsigned char> elements(values.size() * size);
  ByDType(dtype, [&](auto codec) {
    unsigned char* at = elements.data();
    for (const double value : values) {
      codec.Write(at, value);
      at += size;
    }
  });
  return elements;
}

std::vector<double> ReadElements(const std::vector<unsigned char>& elements, DType dtype) {
  return ReadAll<double>(elements, dtype,
                         [](auto codec, const unsigned char* at) { return codec.Read(at); });
}

std::vector<int64_t> ReadIntegers(const std::vector<unsigned char>& elements, DType dtype) {
  return ReadAll<int64_t>(
      elements, dtype, [](auto codec, const unsigned char* at) { return codec.ReadInteger(at); });
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
