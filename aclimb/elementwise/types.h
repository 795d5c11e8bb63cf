#pragma once

#include <cstdint>

#include "aclimb/copy/storage.h"

namespace aclimb::elementwise {

// The types that a formula computes in.
template <typename... T>
struct Types {};

// float32 lanes do for all of these; a result in a half type is rounded to it.
using Floats = Types<float, Float16, BFloat16>;
using Integers = Types<uint8_t, int8_t, int16_t, int32_t, int64_t>;
// Half types then are computed in float.
using AllScalars = Types<Bool, uint8_t, int8_t, int16_t, int32_t, int64_t, float, double>;

}  // namespace aclimb::elementwise
