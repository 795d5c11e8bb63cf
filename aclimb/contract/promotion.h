#pragma once

#include <optional>

#include "aclimb/core/dtype.h"

// The dtype in which an element-wise operator computes, and what its result may be stored as. The
// rules cover the 16 dtypes of spec/aclnn_base.md 6.1; with any other, only equal pairs are
// allowed.
namespace aclimb::contract {

// The dtype in which two tensors meet; symmetric. Nothing when they have none: unsigned integers
// wider than 8 bits meet only themselves.
//   source  spec/aclnn_base.md 6.1
std::optional<DType> PromoteTensors(DType a, DType b);

// The dtype in which a tensor meets a scalar. The tensor's decides unless the scalar is of a higher
// category (BOOL < integer < floating < complex); the scalar's own width hardly matters.
//   source  spec/aclnn_base.md 6.2
std::optional<DType> PromoteTensorAndScalar(DType tensor, DType scalar);

// True when a result computed in `from` may be cast to an output of dtype `to`. COMPLEX32 takes
// and gives nothing but itself.
//   source  spec/aclnn_base.md 6.3
bool ResultConverts(DType from, DType to);

}  // namespace aclimb::contract
