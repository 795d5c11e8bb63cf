#pragma once

#include <cstddef>
#include <cstdint>

#include "aclimb/ops/upsample/taps.h"
#include "aclimb/simd/slots.h"

// Kernels on dense images or volumes, one after the other. No result depends on the threads.
namespace aclimb::upsample {

inline constexpr int kAxes = 3;

struct Problem {
  int64_t count = 1;  // volumes
  int64_t inner = 1;  // elements that lie side by side: the channels, or one
  // Outermost first; an image has one layer, a line one row too.
  AxisShape axes[kAxes];

  int64_t SourceRow() const { return axes[2].source() * inner; }
  int64_t ResultRow() const { return axes[2].result() * inner; }
  int64_t SourceSize() const { return axes[0].source() * axes[1].source() * SourceRow(); }
  int64_t ResultRows() const { return axes[0].result() * axes[1].result(); }
};

struct Args {
  const void* from = nullptr;
  void* to = nullptr;
  void* tables = nullptr;  // TableBytes()
  SlotMemory scratch;      // of ScratchElements() each
};

// Elements of 1, 2, 4 or 8 bytes, each result one of them. False when the run was cancelled, as
// below.
[[nodiscard]] bool Repeat(const Problem& problem, size_t element, const Args& args);
// T is float or double.
template <typename T>
[[nodiscard]] bool Combine(const Problem& problem, const Args& args);

int64_t TableBytes(const Problem& problem);
int64_t ScratchElements(const Problem& problem);

}  // namespace aclimb::upsample
