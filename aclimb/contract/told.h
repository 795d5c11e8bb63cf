#pragma once

#include <string>
#include <string_view>

#include "aclimb/core/descriptor.h"

// How refusals tell of a tensor that does not go together with another: with shape and dtype, what
// is wrong first.
namespace aclimb::contract {

// "self.shape is [2, 3] (FLOAT)"
std::string ShapeTold(std::string_view name, const TensorDescriptor& tensor);
// "self.dtype is FLOAT (shape [2, 3])"
std::string DTypeTold(std::string_view name, const TensorDescriptor& tensor);

}  // namespace aclimb::contract
