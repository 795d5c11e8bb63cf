#pragma once

#include <hwy/cache_control.h>

#include <algorithm>
#include <cstdint>

#include "aclimb/ops/indexing/entries.h"
#include "aclimb/ops/indexing/update.h"

// What Apply() sees of its lines.
namespace aclimb::indexing {

// Lines side by side that an entry is applied to at once.
inline constexpr int64_t kTogether = 512;

// Entries between the prefetch of an entry and its turn.
inline constexpr int64_t kAhead = 8;
// Lines side by side that are prefetched at most: the processor sees the rest coming.
inline constexpr int64_t kMostAhead = 128;

// Prefetches the cache lines of `n` elements that are `step` apart.
template <typename T>
void Prefetch(const T* first, int64_t n, int64_t step) {
  constexpr int64_t kLine = 64 / sizeof(T);
  const int64_t last = (n - 1) * step;
  for (int64_t i = 0; i < last; i += std::max(kLine, step)) hwy::Prefetch(first + i);
  hwy::Prefetch(first + last);  // which may be in another line yet
}

// What the entries of all lines have in common.
struct Entries {
  EntryPlaces places;
  EntrySources sources;
  int64_t count;
  bool shared;  // the indices, by all lines
  // Elements from a line to the next.
  int64_t out_inner, source_inner, index_inner;
};
inline Entries EntriesOf(const UpdateShape& shape, const UpdateData& data) {
  const auto& stride = shape.lines.stride;
  const int inner = shape.lines.rank - 1;
  return {.places = {data.index, shape.index_step, shape.extent, shape.out_step},
          .sources = {data.sources, shape.source_step},
          .count = shape.count,
          .shared = shape.SharesIndices(),
          .out_inner = stride[0][inner],
          .source_inner = stride[1][inner],
          .index_inner = stride[2][inner]};
}
// Lines side by side.
struct Run {
  void* out;
  const void* source;
  int64_t line;  // in the indices
  int64_t n;
};
// `size`: bytes of an element.
inline Run RunAt(const UpdateData& data, const int64_t (&at)[3], int64_t n, int64_t size) {
  return {static_cast<char*>(data.out) + at[0] * size,
          static_cast<const char*>(data.source) + at[1] * size, at[2], n};
}

}  // namespace aclimb::indexing
