#pragma once

#include <cstdint>
#include <limits>

#include "aclimb/core/dtype.h"
#include "aclimb/rows/layout.h"
#include "aclimb/simd/slots.h"

namespace aclimb::softmax {

// Of some elements of a row: their largest, and the sum of the exponentials of what they are above
// it; of a gradient, the sum that it subtracts.
struct Part {
  float max = -std::numeric_limits<float>::infinity();
  double sum = 0;
};

// One dense problem. The operands lie as the layout says; `out` may be an input.
struct Problem {
  bool logarithm = false;
  bool gradient = false;
  const void* self = nullptr;    // of a gradient, the gradient of the output
  const void* output = nullptr;  // the forward output, for a gradient
  void* out = nullptr;
  DType in_dtype = DType::kFloat32;   // of both inputs: a float, all of them DOUBLE or none
  DType out_dtype = DType::kFloat32;  // likewise
  rows::Layout layout;
  Part* parts = nullptr;         // PartCount() of them, or null
  SlotMemory exponentials = {};  // of ExponentialBytes() each; no data: they are computed twice
};

// How many parts the rows are to be cut into, so that the team has enough to do: 0 if they need not
// be. No result depends on it.
int64_t PartCount(const rows::Layout& layout, DType dtype);

// What a long row needs to compute its exponentials once: 0 if rows are short, or so long that no
// cache would hold it. No result depends on it.
int64_t ExponentialBytes(const Problem& problem);

// False when the run was cancelled.
[[nodiscard]] bool Solve(const Problem& problem);

// Rows side by side below this number are slower than rows one after the other.
inline constexpr int64_t kLeastInner = 16;

// Clock cycles that an element takes on one core, about.
double CyclesOf(const Problem& problem);

}  // namespace aclimb::softmax
