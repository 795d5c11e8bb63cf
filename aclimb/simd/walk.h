#pragma once

#include <algorithm>
#include <cstdint>

#include "aclimb/core/tensor_view.h"

namespace aclimb {

// Whether a stride steps over all of the dimension within. Strides of a tensor without elements, or
// of a call that is only planned, are whatever the program says.
inline bool Spans(int64_t outer, int64_t inner, int64_t extent) {
  int64_t span = 0;
  return !__builtin_mul_overflow(inner, extent, &span) && outer == span;
}

// A joint walk over N equally shaped views: dimensions sorted by the last operand's strides (the
// output, so that writes stream) and merged where every operand allows it. Equally permuted tensors
// thus become one contiguous run.
template <int N>
struct Walk {
  int rank = 0;                      // at least 1 after Make, unless the views are empty
  int64_t extent[kMaxRank] = {};     // outermost first
  int64_t stride[N][kMaxRank] = {};  // in elements
  int64_t count = 0;

  static Walk Make(const TensorView* const (&views)[N]) {
    Walk walk;
    walk.count = views[0]->ElementCount();
    int order[kMaxRank];
    int dims = 0;
    for (int d = 0; d < views[0]->rank; ++d) {
      if (views[0]->shape[d] != 1) order[dims++] = d;
    }
    // Insertion keeps equal strides in their order; std::stable_sort would take heap memory.
    const int64_t* const key = views[N - 1]->stride;
    for (int k = 1; k < dims; ++k) {
      const int d = order[k];
      int at = k;
      for (; at > 0 && key[order[at - 1]] < key[d]; --at) order[at] = order[at - 1];
      order[at] = d;
    }
    for (int k = 0; k < dims; ++k) {
      const int d = order[k];
      const int64_t extent = views[0]->shape[d];
      bool merges = walk.rank > 0;
      for (int n = 0; n < N && merges; ++n) {
        merges = Spans(walk.stride[n][walk.rank - 1], views[n]->stride[d], extent);
      }
      const int at = merges ? walk.rank - 1 : walk.rank++;
      walk.extent[at] = merges ? walk.extent[at] * extent : extent;
      for (int n = 0; n < N; ++n) walk.stride[n][at] = views[n]->stride[d];
    }
    if (walk.rank == 0) {
      walk.rank = 1;
      walk.extent[0] = 1;
      for (int n = 0; n < N; ++n) walk.stride[n][0] = 1;
    }
    return walk;
  }

  // Every operand advances by one element along the innermost dimension.
  bool InnerIsContiguous() const {
    for (int n = 0; n < N; ++n) {
      if (stride[n][rank - 1] != 1) return false;
    }
    return true;
  }

  // How many different elements of operand n there are: a broadcast dimension counts once.
  int64_t Elements(int n) const {
    int64_t elements = 1;
    for (int d = 0; d < rank; ++d) elements *= stride[n][d] == 0 ? 1 : extent[d];
    return elements;
  }

  // Operand n lies in memory in the walk's own order, without gaps.
  bool IsDense(int n) const {
    int64_t expected = 1;
    for (int d = rank - 1; d >= 0; --d) {
      if (stride[n][d] != expected) return false;
      expected *= extent[d];
    }
    return true;
  }

  // Calls body(offsets, length) for each innermost run of the elements [begin, end) of the walk's
  // own order; offsets[n] is the element offset of the run's first element in operand n.
  template <typename F>
  void Visit(int64_t begin, int64_t end, F&& body) const {
    if (rank == 1) {
      int64_t offset[N];
      for (int n = 0; n < N; ++n) offset[n] = begin * stride[n][0];
      if (begin < end) body(offset, end - begin);
      return;
    }
    int64_t index[kMaxRank] = {};
    int64_t rest = begin;
    for (int d = rank - 1; d >= 0 && rest > 0; --d) {
      index[d] = rest % extent[d];
      rest /= extent[d];
    }
    while (begin < end) {
      int64_t offset[N];
      for (int n = 0; n < N; ++n) {
        offset[n] = 0;
        for (int d = 0; d < rank; ++d) offset[n] += index[d] * stride[n][d];
      }
      const int64_t length = std::min(end - begin, extent[rank - 1] - index[rank - 1]);
      body(offset, length);
      begin += length;
      index[rank - 1] += length;
      for (int d = rank - 1; d > 0 && index[d] == extent[d]; --d) {
        index[d] = 0;
        ++index[d - 1];
      }
    }
  }
};

}  // namespace aclimb
