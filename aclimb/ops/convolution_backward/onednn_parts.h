#pragma once

#include <cstdint>

#include "aclimb/ops/convolution_backward/onednn.h"

namespace aclimb::convolution_backward::onednn {

// The gradient of the weight of `batch` images, as the sum in double of those of `images` images at
// a time. Null where x or y of some images are no part of the memory of all.
//   part  of so many images, with a result in float32
//   rest  of those that are left over; null: none
PrimitivePointer SumOfParts(PrimitivePointer part, PrimitivePointer rest, int64_t batch,
                            int64_t images);

}  // namespace aclimb::convolution_backward::onednn
