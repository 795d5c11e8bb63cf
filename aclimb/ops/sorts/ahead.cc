#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "aclimb/ops/sorts/ahead.cc"
#include <hwy/foreach_target.h>
// foreach_target.h first: the -inl headers are included once per target.
#include "aclimb/ops/sorts/ahead.h"
#include "aclimb/simd/float-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclimb::sorts {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using namespace aclimb::HWY_NAMESPACE;  // NOLINT: LoadF32

// NaNs may come before everything.
template <typename T>
int64_t FindAheadOf(bool descending, const T* line, int64_t begin, int64_t end, int64_t other) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const float bound = ToFloat(line[other]);
  const auto bounds = hn::Set(d, bound);
  int64_t i = begin;
  for (; i + lanes <= end; i += lanes) {
    const auto x = LoadF32(d, line + i);
    const auto behind = descending ? hn::Le(x, bounds) : hn::Ge(x, bounds);
    if (!hn::AllTrue(d, behind)) return i + hn::FindFirstTrue(d, hn::Not(behind));
  }
  for (; i < end; ++i) {
    const float x = ToFloat(line[i]);
    if (!(descending ? x <= bound : x >= bound)) break;
  }
  return i;
}

int64_t FindFloatAhead(const Order& order, const void* line, int64_t begin, int64_t end,
                       int64_t other) {
  const auto find = [&](const auto* elements) {
    return FindAheadOf(order.descending, elements, begin, end, other);
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

HWY_EXPORT(FindFloatAhead);

int64_t FindAhead(const Order& order, const void* line, int64_t stride, int64_t begin, int64_t end,
                  int64_t other) {
  if (stride != 1) return begin;
  return HWY_DYNAMIC_DISPATCH(FindFloatAhead)(order, line, begin, end, other);
}

}  // namespace aclimb::sorts
#endif
