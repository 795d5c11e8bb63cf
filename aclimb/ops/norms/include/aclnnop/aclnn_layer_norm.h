// Normalization of rows, as torch.nn.functional.layer_norm. C++11.
#ifndef ACLNNOP_ACLNN_LAYER_NORM_H_
#define ACLNNOP_ACLNN_LAYER_NORM_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// Shifts and scales each row to mean 0 and variance 1, then by weight and bias. Phase 1.
//   input            in    [A..., normalizedShape...], strided
//   normalizedShape  in    the last dimensions, which make a row
//   weightOptional   in    [normalizedShape...], may be null: ones
//   biasOptional     in    [normalizedShape...], may be null: zeros
//   eps              in    is added to the variance
//   out              out   shape and dtype of input; may be input itself
//   meanOutOptional  out   [A..., 1...], mean of each row; may be null
//   rstdOutOptional  out   [A..., 1...], 1 / sqrt(variance + eps); may be null
//   workspaceSize  out  bytes of device memory for phase 2, executor out for phase 2
//   returns  161001 a required pointer is null; 161002 a dtype, a shape, a number, a rank above 8,
//            a blocked format
ACLNN_API aclnnStatus aclnnLayerNormGetWorkspaceSize(
    const aclTensor* input, const aclIntArray* normalizedShape, const aclTensor* weightOptional,
    const aclTensor* biasOptional, double eps, aclTensor* out, aclTensor* meanOutOptional,
    aclTensor* rstdOutOptional, uint64_t* workspaceSize, aclOpExecutor** executor);

// Phase 2: queues the computation on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnLayerNorm(void* workspace, uint64_t workspaceSize,
                                     aclOpExecutor* executor, aclrtStream stream);

// aclnnLayerNorm with a choice of its precision. Phase 1.
//   input            in    [A..., normalizedShape...], strided
//   normalizedShape  in    the last dimensions, which make a row
//   weightOptional   in    [normalizedShape...], may be null: ones
//   biasOptional     in    [normalizedShape...], may be null: zeros
//   eps              in    is added to the variance
//   out              out   shape and dtype of input; may be input itself
//   meanOutOptional  out   [A..., 1...], mean of each row; may be null
//   rstdOutOptional  out   [A..., 1...], 1 / sqrt(variance + eps); may be null
//   implMode         in    0 precise, 1 fast, 2 FLOAT16; the CPU backend is precise for all
//   workspaceSize  out  bytes of device memory for phase 2, executor out for phase 2
//   returns  161001 a required pointer is null; 161002 a dtype, a shape, a number, a rank above 8,
//            a blocked format
ACLNN_API aclnnStatus aclnnLayerNormWithImplModeGetWorkspaceSize(
    const aclTensor* input, const aclIntArray* normalizedShape, const aclTensor* weightOptional,
    const aclTensor* biasOptional, double eps, aclTensor* out, aclTensor* meanOutOptional,
    aclTensor* rstdOutOptional, int32_t implMode, uint64_t* workspaceSize,
    aclOpExecutor** executor);

// Phase 2: queues the computation on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnLayerNormWithImplMode(void* workspace, uint64_t workspaceSize,
                                                 aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_LAYER_NORM_H_
