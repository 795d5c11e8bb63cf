#pragma once

#include <cstdint>
#include <cstring>

namespace aclimb {

// IEEE binary16 and bfloat16 as storage types. Conversions are exact to float and round to nearest
// even from it, whatever the thread's floating-point state; float16 overflow gives infinity, NaN
// stays NaN.
struct Float16 {
  uint16_t bits = 0;
};
struct BFloat16 {
  uint16_t bits = 0;
};

inline uint32_t BitsOf(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}
inline float FloatOfBits(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

inline float ToFloat(float value) { return value; }

inline float ToFloat(BFloat16 value) { return FloatOfBits(uint32_t{value.bits} << 16); }

inline float ToFloat(Float16 value) {
  const uint32_t sign = uint32_t{value.bits & 0x8000u} << 16;
  const uint32_t exponent = (value.bits >> 10) & 0x1Fu;
  const uint32_t mantissa = value.bits & 0x3FFu;
  if (exponent == 0x1F) return FloatOfBits(sign | 0x7F800000u | (mantissa << 13));
  if (exponent != 0) return FloatOfBits(sign | ((exponent + 112) << 23) | (mantissa << 13));
  // Zero and subnormals: mantissa * 2^-24 is exact in float32.
  const float magnitude = static_cast<float>(mantissa) * 5.9604644775390625e-8f;
  return FloatOfBits(sign | BitsOf(magnitude));
}

inline BFloat16 ToBFloat16(float value) {
  const uint32_t bits = BitsOf(value);
  if ((bits & 0x7FFFFFFFu) > 0x7F800000u) {
    return BFloat16{static_cast<uint16_t>((bits >> 16) | 0x40u)};  // quiet, and never infinity
  }
  const uint32_t rounding = 0x7FFFu + ((bits >> 16) & 1u);
  return BFloat16{static_cast<uint16_t>((bits + rounding) >> 16)};
}

inline Float16 ToFloat16(float value) {
  const uint32_t bits = BitsOf(value);
  const uint16_t sign = static_cast<uint16_t>((bits >> 16) & 0x8000u);
  const uint32_t magnitude = bits & 0x7FFFFFFFu;
  if (magnitude > 0x7F800000u) {
    const uint32_t payload = (magnitude >> 13) & 0x3FFu;
    return Float16{static_cast<uint16_t>(sign | 0x7E00u | payload)};
  }
  if (magnitude >= 0x47800000u) return Float16{static_cast<uint16_t>(sign | 0x7C00u)};
  if (magnitude < 0x38800000u) {
    // Below the smallest normal the last bit is 2^-24, and half of it and less becomes zero.
    const uint32_t exponent = magnitude >> 23;
    if (exponent < 102) return Float16{sign};
    const uint32_t mantissa = (magnitude & 0x7FFFFFu) | 0x800000u;
    const uint32_t shift = 126 - exponent;
    const uint32_t below_half = (1u << (shift - 1)) - 1;
    const uint32_t rounded = mantissa + below_half + ((mantissa >> shift) & 1u);
    return Float16{static_cast<uint16_t>(sign | (rounded >> shift))};
  }
  const uint32_t rebased = magnitude - (112u << 23);
  const uint32_t rounded = rebased + 0xFFFu + ((rebased >> 13) & 1u);
  return Float16{static_cast<uint16_t>(sign | (rounded >> 13))};
}

// One rounding from float32 to the storage type named by T.
template <typename T>
T FromFloat(float value);
template <>
inline float FromFloat<float>(float value) {
  return value;
}
template <>
inline double FromFloat<double>(float value) {
  return value;
}
template <>
inline Float16 FromFloat<Float16>(float value) {
  return ToFloat16(value);
}
template <>
inline BFloat16 FromFloat<BFloat16>(float value) {
  return ToBFloat16(value);
}

}  // namespace aclimb
