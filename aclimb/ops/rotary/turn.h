#pragma once

#include <cstdint>

// What rotary position embedding makes of rows of float32.
namespace aclimb::rotary {

// The mode whose pairs are neighbours, in the input and in the result.
inline constexpr int64_t kNeighbours = 1;

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
    case kNeighbours:
      return {{neighbours[0], neighbours[1]}, {neighbours[0], neighbours[1]}};
    case 2: {
      const int64_t first = pair / quarter * half + pair % quarter;
      return {{first, first + quarter}, {first, first + quarter}};
    }
    default:
      return {{neighbours[0], neighbours[1]}, {pair, pair + half}};
  }
}

// Rows that stand one behind the other.
struct Rows {
  int64_t mode;
  bool back;
  int64_t count, width;
  const float *x = nullptr, *cos, *sin;
  int64_t angle_step;  // elements from one row's angles to the next; 0 if all rows share them
};
// out = x * cos + turned(x) * sin, or back: the gradient of x from that of out, which is rows.x.
// `out` is other memory than all of these.
void Turn(const Rows& rows, float* out);
// Adds a row's parts of the gradients of cos and sin.
void AddAngles(int64_t mode, int64_t width, const float* grad, const float* x, double* cos,
               double* sin);

}  // namespace aclimb::rotary
