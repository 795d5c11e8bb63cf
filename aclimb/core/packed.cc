#include "aclimb/core/packed.h"

namespace aclimb {

int64_t PackedPerByte(DType dtype) { return dtype == DType::kInt4 ? 2 : 1; }

int64_t BytesOf(DType dtype, int64_t elements) {
  const int64_t packed = PackedPerByte(dtype);
  return (elements + packed - 1) / packed * static_cast<int64_t>(SizeOf(dtype));
}

}  // namespace aclimb
