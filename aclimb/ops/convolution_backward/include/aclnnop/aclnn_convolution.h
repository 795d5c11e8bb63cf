// Convolution, the forward partner of aclnnConvolutionBackward. C++11.
#ifndef ACLNNOP_ACLNN_CONVOLUTION_H_
#define ACLNNOP_ACLNN_CONVOLUTION_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// Phase 1. output = conv(input, weight) + bias in one, two or three dimensions, or the transposed
// convolution; computed in float32 and rounded once.
//   input          in   [N, Cin, L], [N, Cin, H, W] or [N, Cin, D, H, W], strided; FLOAT, FLOAT16,
//                       on A2 and later chips BF16
//   weight         in   [Cout, Cin / groups, kernel...]; transposed: [Cin, Cout / groups,
//                       kernel...]
//   bias           in   [Cout], or null
//   stride         in   at least 1; one entry per dimension, or one for all
//   padding        in   at least 0; one entry per dimension, or one for all, or in two dimensions
//                       top, bottom, left, right
//   dilation       in   at least 1; one entry per dimension, or one for all
//   transposed     in   true: a transposed convolution
//   outputPadding  in   in [0, stride) when transposed, else 0
//   groups         in   at least 1; divides weight.shape[0]
//   output         out  [N, Cout, sizes], strided; without transposed floor((in + pads - dilation *
//                       (kernel - 1) - 1) / stride) + 1, with it (in - 1) * stride - pads +
//                       dilation * (kernel - 1) + outputPadding + 1
//   cubeMathType   in   0 to 3; the dtype is kept whatever it allows
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer other than bias is null
//            161002 a dtype that is not listed, ranks, shapes or attributes that do not fit
ACLNN_API aclnnStatus aclnnConvolutionGetWorkspaceSize(
    const aclTensor* input, const aclTensor* weight, const aclTensor* bias,
    const aclIntArray* stride, const aclIntArray* padding, const aclIntArray* dilation,
    bool transposed, const aclIntArray* outputPadding, const int64_t groups, aclTensor* output,
    int8_t cubeMathType, uint64_t* workspaceSize, aclOpExecutor** executor);

// Phase 2: queues the computation on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnConvolution(void* workspace, const uint64_t workspaceSize,
                                       aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_CONVOLUTION_H_
