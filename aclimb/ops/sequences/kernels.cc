#include "aclimb/ops/sequences/kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "aclimb/ops/sequences/kernels.cc"
// Closures hold vectors, which scalable vectors do not allow.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#include <hwy/foreach_target.h>
// foreach_target.h first: the rest is compiled once per instruction set.
#include <hwy/cache_control.h>

#include <cmath>
#include <limits>

#include "aclimb/simd/float-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclimb::sequences {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Doubles = hn::ScalableTag<double>;

// one(i) is a single number; from(i) makes a function that gives those from i on, vector by vector.
template <class D, class One, class From>
HWY_INLINE void Write(D d, int64_t count, bool streams, hn::TFromD<D>* to, const One& one,
                      const From& from) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const size_t bytes = hn::Lanes(d) * sizeof(*to);
  int64_t i = 0;
  for (; i < count && reinterpret_cast<uintptr_t>(to + i) % bytes != 0; ++i) to[i] = one(i);
  auto next = from(i);
  if (streams) {
    for (; i + lanes <= count; i += lanes) hn::Stream(next(), d, to + i);
    hwy::FlushStream();
  } else {
    for (; i + lanes <= count; i += lanes) hn::Store(next(), d, to + i);
  }
  for (; i < count; ++i) to[i] = one(i);
}

// A function that gives of(sums) for first, first + by, first + 2 * by ..., sums that are exact or
// wrap. Every other one is a chain, so that none waits for the one before.
template <class V, class Of>
HWY_INLINE auto Chains(V first, V by, const Of& of) {
  const V both = hn::Add(by, by);
  return [=, now = first, next = hn::Add(first, by)]() mutable HWY_ATTR {
    const V sums = now;
    now = next;
    next = hn::Add(sums, both);
    return of(sums);
  };
}

// first + i * step, sums that are exact or wrap.
template <typename T>
void Sums(T first, T step, int64_t count, bool streams, T* to) {
  const hn::ScalableTag<T> d;
  const auto one = [&](int64_t i) { return first + static_cast<T>(i) * step; };
  HWY_ALIGN T steps[HWY_MAX_BYTES / sizeof(T)];
  for (size_t i = 0; i < hn::Lanes(d); ++i) steps[i] = static_cast<T>(i) * step;
  const auto lanes = hn::Load(d, steps), by = hn::Set(d, static_cast<T>(hn::Lanes(d)) * step);
  Write(d, count, streams, to, one, [&](int64_t i) HWY_ATTR {
    return Chains(hn::Add(lanes, hn::Set(d, one(i))), by, [](auto sums) HWY_ATTR { return sums; });
  });
}
void Integers(uint64_t first, uint64_t step, int64_t count, bool streams, uint64_t* to) {
  Sums(first, step, count, streams, to);
}

// Whether all numbers, and the sums that lead to them, are whole ones that T has.
template <typename T>
bool AreWhole(double origin, double step, double place, double count) {
  const double most = std::ldexp(1.0, std::numeric_limits<T>::digits - 1);
  const double first = origin + place * step;
  const double extent = std::fabs(origin) + std::fabs(first) + std::fabs(count * step);
  return extent <= most && std::trunc(origin) == origin && std::trunc(step) == step;
}

template <typename T>
void Reals(double origin, double step, double place, int64_t count, bool streams, T* to) {
  if (AreWhole<T>(origin, step, place, static_cast<double>(count))) {
    return Sums(static_cast<T>(origin + place * step), static_cast<T>(step), count, streams, to);
  }
  const Doubles d;
  const auto first = hn::Set(d, origin), by = hn::Set(d, step);
  const auto lanes = hn::Set(d, static_cast<double>(hn::Lanes(d)));
  const auto numbers = [=](auto at) HWY_ATTR {
    const auto full = hn::Add(first, hn::Mul(at, by));
    if constexpr (sizeof(T) == sizeof(double)) {
      return full;
    } else {
      return aclimb::HWY_NAMESPACE::ToFloats(d, full);
    }
  };
  Write(
      hn::Rebind<T, Doubles>(), count, streams, to,
      [&](int64_t i) { return static_cast<T>(origin + (place + static_cast<double>(i)) * step); },
      [&](int64_t i) HWY_ATTR {
        // Positions are whole numbers.
        return Chains(hn::Iota(d, place + static_cast<double>(i)), lanes, numbers);
      });
}
void Floats(double origin, double step, double place, int64_t count, bool streams, float* to) {
  Reals(origin, step, place, count, streams, to);
}
void RealsInFull(double origin, double step, double place, int64_t count, bool streams,
                 double* to) {
  Reals(origin, step, place, count, streams, to);
}

}  // namespace HWY_NAMESPACE
}  // namespace aclimb::sequences
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclimb::sequences {

HWY_EXPORT(Floats);
HWY_EXPORT(RealsInFull);
HWY_EXPORT(Integers);

void WriteReals(double origin, double step, double place, int64_t count, bool streams, double* to) {
  HWY_DYNAMIC_DISPATCH(RealsInFull)(origin, step, place, count, streams, to);
}
void WriteReals(double origin, double step, double place, int64_t count, bool streams, float* to) {
  HWY_DYNAMIC_DISPATCH(Floats)(origin, step, place, count, streams, to);
}
void WriteIntegers(uint64_t first, uint64_t step, int64_t count, bool streams, uint64_t* to) {
  HWY_DYNAMIC_DISPATCH(Integers)(first, step, count, streams, to);
}

}  // namespace aclimb::sequences
#endif
