#pragma once

#include "aclimb/core/dtype.h"
#include "aclimb/ops/convolution_backward/geometry.h"

namespace aclimb::convolution_backward {

// How a task is computed.
enum class Algorithm : uint8_t {
  kDirect,   // our own kernels (direct.h)
  kPatch,    // windows neither overlap nor leave gaps: a 1x1 convolution over a rearranged x
  kBlocked,  // oneDNN's direct kernels, in its blocked layouts
};

// The fastest algorithm that measurements found for this kind of problem; kBlocked falls back to
// kDirect where oneDNN has no vectorised implementation.
Algorithm ChooseAlgorithm(const Geometry& geometry, Task task, DType operand);

// Small enough for one thread without oneDNN, which costs more to start than to compute.
bool IsSmall(const Geometry& geometry);

// The rearranged geometry of kPatch: every element of a window is a channel.
Geometry PatchGeometry(const Geometry& geometry);

}  // namespace aclimb::convolution_backward
