#pragma once

#include <cstdint>

#include "aclimb/core/tensor_view.h"
#include "aclimb/ops/roi_align_v2_backward/axis.h"
#include "aclimb/ops/roi_align_v2_backward/partition.h"

namespace aclimb::roi_align_v2_backward {

struct Args {
  TensorView grad_output;  // [K, C, pooled_height, pooled_width] float32, strided
  TensorView boxes;        // [K, 5] float32, strided: image, x1, y1, x2, y2
  TensorView grad_input;   // [B, C, H, W] float32, strided, fully written
  Sampling sampling;
  Partition partition;      // MakePartition of these shapes, for any number of threads
  void* scratch = nullptr;  // partition.scratch_bytes
};

// The shapes of the tensors, as MakePartition wants them.
Problem ProblemOf(const TensorView& grad_output, const TensorView& grad_input);

// What a run takes on one core, about.
double CyclesOf(const Problem& problem);

// Gradient of RoIAlign with respect to the feature map. Bilinear weights are products of a vertical
// and a horizontal part, so each region is two small sparse matrices that all channels share, and
// the number of samples does not matter to the channels' cost.
// Each pixel adds its regions in their order: the same bits on any number of threads.
//   source  He et al., Mask R-CNN, 2017, section 3; the operator's document
void RunOnCpu(const Args& args);

}  // namespace aclimb::roi_align_v2_backward
