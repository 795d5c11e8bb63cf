// Rows times weights, and their sums. Included once per instruction set by files that use
// hwy/foreach_target.h.
#if defined(ACLIMB_SIMD_WEIGHTED_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACLIMB_SIMD_WEIGHTED_INL_H_
#undef ACLIMB_SIMD_WEIGHTED_INL_H_
#else
#define ACLIMB_SIMD_WEIGHTED_INL_H_
#endif

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <cstdint>
#include <type_traits>

#include "aclimb/simd/float-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclimb {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// to += weight * from
template <typename T>
HWY_INLINE void AddTimes(const T* from, double weight, int64_t count, double* to) {
  int64_t c = 0;
  const auto add_vectors = [&](auto d) HWY_ATTR {
    const auto lanes = static_cast<int64_t>(hn::Lanes(d));
    for (; c + lanes <= count; c += lanes) {
      const auto sum = hn::MulAdd(hn::Set(d, weight), LoadAs(d, from + c), hn::LoadU(d, to + c));
      hn::StoreU(sum, d, to + c);
    }
  };
  add_vectors(hn::ScalableTag<double>());
  // A half of the longest vectors, and single elements, which are rounded as in vectors: how many
  // are taken at once decides about no bit.
  add_vectors(hn::CappedTag<double, 4>());
  add_vectors(hn::CappedTag<double, 1>());
}

// to[i] = the sum of weight * row[i] over all rows, in D's type. terms(use) calls use(row, weight)
// for each of them; rows have elements of T, or float32 where sums are double. With `stream`, `to`
// is aligned to a vector, and its length is whole ones.
template <class D, typename T, class Terms>
HWY_INLINE void AddWeighted(D d, const Terms& terms, int64_t length, bool stream, T* to) {
  using Sum = hn::TFromD<D>;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  if (length < lanes) {
    if constexpr (std::is_same_v<T, float> && std::is_same_v<Sum, float>) {
      auto sum = hn::Zero(d);
      terms([&](const auto* row, auto weight) HWY_ATTR {
        sum = hn::MulAdd(hn::Set(d, static_cast<Sum>(weight)), LoadFirst(d, row, length), sum);
      });
      return StoreFirst(d, sum, to, length);
    }
    for (int64_t i = 0; i < length; ++i) {
      Sum sum = 0;
      terms([&](const auto* row, auto weight)
                HWY_ATTR { sum += static_cast<Sum>(weight) * static_cast<Sum>(row[i]); });
      to[i] = static_cast<T>(sum);
    }
    return;
  }
  int64_t i = 0;
  for (; i + 4 * lanes <= length; i += 4 * lanes) {
    auto a = hn::Zero(d), b = a, c = a, e = a;
    terms([&](const auto* row, auto weight) HWY_ATTR {
      const auto w = hn::Set(d, static_cast<Sum>(weight));
      a = hn::MulAdd(w, LoadAs(d, row + i), a);
      b = hn::MulAdd(w, LoadAs(d, row + i + lanes), b);
      c = hn::MulAdd(w, LoadAs(d, row + i + 2 * lanes), c);
      e = hn::MulAdd(w, LoadAs(d, row + i + 3 * lanes), e);
    });
    StoreAs(d, a, stream, to + i);
    StoreAs(d, b, stream, to + i + lanes);
    StoreAs(d, c, stream, to + i + 2 * lanes);
    StoreAs(d, e, stream, to + i + 3 * lanes);
  }
  // The last vector may overlap the one before.
  for (; i < length; i += lanes) {
    const int64_t at = HWY_MIN(i, length - lanes);
    auto sum = hn::Zero(d);
    terms([&](const auto* row, auto weight) HWY_ATTR {
      sum = hn::MulAdd(hn::Set(d, static_cast<Sum>(weight)), LoadAs(d, row + at), sum);
    });
    StoreAs(d, sum, stream, to + at);
  }
}

// Stores the sums of two weighted rows of that type. A row has a vector at least, and each weight
// is read once.
template <class D, class Terms, typename T = hn::TFromD<D>>
HWY_INLINE void AddTwoWeighted(D d, const Terms& terms, int64_t length, bool stream,
                               T* HWY_RESTRICT to) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const T* row[2];
  T weight[2];
  int next = 0;
  terms([&](const T* from, auto of) {
    row[next] = from;
    weight[next++] = static_cast<T>(of);
  });
  const auto first = hn::Set(d, weight[0]), second = hn::Set(d, weight[1]);
  const auto sum = [&](int64_t i) HWY_ATTR {
    return hn::MulAdd(second, hn::LoadU(d, row[1] + i), hn::Mul(first, hn::LoadU(d, row[0] + i)));
  };
  int64_t i = 0;
  for (; i + 4 * lanes <= length; i += 4 * lanes) {
    const auto a = sum(i), b = sum(i + lanes), c = sum(i + 2 * lanes), e = sum(i + 3 * lanes);
    StoreAs(d, a, stream, to + i);
    StoreAs(d, b, stream, to + i + lanes);
    StoreAs(d, c, stream, to + i + 2 * lanes);
    StoreAs(d, e, stream, to + i + 3 * lanes);
  }
  // The last vector may overlap the one before.
  for (; i < length; i += lanes) {
    const int64_t at = HWY_MIN(i, length - lanes);
    StoreAs(d, sum(at), stream, to + at);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace aclimb
HWY_AFTER_NAMESPACE();

#endif
