#pragma once

#include <cstdint>
#include <string>

#include "aclimb/core/dtype.h"

namespace aclimb::tools {

// The NumPy type that a tensor's elements are stored as: "<f4". What NumPy has no type for is an
// unsigned integer of its size (BFLOAT16 is "<u2").
std::string NpyType(DType dtype);

// What stands before the elements of a one-dimensional .npy file (format 1.0): a multiple of 64
// bytes.
std::string NpyHeader(DType dtype, uint64_t elements);

}  // namespace aclimb::tools
