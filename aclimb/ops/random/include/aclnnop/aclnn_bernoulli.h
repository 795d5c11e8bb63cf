// Ones and zeros by chance. C++11.
#ifndef ACLNNOP_ACLNN_BERNOULLI_H_
#define ACLNNOP_ACLNN_BERNOULLI_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// out = 1 with the probability prob, else 0. Equal seed and offset give equal numbers on every
// computer, in any view; they are not those of the NPU. Phase 1.
//
//   self           in   rank 0 to 8; its shape alone matters
//   prob           in   0 to 1
//   seed           in   chooses the numbers
//   offset         in   chooses others of the same seed
//   out            out  shape of self
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null; 161002 all else that breaks a rule (`aclimb ops`)
ACLNN_API aclnnStatus aclnnBernoulliGetWorkspaceSize(const aclTensor* self, const aclScalar* prob,
                                                     int64_t seed, int64_t offset, aclTensor* out,
                                                     uint64_t* workspaceSize,
                                                     aclOpExecutor** executor);

// Phase 2: queues the work on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnBernoulli(void* workspace, uint64_t workspaceSize,
                                     aclOpExecutor* executor, aclrtStream stream);

// selfRef = 1 with the probability prob, else 0, as by aclnnBernoulli. Phase 1.
//
//   selfRef        out  rank 0 to 8, strided; overwritten
//   prob           in   0 to 1
//   seed           in   chooses the numbers
//   offset         in   chooses others of the same seed
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null; 161002 all else that breaks a rule (`aclimb ops`)
ACLNN_API aclnnStatus aclnnInplaceBernoulliGetWorkspaceSize(const aclTensor* selfRef,
                                                            const aclScalar* prob, int64_t seed,
                                                            int64_t offset, uint64_t* workspaceSize,
                                                            aclOpExecutor** executor);

// Phase 2: queues the work on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnInplaceBernoulli(void* workspace, uint64_t workspaceSize,
                                            aclOpExecutor* executor, aclrtStream stream);

// out = 1 with the probability in prob, else 0. What is no probability counts as the nearest one,
// NaN as 0. Phase 1.
//
//   self           in   its shape alone matters
//   prob           in   FLOAT, FLOAT16, DOUBLE or BF16; broadcasts to self
//   seed           in   chooses the numbers
//   offset         in   chooses others of the same seed
//   out            out  shape of self, strided
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null; 161002 all else that breaks a rule (`aclimb ops`)
ACLNN_API aclnnStatus aclnnBernoulliTensorGetWorkspaceSize(const aclTensor* self,
                                                           const aclTensor* prob, int64_t seed,
                                                           int64_t offset, aclTensor* out,
                                                           uint64_t* workspaceSize,
                                                           aclOpExecutor** executor);

// Phase 2: queues the work on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnBernoulliTensor(void* workspace, uint64_t workspaceSize,
                                           aclOpExecutor* executor, aclrtStream stream);

// aclnnBernoulliTensor in place. Phase 1.
//
//   selfRef        out  rank 0 to 8, strided; overwritten
//   prob           in   FLOAT, FLOAT16, DOUBLE or BF16; broadcasts to selfRef
//   seed           in   chooses the numbers
//   offset         in   chooses others of the same seed
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null; 161002 all else that breaks a rule (`aclimb ops`)
ACLNN_API aclnnStatus aclnnInplaceBernoulliTensorGetWorkspaceSize(const aclTensor* selfRef,
                                                                  const aclTensor* prob,
                                                                  int64_t seed, int64_t offset,
                                                                  uint64_t* workspaceSize,
                                                                  aclOpExecutor** executor);

// Phase 2: queues the work on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnInplaceBernoulliTensor(void* workspace, uint64_t workspaceSize,
                                                  aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_BERNOULLI_H_
