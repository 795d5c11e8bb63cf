#pragma once

#include <cstdint>

#include "aclimb/core/tensor_view.h"
#include "aclimb/ops/embedding_dense_backward/cpu.h"

namespace aclimb::embedding_dense_backward {

// Whether rows of grad are added to the table as their indices come, without a sort: where few
// columns make the sort dearer than the sums, and the sums stay in the second or third cache. Only
// shapes decide, so that equal problems have equal bits.
bool SumsDirectly(const TensorView& indices, const TensorView& out);

// The sums in double, one set of them for each slice of the positions, and in float32.
int64_t DirectSumScratchBytes(const TensorView& indices, const TensorView& out);

// What RunOnCpu does, for problems that are summed directly. Sums of negative zeros are 0.
void SumDirectly(const Args& args);

}  // namespace aclimb::embedding_dense_backward
