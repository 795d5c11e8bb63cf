#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "aclimb/copy/storage.h"
#include "aclimb/core/tensor_view.h"

namespace aclimb {

// One element as another type, as PyTorch casts: integers wrap, what is not 0 is true (NaN also),
// floats lose their fraction. A float that the integer cannot hold, NaN also, has no value of its
// own there: the lowest one of int32 or int64, wrapped, as x86 answers. No half types: they go
// through float.
template <typename To, typename From>
To Cast(From value) {
  if constexpr (std::is_same_v<From, Bool>) {
    return Cast<To>(static_cast<uint8_t>(value.byte != 0));
  } else if constexpr (std::is_same_v<To, Bool>) {
    return Bool{static_cast<uint8_t>(value != 0)};
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    if constexpr (std::is_same_v<To, uint64_t>) {
      constexpr From kHalf = static_cast<From>(uint64_t{1} << 63);
      if (value >= kHalf && value < 2 * kHalf) return static_cast<uint64_t>(value);
    }
    // Integers without a sign take the longer way, as in PyTorch.
    constexpr bool kLong = std::is_same_v<To, int64_t> || std::is_unsigned_v<To>;
    using Whole = std::conditional_t<kLong, int64_t, int32_t>;
    constexpr auto kLowest = static_cast<From>(std::numeric_limits<Whole>::min());
    // A double a fraction below the lowest int32 is cut to it all the same.
    const From held = value >= kLowest && value < -kLowest ? value : kLowest;
    return static_cast<To>(static_cast<Whole>(held));
  } else {
    return static_cast<To>(value);
  }
}

// `value` if it is a float, else the one of the two floats around it whose last bit is set:
// rounding that to a half type gives what rounding `value` itself does.
inline float RoundedToOdd(double value) {
  const auto nearest = static_cast<float>(value);
  const auto back = static_cast<double>(nearest);
  // Without branches, so that the compiler makes vectors of a loop. NaN compares false and stays.
  const uint32_t is_past = std::fabs(back) > std::fabs(value) ? 1 : 0;
  const uint32_t is_below = back < value ? 1 : 0, is_above = back > value ? 1 : 0;
  return std::bit_cast<float>((std::bit_cast<uint32_t>(nearest) - is_past) | is_below | is_above);
}
inline float RoundedToOdd(int32_t value) { return RoundedToOdd(static_cast<double>(value)); }
inline float RoundedToOdd(uint32_t value) { return RoundedToOdd(static_cast<double>(value)); }
inline float RoundedToOdd(int64_t value) {
  // What does not fit in a double's 53 bits leaves a mark in the lowest bit that does.
  const int64_t rest = value & 0xFFFF;
  const int64_t marked = ((value >> 16) | (rest != 0 ? 1 : 0)) << 16;
  const bool fits = value >= -(int64_t{1} << 53) && value <= int64_t{1} << 53;
  return RoundedToOdd(static_cast<double>(fits ? value : marked));
}

inline float RoundedToOdd(uint64_t value) {
  if (value >> 63 == 0) return RoundedToOdd(static_cast<int64_t>(value));
  return 2 * RoundedToOdd(static_cast<int64_t>(value >> 1 | (value & 1)));
}

// `value` as a float or an element of a half type, rounded once, to nearest even. A NaN keeps none
// of its payload, which a half type could lose.
template <typename T>
T RoundedOnce(double value) {
  if (std::isnan(value)) return FromFloat<T>(std::numeric_limits<float>::quiet_NaN());
  if constexpr (std::is_same_v<T, float>) {
    return static_cast<float>(value);
  } else {
    return FromFloat<T>(RoundedToOdd(value));
  }
}
// An element of a tensor of a floating dtype: `value`, rounded once.
inline void StoreRoundedOnce(double value, const TensorView& to, int64_t offset = 0) {
  switch (to.dtype) {
    case DType::kFloat16:
      to.As<Float16>()[offset] = RoundedOnce<Float16>(value);
      return;
    case DType::kBFloat16:
      to.As<BFloat16>()[offset] = RoundedOnce<BFloat16>(value);
      return;
    case DType::kFloat32:
      to.As<float>()[offset] = RoundedOnce<float>(value);
      return;
    default:
      to.As<double>()[offset] = value;
  }
}
// `value` as a half type has it; of any other dtype as it is.
inline double RoundedToHalf(DType dtype, double value) {
  if (dtype == DType::kFloat16) return ToFloat(RoundedOnce<Float16>(value));
  if (dtype == DType::kBFloat16) return ToFloat(RoundedOnce<BFloat16>(value));
  return value;
}

}  // namespace aclimb
