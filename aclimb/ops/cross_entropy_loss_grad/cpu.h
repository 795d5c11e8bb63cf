#pragma once

#include <cstdint>

#include "aclimb/core/tensor_view.h"

namespace aclimb::cross_entropy_loss_grad {

enum class Reduction : uint8_t { kNone, kMean, kSum };

// Everything the kernel needs; addresses are the kernel's. A view that was not given has dtype
// kUndefined. log_prob, x_grad, grad_loss and the z-loss views share one dtype: FLOAT, FLOAT16 or
// BFLOAT16. Inputs may have stride 0; x_grad may be log_prob itself, and must not overlap
// otherwise.
struct Args {
  TensorView grad_loss = {};      // [N] for kNone, else one element
  TensorView log_prob = {};       // [N, C]
  TensorView target = {};         // [N] INT64 or INT32
  TensorView weight = {};         // [C] FLOAT, optional
  TensorView grad_zloss = {};     // as grad_loss, optional; read only when lse_square_scale != 0
  TensorView lse_for_zloss = {};  // [N]; given when lse_square_scale != 0
  TensorView x_grad = {};         // [N, C]
  Reduction reduction = Reduction::kMean;
  int64_t ignore_index = -100;
  double label_smoothing = 0;
  double lse_square_scale = 0;
  // Bytes of x_grad above which stores go around the caches; negative: CacheShareBytes().
  int64_t stream_above = -1;
};

// Gradient of the cross-entropy loss with respect to the logits, spec section 3, in one pass over
// log_prob. Rows whose target is ignore_index or no class are zero. Needs no scratch memory.
// x_grad is written completely. Opens a thread team only for work of 64 KiB and more.
void RunOnCpu(const Args& args);

}  // namespace aclimb::cross_entropy_loss_grad
