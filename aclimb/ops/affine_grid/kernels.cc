#include "aclimb/ops/affine_grid/kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "aclimb/ops/affine_grid/kernels.cc"
#include <hwy/foreach_target.h>
// foreach_target.h first: the rest is compiled once per instruction set.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace aclimb::affine_grid {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <int kAxes>
void WriteOf(const Line& line, const float* across, int64_t count, bool streams, float* to) {
  int64_t i = 0;
#if HWY_NATIVE_FMA
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  // Of three axes a vector begins with any.
  constexpr size_t kMost = HWY_MAX_BYTES / sizeof(float) + kAxes;
  float steps[kMost], rests[kMost];
  for (int64_t k = 0; k < lanes + kAxes; ++k) {
    steps[k] = line.step[k % kAxes];
    rests[k] = line.rest[k % kAxes];
  }
  for (int64_t axis = 0; i + lanes <= count; i += lanes) {
    const auto places = hn::MulAdd(hn::LoadU(d, steps + axis), hn::LoadU(d, across + i),
                                   hn::LoadU(d, rests + axis));
    streams ? hn::Stream(places, d, to + i) : hn::StoreU(places, d, to + i);
    axis = (axis + lanes) % kAxes;
  }
#else
  (void)streams;
#endif
  for (; i < count; ++i) {
    to[i] = static_cast<float>(double{line.step[i % kAxes]} * across[i] + line.rest[i % kAxes]);
  }
}

void Write(const Line& line, const float* across, int64_t count, bool streams, float* to) {
  const auto write = line.axes == 2 ? &WriteOf<2> : &WriteOf<3>;
  write(line, across, count, streams, to);
}

}  // namespace HWY_NAMESPACE
}  // namespace aclimb::affine_grid
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclimb::affine_grid {

HWY_EXPORT(Write);

void WriteLine(const Line& line, const float* across, int64_t count, bool streams, float* to) {
  HWY_DYNAMIC_DISPATCH(Write)(line, across, count, streams, to);
}

}  // namespace aclimb::affine_grid
#endif
