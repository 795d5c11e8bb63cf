#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "aclimb/contract/arguments.h"
#include "aclimb/core/text.h"

namespace aclimb::contract {

// Stands for an extent that overflows in a shape that is expected: no tensor has it.
inline constexpr int64_t kOverflows = std::numeric_limits<int64_t>::min();

// The product of two extents, or kOverflows.
inline int64_t ExtentTimes(int64_t a, int64_t b) {
  int64_t product;
  const bool overflows =
      a == kOverflows || b == kOverflows || __builtin_mul_overflow(a, b, &product);
  return overflows ? kOverflows : product;
}

inline std::string ExtentText(int64_t extent) {
  return extent == kOverflows ? std::string("fewer than 2^63 elements in all") : Cat(extent);
}

// For predicates of rules: what is wrong with a tensor that has to have this shape.
//   reason  what the shape follows from: "self.shape [2, 3] and dims [1, 0]"
inline std::optional<std::string> OtherShape(const char* name, const TensorDescriptor& tensor,
                                             const std::vector<int64_t>& expected,
                                             const std::string& reason) {
  if (tensor.shape == expected) return std::nullopt;
  const std::string told =
      Cat(name, ".shape is ", aclimb::ShapeText(tensor.shape.data(), tensor.shape.size()));
  const auto too_long = std::ranges::find(expected, kOverflows);
  if (too_long != expected.end()) {
    return Cat(told, "; expected at most 2^63 - 1 elements along a dimension, but ", reason,
               " give more along dimension ", too_long - expected.begin(), ".");
  }
  return Cat(told, "; expected ", aclimb::ShapeText(expected.data(), expected.size()), " from ",
             reason, ".");
}

// "[2, 3]"
inline std::string ShapeText(const TensorDescriptor& tensor) {
  return aclimb::ShapeText(tensor.shape.data(), tensor.shape.size());
}
inline std::string IntsText(const IntArrayValue& values) {
  return aclimb::ShapeText(values.data(), values.size());
}

}  // namespace aclimb::contract
