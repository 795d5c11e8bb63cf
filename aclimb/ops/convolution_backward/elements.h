#pragma once

#include <cstdint>

#include "aclimb/core/half.h"
#include "aclimb/core/tensor_view.h"

// Types of elements, and single elements of views for what no loop over vectors does.
namespace aclimb::convolution_backward {

// Calls body(an element of the dtype's type).
template <typename Body>
auto WithType(DType dtype, const Body& body) {
  switch (dtype) {
    case DType::kFloat16:
      return body(Float16());
    case DType::kBFloat16:
      return body(BFloat16());
    default:
      return body(float());
  }
}

inline float ReadElement(const TensorView& view, int64_t offset) {
  return WithType(view.dtype,
                  [&](auto type) { return ToFloat(view.As<decltype(type)>()[offset]); });
}

}  // namespace aclimb::convolution_backward
