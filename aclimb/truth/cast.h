#pragma once

#include <cstdint>

#include "aclimb/core/dtype.h"

namespace aclimb::truth {

// A value of one dtype as another one has it, as PyTorch casts: integers wrap, what is not 0 is
// true, floats lose their fraction. A float that an integer cannot hold is the lowest one of 32 or
// 64 bits, wrapped.
double CastValue(double value, DType from, DType to);

// CastValue of an integer to a dtype of integers or BOOL, exactly.
int64_t CastInteger(int64_t value, DType to);

}  // namespace aclimb::truth
