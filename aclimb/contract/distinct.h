#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "aclimb/contract/contract.h"
#include "aclimb/contract/expected_shape.h"
#include "aclimb/core/text.h"

// What the contracts of operators that find the different parts of a tensor share.
namespace aclimb::contract {

inline constexpr Parameter kSortedParameter =
    Attribute("sorted", Kind::kBool, "whether valueOut has to be in order, which it always is");
inline constexpr Parameter kReturnInverseParameter =
    Attribute("returnInverse", Kind::kBool, "whether inverseOut is written");
inline constexpr Parameter kReturnCountsParameter =
    Attribute("returnCounts", Kind::kBool, "whether countsOut is written");

// Says what is wrong with the shape of an output. Where its flag is false it may have any shape.
//   kFlag   the position of the flag, or -1 for an output that is always written
//   reason  what the shape follows from beside the shape of self, which is parameter 0
template <int kOutput, int kFlag>
std::optional<std::string> OtherShapeIfAsked(const char* name, const Arguments& arguments,
                                             const std::vector<int64_t>& expected,
                                             std::string_view reason) {
  if constexpr (kFlag >= 0) {
    if (!arguments.Bool(kFlag)) return std::nullopt;
  }
  return OtherShape(name, arguments.Tensor(kOutput), expected,
                    Cat("self.shape ", ShapeText(arguments.Tensor(0)), reason));
}

}  // namespace aclimb::contract
