#pragma once

#include "aclimb/contract/parameter.h"

namespace aclimb::contract {

// BOOL and all dtypes of real numbers; the new chips also have BFLOAT16.
inline constexpr ProductDTypes kRealDTypes = AndBFloat16(
    DType::kFloat32, DType::kFloat16, DType::kFloat64, DType::kInt8, DType::kInt16, DType::kInt32,
    DType::kInt64, DType::kUInt8, DType::kUInt16, DType::kUInt32, DType::kUInt64, DType::kBool);

}  // namespace aclimb::contract
