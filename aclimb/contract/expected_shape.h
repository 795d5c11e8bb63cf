#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "aclimb/contract/arguments.h"
#include "aclimb/core/text.h"

namespace aclimb::contract {

// For predicates of rules: what is wrong with a tensor that has to have this shape.
//   reason  what the shape follows from: "self.shape [2, 3] and dims [1, 0]"
inline std::optional<std::string> OtherShape(const char* name, const TensorDescriptor& tensor,
                                             const std::vector<int64_t>& expected,
                                             const std::string& reason) {
  if (tensor.shape == expected) return std::nullopt;
  return Cat(name, ".shape is ", aclimb::ShapeText(tensor.shape.data(), tensor.shape.size()),
             "; expected ", aclimb::ShapeText(expected.data(), expected.size()), " from ", reason,
             ".");
}

// "[2, 3]"
inline std::string ShapeText(const TensorDescriptor& tensor) {
  return aclimb::ShapeText(tensor.shape.data(), tensor.shape.size());
}
inline std::string IntsText(const IntArrayValue& values) {
  return aclimb::ShapeText(values.data(), values.size());
}

}  // namespace aclimb::contract
