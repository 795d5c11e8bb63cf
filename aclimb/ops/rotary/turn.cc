#include "aclimb/ops/rotary/turn.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "aclimb/ops/rotary/turn.cc"
#include <hwy/foreach_target.h>
// foreach_target.h first: highway.h is included once per target.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace aclimb::rotary {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Calls body(pair) for all pairs from one on, the mode known to the compiler.
template <int64_t kMode, typename Body>
void ForPairs(int64_t width, int64_t first, const Body& body) {
  for (int64_t pair = first; pair < width / 2; ++pair) body(PairAt(kMode, width, pair));
}
template <typename Body>
void ForPairs(int64_t mode, int64_t width, int64_t first, const Body& body) {
  switch (mode) {
    case 0:
      return ForPairs<0>(width, first, body);
    case kNeighbours:
      return ForPairs<kNeighbours>(width, first, body);
    case 2:
      return ForPairs<2>(width, first, body);
    default:
      return ForPairs<3>(width, first, body);
  }
}

// Vectors of neighbours, as many as a row has. Returns the first pair behind them.
template <bool kBack>
HWY_INLINE int64_t TurnNeighbours(int64_t width, const float* x, const float* cos, const float* sin,
                                  float* out) {
#if HWY_TARGET == HWY_SCALAR
  (void)width, (void)x, (void)cos, (void)sin, (void)out;
  return 0;
#else
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= width; i += lanes) {
    const auto own = hn::LoadU(d, x + i), s = hn::LoadU(d, sin + i);
    const auto straight = hn::Mul(own, hn::LoadU(d, cos + i));
    const auto across = kBack ? hn::Reverse2(d, hn::Mul(own, s)) : hn::Mul(hn::Reverse2(d, own), s);
    const auto sum = hn::Add(straight, across), difference = hn::Sub(straight, across);
    hn::StoreU(kBack ? hn::OddEven(difference, sum) : hn::OddEven(sum, difference), d, out + i);
  }
  return i / 2;
#endif
}

template <bool kBack>
void TurnRow(int64_t mode, int64_t width, const float* __restrict x, const float* __restrict cos,
             const float* __restrict sin, float* __restrict out) {
  const int64_t first = mode == kNeighbours ? TurnNeighbours<kBack>(width, x, cos, sin, out) : 0;
  ForPairs(mode, width, first, [=](const Pair& at) {
    if constexpr (kBack) {
      const float a = x[at.to[0]], b = x[at.to[1]];
      out[at.from[0]] = a * cos[at.to[0]] + b * sin[at.to[1]];
      out[at.from[1]] = b * cos[at.to[1]] - a * sin[at.to[0]];
    } else {
      const float a = x[at.from[0]], b = x[at.from[1]];
      out[at.to[0]] = a * cos[at.to[0]] - b * sin[at.to[0]];
      out[at.to[1]] = b * cos[at.to[1]] + a * sin[at.to[1]];
    }
  });
}

void TurnHere(const Rows& rows, float* out) {
  const auto turn = rows.back ? &TurnRow<true> : &TurnRow<false>;
  for (int64_t r = 0; r < rows.count; ++r) {
    const int64_t at = r * rows.width, angle = r * rows.angle_step;
    turn(rows.mode, rows.width, rows.x + at, rows.cos + angle, rows.sin + angle, out + at);
  }
}

void AddAnglesHere(int64_t mode, int64_t width, const float* __restrict grad,
                   const float* __restrict x, double* __restrict cos, double* __restrict sin) {
  ForPairs(mode, width, 0, [=](const Pair& at) {
    const double a = static_cast<double>(x[at.from[0]]), b = static_cast<double>(x[at.from[1]]);
    const double first = static_cast<double>(grad[at.to[0]]);
    const double second = static_cast<double>(grad[at.to[1]]);
    cos[at.to[0]] += first * a;
    cos[at.to[1]] += second * b;
    sin[at.to[0]] -= first * b;
    sin[at.to[1]] += second * a;
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace aclimb::rotary
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclimb::rotary {

HWY_EXPORT(TurnHere);
HWY_EXPORT(AddAnglesHere);

void Turn(const Rows& rows, float* out) { HWY_DYNAMIC_DISPATCH(TurnHere)(rows, out); }
void AddAngles(int64_t mode, int64_t width, const float* grad, const float* x, double* cos,
               double* sin) {
  HWY_DYNAMIC_DISPATCH(AddAnglesHere)(mode, width, grad, x, cos, sin);
}

}  // namespace aclimb::rotary
#endif
