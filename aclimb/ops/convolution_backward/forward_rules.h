#pragma once

#include <optional>
#include <string>
#include <vector>

#include "aclimb/contract/arguments.h"
#include "aclimb/ops/convolution_backward/geometry.h"

// Of aclnnConvolution, as rules.h of the gradient.
namespace aclimb::convolution_backward::forward {

// Parameter positions, in the order of the C function.
enum : int {
  kInput,
  kWeight,
  kBias,
  kStride,
  kPadding,
  kDilation,
  kTransposed,
  kOutputPadding,
  kGroups,
  kOutput,
  kCubeMathType
};

// The attributes of a call whose lengths are right.
Attributes AttributesOf(const contract::Arguments& arguments);

using Finding = std::optional<std::string>;

Finding FormatOfAnotherRank(const contract::Arguments& arguments);
Finding ThreeDimensionsOnOldChip(const contract::Arguments& arguments);
Finding WrongLength(const contract::Arguments& arguments);
Finding WrongOutputPadding(const contract::Arguments& arguments);
Finding GroupsDoNotDivide(const contract::Arguments& arguments);
Finding WrongChannels(const contract::Arguments& arguments);
Finding WrongBias(const contract::Arguments& arguments);
Finding WrongOutputShape(const contract::Arguments& arguments);

}  // namespace aclimb::convolution_backward::forward
