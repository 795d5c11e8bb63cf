// Gradient of an embedding table: rows of grad with the same index are summed. C++11.
#ifndef ACLNNOP_ACLNN_EMBEDDING_DENSE_BACKWARD_H_
#define ACLNNOP_ACLNN_EMBEDDING_DENSE_BACKWARD_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// Phase 1. Row k of out is the sum of the rows of grad whose index is k, divided by their number
// when scaleGradByFreq is true. The row paddingIdx, and rows that no index names, are zero.
//
//   grad             in   rank up to 8, strided, D = its last dimension; FLOAT, FLOAT16, on A2 and
//                         later chips BF16
//   indices          in   rank up to 8, strided, as many elements as grad has rows; FLOAT, FLOAT16,
//                         DOUBLE, INT32, INT64, INT16, INT8, UINT8 or BOOL. Indices outside
//                         [0, numWeights) are skipped
//   numWeights       in   rows of out, below 2^63
//   paddingIdx       in   read as a signed number; one outside [0, numWeights) blanks nothing
//   scaleGradByFreq  in   divide each row by the number of its contributions
//   out              out  [numWeights, D], strided, fully written; one of grad's dtypes, which may
//                         differ from grad's
//   workspaceSize    out  bytes of device memory for phase 2
//   executor         out  for phase 2
//   returns  161001 a pointer is null
//            161002 a dtype that is not listed, rank above 8, a blocked format, indices that do not
//                   match grad, an out that is not [numWeights, D], a chip without this operator
//                   (Ascend310P)
ACLNN_API aclnnStatus aclnnEmbeddingDenseBackwardGetWorkspaceSize(
    const aclTensor* grad, const aclTensor* indices, uint64_t numWeights, uint64_t paddingIdx,
    bool scaleGradByFreq, const aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor);

// Phase 2: queues the computation on the stream and consumes the executor.
//   returns  161001 null executor, or null workspace although phase 1 asked for one
//            161002 workspace smaller than phase 1 said, an address outside device memory, or
//                   an executor of another operator
//            361001 no context, or a stream of another one
//            561103 an executor that has already run
ACLNN_API aclnnStatus aclnnEmbeddingDenseBackward(void* workspace, uint64_t workspaceSize,
                                                  aclOpExecutor* executor,
                                                  const aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_EMBEDDING_DENSE_BACKWARD_H_
