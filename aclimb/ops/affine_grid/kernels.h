#pragma once

#include <cstdint>

namespace aclimb::affine_grid {

// What a row of places is: to[i] = step[i % axes] * across[i] + rest[i % axes], rounded once, or as
// a double before where there is no FMA. There are 2 or 3 axes. Streams: around the caches, where
// `to` is aligned to a cache line.
struct Line {
  int axes;
  float step[3], rest[3];
};
void WriteLine(const Line& line, const float* across, int64_t count, bool streams, float* to);

}  // namespace aclimb::affine_grid
