#pragma once

#include <optional>

#include "aclimb/core/dtype.h"

// The dtype in which an element-wise operator computes, and what its result may be stored as. The
// rules cover the 16 dtypes of the documents; with any other, only equal pairs are
// allowed.
namespace aclimb::contract {

// The dtype in which two tensors meet; symmetric. Nothing when they have none: unsigned integers
// wider than 8 bits meet only themselves.
//   source  the promotion tables of the aclnn documents
std::optional<DType> PromoteTensors(DType a, DType b);

// The dtype in which a tensor meets a scalar. The tensor's decides unless the scalar is of a higher
// category (BOOL < integer < floating < complex); the scalar's own width hardly matters.
//   source  the promotion tables of the aclnn documents
std::optional<DType> PromoteTensorAndScalar(DType tensor, DType scalar);

// True when a result computed in `from` may be cast to an output of dtype `to`. COMPLEX32 takes
// and gives nothing but itself.
//   source  the promotion tables of the aclnn documents
bool ResultConverts(DType from, DType to);

}  // namespace aclimb::contract
