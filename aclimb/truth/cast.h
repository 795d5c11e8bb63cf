#pragma once

#include <cmath>
#include <cstdint>

#include "aclimb/core/dtype.h"
#include "aclimb/truth/call.h"

namespace aclimb::truth {

// A value of one dtype as another one has it, as PyTorch casts: integers wrap, what is not 0 is
// true, floats lose their fraction. A float that an integer cannot hold is the lowest one of 32 or
// 64 bits, wrapped.
double CastValue(double value, DType from, DType to);

// CastValue of an integer to a dtype of integers or BOOL, exactly.
int64_t CastInteger(int64_t value, DType to);

// A scalar of the call cast to a dtype: of integers to integers exactly, but for the rounding of
// the widest ones to double.
double CastScalar(const Call& call, Slot scalar, DType to);

// The integer that is left of `value`, a whole number, in an integer dtype; of another dtype
// `value`.
template <typename Real>
Real Wrapped(Real value, DType dtype) {
  if (!IsInteger(dtype)) return value;
  const Real size = std::ldexp(Real{1}, 8 * static_cast<int>(SizeOf(dtype)));
  const Real least = IsUnsigned(dtype) ? 0 : -size / 2;
  return value - size * std::floor((value - least) / size);
}

}  // namespace aclimb::truth
