#pragma once

#include <cstdint>

#include "aclimb/core/dtype.h"
#include "hccl/hccl_types.h"

namespace aclimb::collectives {

// Bytes of one element; 0 for a number that is no HcclDataType.
uint32_t SizeOf(HcclDataType type);
// "FP32" for HCCL_DATA_TYPE_FP32; "?" for a number that is none.
const char* NameOf(HcclDataType type);
// The same elements as tensors have them; kUndefined where tensors have no such type.
DType TensorType(HcclDataType type);
// Types that are added, multiplied and compared. The types of 8 bits with an exponent are moved
// only.
bool IsReducible(HcclDataType type);
// Types whose elements are reduced in float32 and rounded once.
bool IsHalf(HcclDataType type);

// "SUM"; "?" for a number that is no HcclReduceOp.
const char* NameOf(HcclReduceOp op);
bool IsKnown(HcclReduceOp op);

}  // namespace aclimb::collectives
