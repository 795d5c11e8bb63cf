#pragma once

#include <cstddef>
#include <cstdint>

namespace aclimb::copy {

// How one operand of a walk lies in memory: its dimensions outermost first, strides in elements.
struct Axes {
  int rank;
  const int64_t* extent;
  const int64_t* stride;
};

// Where some elements of an operand are: from element `begin` of the axes' order on.
struct Place {
  char* at;  // element 0
  Axes axes;
  int64_t begin = 0;
  bool consecutive = false;  // from `at` on, whatever `begin` is
  bool repeats = false;      // places with this `at` begin alike, whatever `begin` is
};

// `count` elements, `stride` apart, the first at `at`. Both numbers have to live as long.
inline Place RowAt(char* at, const int64_t& stride, const int64_t& count) {
  return {
      .at = at, .axes = {1, &count, &stride}, .consecutive = stride == 1, .repeats = stride == 0};
}

// Elements of a place that is not consecutive to neighbours, and back. They have 1, 2, 4 or 8
// bytes; a stride of 0 repeats what it reads.
void Gather(size_t element, const Place& place, int64_t count, void* to);
void Scatter(size_t element, const void* from, int64_t count, const Place& place);

// `rows` rows of `count` elements, 1 or more, `stride` apart, to neighbours. The first elements of
// rows are so many elements apart there and here.
struct Steps {
  int64_t from, to;
};
void GatherRows(size_t element, const void* from, int64_t stride, int64_t count, int64_t rows,
                Steps step, void* to);

}  // namespace aclimb::copy
