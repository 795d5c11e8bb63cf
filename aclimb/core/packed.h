#pragma once

#include <cstdint>

#include "aclimb/core/dtype.h"

// How elements of less than a byte lie in memory. Strides and offsets count elements all the same.
namespace aclimb {

// Elements that share a byte: 2 of INT4, of which the even one has the low half. Else 1.
int64_t PackedPerByte(DType dtype);

// Bytes of a storage of so many elements; a byte that is shared counts whole.
int64_t BytesOf(DType dtype, int64_t elements);

}  // namespace aclimb
