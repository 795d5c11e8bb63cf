// Rows of a table, added up bag by bag. C++11.
#ifndef ACLNNOP_ACLNN_EMBEDDING_BAG_H_
#define ACLNNOP_ACLNN_EMBEDDING_BAG_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// Phase 1. Row b of output is the sum, the mean or the largest elements of the rows of weight that
// the indices of bag b name. Bag b has the indices from offsets[b] to before offsets[b + 1], the
// last one those to the end. Of `bags` offsets, or of one more if includeLastOffset is true.
//
//   weight             in   [R, D]; FLOAT or FLOAT16, on newer chips also BFLOAT16
//   indices            in   [B], integers from 0 to R - 1; for others the run fails (507015)
//   offsets            in   [bags] or [bags + 1], integers from 0 to B in ascending order
//   scaleGradByFreq    in   for the gradient; nothing here depends on it
//   mode               in   0 the sum, 1 the mean, anything else the largest
//   sparse             in   for the gradient; nothing here depends on it
//   perSampleWeights   in   null, or [B] in the dtype of weight, a factor of each row, for sums
//   includeLastOffset  in   whether the last of offsets is where the last bag ends
//   paddingIdx         in   an index of this value names no row; below 0 there is none
//   output             out  [bags, D] in the dtype of weight; zeros for a bag without rows
//   offset2bag         out  [B], the bag of each index, -1 of one before all bags or behind them;
//                           of a sum it may be [0], and then nothing is told
//   bagSize            out  [bags], how many rows each bag has
//   maxIndices         out  [bags, D] of the largest, the index of the row that each element is
//                           from, 0 of a bag without rows; else [bags], zeros
//   workspaceSize      out  bytes of device memory for phase 2
//   executor           out  for phase 2
//   returns  161001 a pointer other than perSampleWeights is null
//            161002 a dtype that is not listed, another shape, perSampleWeights of a mean or of the
//            largest
ACLNN_API aclnnStatus aclnnEmbeddingBagGetWorkspaceSize(
    const aclTensor* weight, const aclTensor* indices, const aclTensor* offsets,
    bool scaleGradByFreq, int64_t mode, bool sparse, const aclTensor* perSampleWeights,
    bool includeLastOffset, int64_t paddingIdx, aclTensor* output, aclTensor* offset2bag,
    aclTensor* bagSize, aclTensor* maxIndices, uint64_t* workspaceSize, aclOpExecutor** executor);

// Phase 2: queues the computation on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnEmbeddingBag(void* workspace, uint64_t workspaceSize,
                                        aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_EMBEDDING_BAG_H_
