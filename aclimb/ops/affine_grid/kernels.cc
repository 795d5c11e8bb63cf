#include "aclimb/ops/affine_grid/kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "aclimb/ops/affine_grid/kernels.cc"
// A class holds vectors, which scalable vectors do not allow.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#include <hwy/foreach_target.h>
// foreach_target.h first: the rest is compiled once per instruction set.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace aclimb::affine_grid {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_NATIVE_FMA
using Floats = hn::ScalableTag<float>;

// Numbers of the axes in turn, as vectors.
template <int kAxes>
class InTurn {
 public:
  explicit HWY_INLINE InTurn(const float* of_axes) {
    for (size_t i = 0; i < hn::Lanes(d_) + kAxes; ++i) lanes_[i] = of_axes[i % kAxes];
  }
  // From an axis on.
  HWY_INLINE hn::Vec<Floats> From(int64_t axis) const { return hn::LoadU(d_, lanes_ + axis); }

 private:
  const Floats d_;
  float lanes_[HWY_MAX_BYTES / sizeof(float) + kAxes];
};
// Every vector begins with the first of two: without loads, rows of 64 places take two thirds of
// the time (AMD EPYC 7003).
template <>
class InTurn<2> {
 public:
  explicit HWY_INLINE InTurn(const float* of_axes)
      : lanes_(hn::OddEven(hn::Set(Floats(), of_axes[1]), hn::Set(Floats(), of_axes[0]))) {}
  HWY_INLINE hn::Vec<Floats> From(int64_t) const { return lanes_; }

 private:
  const hn::Vec<Floats> lanes_;
};
#endif

template <int kAxes>
void WriteOf(const Line& line, const float* across, int64_t count, bool streams, float* to) {
  int64_t i = 0;
#if HWY_NATIVE_FMA
  const Floats d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const InTurn<kAxes> step(line.step), rest(line.rest);
  for (int64_t axis = 0; i + lanes <= count; i += lanes) {
    const auto places = hn::MulAdd(step.From(axis), hn::LoadU(d, across + i), rest.From(axis));
    streams ? hn::Stream(places, d, to + i) : hn::StoreU(places, d, to + i);
    axis = (axis + lanes) % kAxes;
  }
  const hn::CappedTag<float, 1> one;
  for (; i < count; ++i) {
    const auto of_step = hn::Set(one, line.step[i % kAxes]);
    const auto of_rest = hn::Set(one, line.rest[i % kAxes]);
    hn::StoreU(hn::MulAdd(of_step, hn::LoadU(one, across + i), of_rest), one, to + i);
  }
#else
  // A product of doubles is exact, and not rounded to float32.
  (void)streams;
  for (; i < count; ++i) {
    to[i] = static_cast<float>(double{line.step[i % kAxes]} * across[i] + line.rest[i % kAxes]);
  }
#endif
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
