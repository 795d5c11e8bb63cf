// Gradients of a convolution, or transposed convolution, in one, two or three dimensions. C++11.
#ifndef ACLNNOP_ACLNN_CONVOLUTION_BACKWARD_H_
#define ACLNNOP_ACLNN_CONVOLUTION_BACKWARD_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// Phase 1. Shapes below are for two dimensions; one has only W, three have D before H. All tensors
// are channel-first (NCL, NCHW, NCDHW or ND) and may be strided. Dtypes: FLOAT, FLOAT16, on A2 and
// later chips BF16; the three inputs may mix them.
//
//   gradOutput     in   [N, Cout, outH, outW]
//   input          in   [N, Cin, H, W]
//   weight         in   [Cout, Cin / groups, kH, kW]; transposed: [Cin, Cout / groups, kH, kW]
//   biasSizes      in   [Cout]; may be null when gradBias is not wanted
//   stride         in   above 0; this and the next two: one number for each dimension, or one for
//                       all
//   padding        in   not negative; in two dimensions also top, bottom, left, right
//   dilation       in   above 0
//   transposed     in   true for the gradients of a transposed convolution
//   outputPadding  in   below stride when transposed, else 0
//   groups         in   above 0
//   outputMask     in   three flags: which of gradInput, gradWeight and gradBias to write
//   cubeMathType   in   0 keep the dtype, 1 allow less precision for FLOAT, 2 FLOAT16, 3 HF32. The
//                       CPU backend always computes FLOAT in float32
//   gradInput      out  shape and dtype of input; may be null when not wanted
//   gradWeight     out  shape and dtype of weight; may be null when not wanted
//   gradBias       out  [Cout], dtype of gradOutput; may be null when not wanted
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a required pointer is null, or outputMask does not have three entries
//            161002 a dtype, format, rank, shape or number outside what stands above
ACLNN_API aclnnStatus aclnnConvolutionBackwardGetWorkspaceSize(
    const aclTensor* gradOutput, const aclTensor* input, const aclTensor* weight,
    const aclIntArray* biasSizes, const aclIntArray* stride, const aclIntArray* padding,
    const aclIntArray* dilation, const bool transposed, const aclIntArray* outputPadding,
    const int groups, const aclBoolArray* outputMask, int8_t cubeMathType, aclTensor* gradInput,
    aclTensor* gradWeight, aclTensor* gradBias, uint64_t* workspaceSize, aclOpExecutor** executor);

// Phase 2: queues the computation on the stream and consumes the executor.
//   returns  161001 null executor, or null workspace although phase 1 asked for one
//            161002 workspace smaller than phase 1 said, an address outside device memory, or
//                   an executor of another operator
//            361001 no context, or a stream of another one
//            561103 an executor that has already run
ACLNN_API aclnnStatus aclnnConvolutionBackward(void* workspace, uint64_t workspaceSize,
                                               aclOpExecutor* executor, const aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_CONVOLUTION_BACKWARD_H_
