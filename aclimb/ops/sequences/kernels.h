#pragma once

#include <cstdint>

namespace aclimb::sequences {

// origin + (place + i) * step, in double; float32 is rounded once. Streams: around the caches.
void WriteReals(double origin, double step, double place, int64_t count, bool streams, double* to);
void WriteReals(double origin, double step, double place, int64_t count, bool streams, float* to);
// first + i * step; sums wrap.
void WriteIntegers(uint64_t first, uint64_t step, int64_t count, bool streams, uint64_t* to);

}  // namespace aclimb::sequences
