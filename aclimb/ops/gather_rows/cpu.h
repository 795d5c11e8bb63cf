#pragma once

#include <cstdint>

#include "aclimb/core/tensor_view.h"
#include "aclimb/simd/slots.h"

namespace aclimb::gather_rows {

// out[..., k..., ...] = self[..., index[k...], ...]: the dimensions of out are those of self with
// `index_rank` ones, in which k... is, in the place of dimension `dim`.
struct Args {
  TensorView self;                 // strided, rank 1 or more, elements of 1, 2, 4 or 8 bytes
  TensorView out;                  // strided, not empty
  const int64_t* index = nullptr;  // one for each k..., in row-major order
  int dim = 0;
  int index_rank = 1;
  bool counts_from_end = false;  // -1 is the last slice
  SlotMemory blocks = {};        // of BlockBytes() each (blocks.h)
};

// Elements that a thread takes at once, where each is read on its own.
inline constexpr int64_t kPiece = 32768;

// Slices that self does not have are zeros; false when there are some.
[[nodiscard]] bool RunOnCpu(const Args& args);

}  // namespace aclimb::gather_rows
