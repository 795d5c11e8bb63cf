#pragma once

#include <optional>
#include <string>

#include "aclimb/contract/arguments.h"
#include "aclimb/ops/convolution_backward/geometry.h"
#include "aclimb/ops/convolution_backward/shared_rules.h"

namespace aclimb::convolution_backward {

// Parameter positions, in the order of the C function.
enum : int {
  kGradOutput,
  kInput,
  kWeight,
  kBiasSizes,
  kStride,
  kPadding,
  kDilation,
  kTransposed,
  kOutputPadding,
  kGroups,
  kOutputMask,
  kCubeMathType,
  kGradInput,
  kGradWeight,
  kGradBias
};

inline constexpr Positions kAt = {kInput,
                                  kWeight,
                                  kStride,
                                  kPadding,
                                  kDilation,
                                  kTransposed,
                                  kOutputPadding,
                                  kGroups,
                                  {{kGradOutput, "gradOutput"},
                                   {kInput, "input"},
                                   {kWeight, "weight"},
                                   {kGradInput, "gradInput"},
                                   {kGradWeight, "gradWeight"}}};

// The case in which the gradients of weight and bias are zeros: nothing was convolved.
bool IsEmptyCase(const contract::Arguments& arguments);

// The predicates of contract.h, named for what they find. Each answers with the sentence of the
// refusal, or nothing. They run in the order of the table and rely on the ones before.
Finding WantedBiasSizesMissing(const contract::Arguments& arguments);
Finding CubeMathTypeOfAnotherProduct(const contract::Arguments& arguments);
Finding EmptyOnOldChip(const contract::Arguments& arguments);
Finding WrongBiasSizesWhenEmpty(const contract::Arguments& arguments);
Finding EmptyWithGradInput(const contract::Arguments& arguments);
Finding EmptyGradOutput(const contract::Arguments& arguments);
Finding WrongBiasShape(const contract::Arguments& arguments);
Finding WrongChannels(const contract::Arguments& arguments);
Finding DifferentBatches(const contract::Arguments& arguments);
Finding WrongSpatialSize(const contract::Arguments& arguments);

}  // namespace aclimb::convolution_backward
