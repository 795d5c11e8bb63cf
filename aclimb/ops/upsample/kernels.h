#pragma once

#include <cstddef>
#include <cstdint>

#include "aclimb/ops/upsample/scales.h"

// Kernels on dense planes, one after the other. No result depends on the threads.
namespace aclimb::upsample {

// Where an element of the output lies along an axis: between `index` and the next one of the input,
// if there is a next one. Of the nearest the weight is 0.
struct Between {
  int32_t index;
  float weight;  // of the next one
};

// For both axes: places of the output's elements, and for each index of the input, and one more,
// the first element of the output that lies at it or behind it.
struct Tables {
  Between* rows;
  Between* columns;
  int32_t* first_of_row;
  int32_t* first_of_column;
};
int64_t TableBytes(const Axis& height, const Axis& width);
Tables MakeTables(const Axis& height, const Axis& width, bool linear, void* memory);

struct Args {
  int64_t planes = 1;
  Axis height, width;
  bool linear = false;
  Tables tables = {};
  const void* from = nullptr;
  void* to = nullptr;
  double* sums = nullptr;  // gradients: `slots` rows of the output
  int64_t slots = 1;
};
// Elements of 1, 2, 4 or 8 bytes. False when the run was cancelled, as below.
[[nodiscard]] bool Repeat(const Args& args, size_t element);
// float32.
[[nodiscard]] bool Interpolate(const Args& args);
// float32, of either: from the gradient of the output to that of the input.
[[nodiscard]] bool Gradient(const Args& args);

}  // namespace aclimb::upsample
