#pragma once

#include <cstdint>

#include "aclimb/core/tensor_view.h"
#include "aclimb/ops/convolution_backward/one_pass/depthwise.h"

// The vector code of depthwise.h, compiled once per instruction set.
namespace aclimb::convolution_backward {

// The most elements of float32 that a vector may have.
inline constexpr int64_t kMostDepthwiseLanes = 16;

// The window of a channel, of a weight or its gradient in any dtype and with any strides.
void LoadWindow(const TensorView& weight, int64_t channel, float* to);
void StoreWindow(const double* sums, const TensorView& weight, int64_t channel);

// A line that is packed may overshoot its end by so many elements, and sums read as far.
inline constexpr int64_t kDepthwiseSlack = 64;

// Of a block, where vectors run across channels.
inline constexpr int64_t kDepthwiseChannels = 16;

// One unit: a few channels of a chunk of images.
//   chunk_sums  [chunks][channels][window], where there are several chunks
//   slot        plan.slot_bytes of scratch
void DepthwiseUnit(const Depthwise& plan, int64_t unit, const DepthwiseTensors& tensors,
                   double* chunk_sums, void* slot);
// The same for plans by channels.
void DepthwiseChannels(const Depthwise& plan, int64_t unit, const DepthwiseTensors& tensors,
                       double* chunk_sums, void* slot);

}  // namespace aclimb::convolution_backward
