#include "aclimb/copy/transpose.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "aclimb/copy/transpose.cc"
#include <hwy/foreach_target.h>
// foreach_target.h first: the rest is compiled once per instruction set.
#include "aclimb/simd/transpose-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclimb::copy {
namespace HWY_NAMESPACE {

template <typename T>
void TransposeElements(const void* from, int64_t stride, int64_t rows, int64_t columns, void* to,
                       int64_t to_stride) {
  aclimb::HWY_NAMESPACE::Transpose(static_cast<const T*>(from), stride, rows, columns,
                                   static_cast<T*>(to), to_stride);
}

void AnyElements(size_t element, const void* from, int64_t stride, int64_t rows, int64_t columns,
                 void* to, int64_t to_stride) {
  switch (element) {
    case 1:
      return TransposeElements<uint8_t>(from, stride, rows, columns, to, to_stride);
    case 2:
      return TransposeElements<uint16_t>(from, stride, rows, columns, to, to_stride);
    case 4:
      return TransposeElements<float>(from, stride, rows, columns, to, to_stride);
    default:
      return TransposeElements<double>(from, stride, rows, columns, to, to_stride);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace aclimb::copy
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclimb::copy {

HWY_EXPORT(AnyElements);

void Transpose(size_t element, const void* from, int64_t stride, int64_t rows, int64_t columns,
               void* to, int64_t to_stride) {
  HWY_DYNAMIC_DISPATCH(AnyElements)(element, from, stride, rows, columns, to, to_stride);
}

}  // namespace aclimb::copy
#endif
