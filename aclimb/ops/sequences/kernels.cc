#include "aclimb/ops/sequences/kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "aclimb/ops/sequences/kernels.cc"
#include <hwy/foreach_target.h>
// foreach_target.h first: the rest is compiled once per instruction set.
#include <hwy/cache_control.h>

#include "aclimb/simd/float-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclimb::sequences {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Doubles = hn::ScalableTag<double>;
using Words = hn::ScalableTag<uint64_t>;

// Writes `lanes` numbers at a time: vector(i) are those from i on, one(i) is a single one.
template <class D, class One, class Vector>
HWY_INLINE void Write(D d, int64_t count, bool streams, hn::TFromD<D>* to, const One& one,
                      const Vector& vector) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const size_t bytes = hn::Lanes(d) * sizeof(*to);
  int64_t i = 0;
  for (; i < count && reinterpret_cast<uintptr_t>(to + i) % bytes != 0; ++i) to[i] = one(i);
  if (streams) {
    for (; i + lanes <= count; i += lanes) hn::Stream(vector(i), d, to + i);
    hwy::FlushStream();
  } else {
    for (; i + lanes <= count; i += lanes) hn::Store(vector(i), d, to + i);
  }
  for (; i < count; ++i) to[i] = one(i);
}

template <typename T>
void Reals(double origin, double step, double place, int64_t count, bool streams, T* to) {
  const Doubles d;
  const hn::Rebind<T, Doubles> d_to;
  const auto first = hn::Set(d, origin), by = hn::Set(d, step), lanes = hn::Iota(d, place);
  Write(
      d_to, count, streams, to,
      [&](int64_t i) { return static_cast<T>(origin + (place + static_cast<double>(i)) * step); },
      [&](int64_t i) HWY_ATTR {
        // Positions are whole numbers, whose sums are exact.
        const auto at = hn::Add(lanes, hn::Set(d, static_cast<double>(i)));
        const auto numbers = hn::Add(first, hn::Mul(at, by));
        if constexpr (sizeof(T) == sizeof(double)) {
          return numbers;
        } else {
          return aclimb::HWY_NAMESPACE::ToFloats(d, numbers);
        }
      });
}
void Floats(double origin, double step, double place, int64_t count, bool streams, float* to) {
  Reals(origin, step, place, count, streams, to);
}
void RealsInFull(double origin, double step, double place, int64_t count, bool streams,
                 double* to) {
  Reals(origin, step, place, count, streams, to);
}

void Integers(uint64_t first, uint64_t step, int64_t count, bool streams, uint64_t* to) {
  const Words d;
  HWY_ALIGN uint64_t steps[HWY_MAX_BYTES / sizeof(uint64_t)];
  for (size_t i = 0; i < hn::Lanes(d); ++i) steps[i] = i * step;
  const auto lanes = hn::Load(d, steps);
  const auto one = [&](int64_t i) { return first + static_cast<uint64_t>(i) * step; };
  Write(d, count, streams, to, one,
        [&](int64_t i) HWY_ATTR { return hn::Add(lanes, hn::Set(d, one(i))); });
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
