#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "aclimb/ops/sorts/before.cc"
#include <hwy/foreach_target.h>
// foreach_target.h first: the -inl headers are included once per target.
#include <cmath>

#include "aclimb/ops/sorts/before.h"
#include "aclimb/simd/float-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclimb::sorts {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using namespace aclimb::HWY_NAMESPACE;  // NOLINT: LoadF32

template <typename T>
int64_t FindBeforeOf(const Order& order, const T* line, int64_t begin, int64_t end, int64_t other) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const bool descending = order.descending, nan_first = order.nan_is_least != descending;
  const float bound = ToFloat(line[other]);
  if (std::isnan(bound) && nan_first) return end;
  const auto bounds = hn::Set(d, bound);
  int64_t i = begin;
  for (; i + lanes <= end; i += lanes) {
    const auto x = LoadF32(d, line + i);
    // False for NaN on either side.
    const auto behind = descending ? hn::Le(x, bounds) : hn::Ge(x, bounds);
    if (!hn::AllTrue(d, behind)) return i + hn::FindFirstTrue(d, hn::Not(behind));
  }
  for (; i < end; ++i) {
    const float x = ToFloat(line[i]);
    if (!(descending ? x <= bound : x >= bound)) break;
  }
  return i;
}

int64_t FindFloatBefore(const Order& order, const void* line, int64_t begin, int64_t end,
                        int64_t other) {
  const auto find = [&](const auto* elements) {
    return FindBeforeOf(order, elements, begin, end, other);
  };
  switch (order.dtype) {
    case DType::kFloat32:
      return find(static_cast<const float*>(line));
    case DType::kFloat16:
      return find(static_cast<const Float16*>(line));
    case DType::kBFloat16:
      return find(static_cast<const BFloat16*>(line));
    default:
      return begin;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace aclimb::sorts
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclimb::sorts {

HWY_EXPORT(FindFloatBefore);

bool CanFindBefore(const Order& order, int64_t stride) {
  return stride == 1 && (order.dtype == DType::kFloat32 || order.dtype == DType::kFloat16 ||
                         order.dtype == DType::kBFloat16);
}

int64_t FindBefore(const Order& order, const void* line, int64_t begin, int64_t end,
                   int64_t other) {
  return HWY_DYNAMIC_DISPATCH(FindFloatBefore)(order, line, begin, end, other);
}

}  // namespace aclimb::sorts
#endif
