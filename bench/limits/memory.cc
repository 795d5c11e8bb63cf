#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bench/limits/memory.cc"
#include <hwy/foreach_target.h>
// foreach_target.h first: the rest is compiled once per instruction set.
#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include "bench/limits/kernels.h"

HWY_BEFORE_NAMESPACE();
namespace aclimb::bench {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Calls step(i) for every vector; the empty statement keeps a compiler from making it a memset.
template <class Step>
HWY_INLINE void EachVector(int64_t count, int64_t lanes, const Step& step) {
  for (int64_t i = 0; i < count; i += 4 * lanes) {
    step(i);
    step(i + lanes);
    step(i + 2 * lanes);
    step(i + 3 * lanes);
    asm volatile("" ::: "memory");
  }
}

// Four parts at once, which memory sends faster than one (a third on AMD EPYC 7003).
float Sum(const float* a, int64_t count) {
  const hn::ScalableTag<float> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d)), part = count / 4;
  auto s0 = hn::Zero(d), s1 = hn::Zero(d), s2 = hn::Zero(d), s3 = hn::Zero(d);
  for (int64_t i = 0; i < part; i += lanes) {
    s0 = hn::Add(s0, hn::Load(d, a + i));
    s1 = hn::Add(s1, hn::Load(d, a + part + i));
    s2 = hn::Add(s2, hn::Load(d, a + 2 * part + i));
    s3 = hn::Add(s3, hn::Load(d, a + 3 * part + i));
  }
  return hn::GetLane(hn::Add(hn::Add(s0, s1), hn::Add(s2, s3)));
}

void PassHere(Access access, float* out, const float* a, const float* b, int64_t count) {
  const hn::ScalableTag<float> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto three = hn::Set(d, 3.0f);
  const auto triad = [&](int64_t i) HWY_ATTR {
    return hn::MulAdd(three, hn::Load(d, b + i), hn::Load(d, a + i));
  };
  switch (access) {
    case Access::kRead:
      KeepResult(Sum(a, count));
      break;
    case Access::kWrite:
      EachVector(count, lanes, [&](int64_t i) HWY_ATTR { hn::Store(three, d, out + i); });
      break;
    case Access::kWriteNt:
      EachVector(count, lanes, [&](int64_t i) HWY_ATTR { hn::Stream(three, d, out + i); });
      break;
    case Access::kCopy:
      EachVector(count, lanes,
                 [&](int64_t i) HWY_ATTR { hn::Store(hn::Load(d, a + i), d, out + i); });
      break;
    case Access::kCopyNt:
      EachVector(count, lanes,
                 [&](int64_t i) HWY_ATTR { hn::Stream(hn::Load(d, a + i), d, out + i); });
      break;
    case Access::kTriad:
      EachVector(count, lanes, [&](int64_t i) HWY_ATTR { hn::Store(triad(i), d, out + i); });
      break;
    case Access::kTriadNt:
      EachVector(count, lanes, [&](int64_t i) HWY_ATTR { hn::Stream(triad(i), d, out + i); });
      break;
    case Access::kZeroNt: {
      const auto zero = hn::Zero(d);
      EachVector(count, lanes, [&](int64_t i) HWY_ATTR { hn::Stream(zero, d, out + i); });
      break;
    }
  }
  hwy::FlushStream();
}

}  // namespace HWY_NAMESPACE
}  // namespace aclimb::bench
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclimb::bench {

HWY_EXPORT(PassHere);
void Pass(Access access, float* out, const float* a, const float* b, int64_t count) {
  HWY_DYNAMIC_DISPATCH(PassHere)(access, out, a, b, count);
}

}  // namespace aclimb::bench
#endif  // HWY_ONCE
