#pragma once

#include <cstdint>

#include "aclimb/core/tensor_view.h"

namespace aclimb::cross_entropy_loss {

enum class Reduction : uint8_t { kNone, kMean, kSum };

// Everything the kernel needs; addresses are the kernel's. A view that was not given has dtype
// kUndefined. input, log_prob, loss, zloss and lse share one dtype: FLOAT, FLOAT16 or BFLOAT16.
struct Args {
  TensorView input = {};     // [N, C], C > 0
  TensorView target = {};    // [N] INT64 or INT32
  TensorView weight = {};    // [C] FLOAT, optional
  TensorView log_prob = {};  // [N, C]; may be input itself
  TensorView loss = {};      // [N] for kNone, else one element
  TensorView zloss = {};     // as loss, optional
  TensorView lse = {};       // [N], optional
  Reduction reduction = Reduction::kMean;
  int64_t ignore_index = -100;
  double label_smoothing = 0;
  double lse_square_scale = 0;
};

// Rows whose target is ignore_index or no class have no loss; their log-softmax is written all the
// same. False when there are some of the latter. Sums over rows are made in double and in blocks
// that depend on N alone. Needs no scratch memory.
[[nodiscard]] bool RunOnCpu(const Args& args);

}  // namespace aclimb::cross_entropy_loss
