#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "aclimb/ops/sorts/before.cc"
#include <hwy/foreach_target.h>
// foreach_target.h first: the -inl headers are included once per target.
#include <cmath>
#include <limits>
#include <type_traits>

#include "aclimb/core/divide.h"
#include "aclimb/ops/sorts/before.h"
#include "aclimb/simd/float-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclimb::sorts {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using namespace aclimb::HWY_NAMESPACE;  // NOLINT: LoadF32

// find(elements) of a dtype that CanFindBefore() knows.
template <typename Find>
auto WithElements(DType dtype, const void* line, const Find& find) {
  switch (dtype) {
    case DType::kFloat32:
      return find(static_cast<const float*>(line));
    case DType::kFloat16:
      return find(static_cast<const Float16*>(line));
    default:
      return find(static_cast<const BFloat16*>(line));
  }
}

template <typename T>
int64_t FindBeforeOf(const Order& order, const T* line, int64_t begin, int64_t end, const T* other,
                     bool or_equal) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const bool descending = order.descending, nan_first = order.nan_is_least != descending;
  const float bound = ToFloat(*other);
  if (std::isnan(bound) && nan_first) return end;
  const auto bounds = hn::Set(d, bound);
  int64_t i = begin;
  for (; i + lanes <= end; i += lanes) {
    const auto x = LoadF32(d, line + i);
    // False for NaN on either side.
    const auto behind = or_equal ? (descending ? hn::Lt(x, bounds) : hn::Gt(x, bounds))
                                 : (descending ? hn::Le(x, bounds) : hn::Ge(x, bounds));
    if (!hn::AllTrue(d, behind)) return i + hn::FindFirstTrue(d, hn::Not(behind));
  }
  for (; i < end; ++i) {
    const float x = ToFloat(line[i]);
    const bool equal = x == bound, behind = descending ? x < bound : x > bound;
    if (!(behind || (equal && !or_equal))) break;
  }
  return i;
}

// The greatest numbers of groups of elements times `sign`, 4 vectors of groups in each piece of a
// line. Returns how many groups that are: none where they would be too few or too many.
template <typename T>
int64_t FindGreatest(const T* line, int64_t count, float sign, int64_t least, float* greatest) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const int64_t groups = 4 * lanes, pieces = CeilDivide(least, groups);
  const int64_t length = count / (pieces * groups) * groups;
  if (pieces * groups > kMostGroups || length < 2 * groups) return 0;
  const auto signs = hn::Set(d, sign);
  // A NaN is not greater, so that it is left out.
  const auto greater = [&](auto most, const T* from) HWY_ATTR {
    const auto x = hn::Mul(LoadF32(d, from), signs);
    return hn::IfThenElse(hn::Gt(x, most), x, most);
  };
  for (int64_t piece = 0; piece < pieces; ++piece) {
    auto a = hn::Set(d, -std::numeric_limits<float>::infinity());
    auto b = a, c = a, e = a;
    for (const T *x = line + piece * length, *const end = x + length; x != end; x += groups) {
      a = greater(a, x);
      b = greater(b, x + lanes);
      c = greater(c, x + 2 * lanes);
      e = greater(e, x + 3 * lanes);
    }
    float* const to = greatest + piece * groups;
    hn::Store(a, d, to);
    hn::Store(b, d, to + lanes);
    hn::Store(c, d, to + 2 * lanes);
    hn::Store(e, d, to + 3 * lanes);
  }
  return pieces * groups;
}

// The number of place `wanted` in descending order, from whole vectors without NaN; minus infinity
// where that is the number.
float FindOfPlace(const float* numbers, int64_t count, int64_t wanted) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  float low = -std::numeric_limits<float>::infinity();
  float high = std::numeric_limits<float>::quiet_NaN();  // what is too great; at first nothing
  for (int64_t i = 0; i < count; ++i) {
    const float x = numbers[i];
    if (x <= low || x >= high) continue;
    size_t before = 0;
    for (int64_t k = 0; k < count; k += lanes) {
      before += hn::CountTrue(d, hn::Ge(hn::Load(d, numbers + k), hn::Set(d, x)));
    }
    if (static_cast<int64_t>(before) >= wanted) {
      low = x;
    } else {
      high = x;
    }
  }
  return low;
}

template <typename T>
bool FindBoundOf(const Order& order, const T* line, int64_t count, int64_t wanted, T* element) {
  HWY_ALIGN float greatest[kMostGroups];
  const float sign = order.descending ? 1.0F : -1.0F;
  // Of two groups for each wanted element, few have two of those.
  const int64_t groups = FindGreatest(line, count, sign, 2 * wanted, greatest);
  if (groups == 0) return false;
  const float bound = FindOfPlace(greatest, groups, wanted);
  if (std::isinf(bound)) return false;
  *element = FromFloat<T>(sign * bound);
  return true;
}

int64_t FindFloatBefore(const Order& order, const void* line, int64_t begin, int64_t end,
                        const void* other, bool or_equal) {
  return WithElements(order.dtype, line, [&](const auto* elements) {
    using T = std::remove_cvref_t<decltype(*elements)>;
    return FindBeforeOf(order, elements, begin, end, static_cast<const T*>(other), or_equal);
  });
}

bool FindFloatBound(const Order& order, const void* line, int64_t begin, int64_t count,
                    int64_t wanted, void* element) {
  return WithElements(order.dtype, line, [&](const auto* elements) {
    using T = std::remove_cvref_t<decltype(*elements)>;
    return FindBoundOf(order, elements + begin, count, wanted, static_cast<T*>(element));
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace aclimb::sorts
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclimb::sorts {

HWY_EXPORT(FindFloatBefore);
HWY_EXPORT(FindFloatBound);

bool CanFindBefore(const Order& order, int64_t stride) {
  return stride == 1 && (order.dtype == DType::kFloat32 || order.dtype == DType::kFloat16 ||
                         order.dtype == DType::kBFloat16);
}

int64_t FindBefore(const Order& order, const void* line, int64_t begin, int64_t end,
                   const void* other, bool or_equal) {
  return HWY_DYNAMIC_DISPATCH(FindFloatBefore)(order, line, begin, end, other, or_equal);
}

bool FindBound(const Order& order, const void* line, int64_t begin, int64_t count, int64_t wanted,
               void* element) {
  return HWY_DYNAMIC_DISPATCH(FindFloatBound)(order, line, begin, count, wanted, element);
}

}  // namespace aclimb::sorts
#endif
