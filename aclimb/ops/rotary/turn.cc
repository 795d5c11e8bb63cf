#include "aclimb/ops/rotary/turn.h"

namespace aclimb::rotary {
namespace {

// Calls body(pair) for all pairs, the mode known to the compiler.
template <int64_t kMode, typename Body>
void ForPairs(int64_t width, const Body& body) {
  for (int64_t pair = 0; pair < width / 2; ++pair) body(PairAt(kMode, width, pair));
}
template <typename Body>
void ForPairs(int64_t mode, int64_t width, const Body& body) {
  switch (mode) {
    case 0:
      return ForPairs<0>(width, body);
    case 1:
      return ForPairs<1>(width, body);
    case 2:
      return ForPairs<2>(width, body);
    default:
      return ForPairs<3>(width, body);
  }
}

}  // namespace

void Turn(int64_t mode, int64_t width, const float* __restrict x, const float* __restrict cos,
          const float* __restrict sin, float* __restrict out) {
  ForPairs(mode, width, [=](const Pair& at) {
    const float a = x[at.from[0]], b = x[at.from[1]];
    out[at.to[0]] = a * cos[at.to[0]] - b * sin[at.to[0]];
    out[at.to[1]] = b * cos[at.to[1]] + a * sin[at.to[1]];
  });
}

void TurnBack(int64_t mode, int64_t width, const float* __restrict grad,
              const float* __restrict cos, const float* __restrict sin, float* __restrict out) {
  ForPairs(mode, width, [=](const Pair& at) {
    const float a = grad[at.to[0]], b = grad[at.to[1]];
    out[at.from[0]] = a * cos[at.to[0]] + b * sin[at.to[1]];
    out[at.from[1]] = b * cos[at.to[1]] - a * sin[at.to[0]];
  });
}

void AddAngles(int64_t mode, int64_t width, const float* __restrict grad, const float* __restrict x,
               double* __restrict cos, double* __restrict sin) {
  ForPairs(mode, width, [=](const Pair& at) {
    const double a = static_cast<double>(x[at.from[0]]), b = static_cast<double>(x[at.from[1]]);
    const double first = static_cast<double>(grad[at.to[0]]);
    const double second = static_cast<double>(grad[at.to[1]]);
    cos[at.to[0]] += first * a;
    cos[at.to[1]] += second * b;
    sin[at.to[0]] -= first * b;
    sin[at.to[1]] += second * a;
  });
}

}  // namespace aclimb::rotary
