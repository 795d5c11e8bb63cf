#pragma once

#include "aclimb/contract/arguments.h"
#include "aclimb/ops/convolution_backward/shared_rules.h"

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

inline constexpr Positions kAt = {
    kInput,         kWeight,   kStride,
    kPadding,       kDilation, kTransposed,
    kOutputPadding, kGroups,   {{kInput, "input"}, {kWeight, "weight"}, {kOutput, "output"}}};

Finding WrongChannels(const contract::Arguments& arguments);
Finding NothingToConvolve(const contract::Arguments& arguments);
Finding WrongBias(const contract::Arguments& arguments);
Finding WrongOutputShape(const contract::Arguments& arguments);

}  // namespace aclimb::convolution_backward::forward
