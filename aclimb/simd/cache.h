#pragma once

#include <cstdint>

namespace aclimb {

// Bytes of the last-level cache that this processor's cores share; 32 MiB when the system does not
// say.
int64_t LastLevelCacheBytes();

// What of it this process can count on: up to 32 MiB for each of its cores. Servers share hundreds
// of megabytes among a hundred cores, and a virtual machine of two sees them whole. Where what is
// read and written is more, outputs gain from non-temporal stores: regular ones would read every
// line first. The cores are those of the first call.
int64_t CacheShareBytes();

// Whether fills and copies write such outputs sooner by regular stores whose lines are prefetched
// kBytesAhead: with one thread in 0.7 of the time on the first processors with AVX-512, from
// Skylake to Cooper Lake. Loops that compute gain nothing by it.
bool PrefetchesOutputs();
constexpr int64_t kBytesAhead = 2048;

}  // namespace aclimb
