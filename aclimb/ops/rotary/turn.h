#pragma once

#include <cstdint>

// What rotary position embedding makes of one row of float32.
namespace aclimb::rotary {

// Where the two elements of pair number `pair` are: in the input, and in the angles and the result.
struct Pair {
  int64_t from[2];
  int64_t to[2];
};
constexpr Pair PairAt(int64_t mode, int64_t width, int64_t pair) {
  const int64_t half = width / 2, quarter = width / 4;
  const int64_t neighbours[2] = {2 * pair, 2 * pair + 1};
  switch (mode) {
    case 0:
      return {{pair, pair + half}, {pair, pair + half}};
    case 1:
      return {{neighbours[0], neighbours[1]}, {neighbours[0], neighbours[1]}};
    case 2: {
      const int64_t first = pair / quarter * half + pair % quarter;
      return {{first, first + quarter}, {first, first + quarter}};
    }
    default:
      return {{neighbours[0], neighbours[1]}, {pair, pair + half}};
  }
}

// out = x * cos + turned(x) * sin. `out` is other memory than x.
void Turn(int64_t mode, int64_t width, const float* x, const float* cos, const float* sin,
          float* out);
// The gradient of x from that of out.
void TurnBack(int64_t mode, int64_t width, const float* grad, const float* cos, const float* sin,
              float* out);
// Adds a row's parts of the gradients of cos and sin.
void AddAngles(int64_t mode, int64_t width, const float* grad, const float* x, double* cos,
               double* sin);

}  // namespace aclimb::rotary
