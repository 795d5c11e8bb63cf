#pragma once

#include <initializer_list>
#include <optional>
#include <string>

#include "aclimb/contract/arguments.h"
#include "aclimb/ops/convolution_backward/geometry.h"

// What the contracts of the convolution and of its gradient find wrong in the same words.
namespace aclimb::convolution_backward {

using Finding = std::optional<std::string>;

// A tensor parameter with spatial dimensions.
struct NamedTensor {
  int parameter;
  const char* name;
};
// Where the four arrays of a call stand.
struct ArrayPositions {
  int stride, padding, dilation, output_padding;
};

std::string ShapeOf(const contract::Arguments& arguments, int parameter);
std::string IntsOf(const contract::Arguments& arguments, int parameter);
bool IsOldChip(const contract::Arguments& arguments);

Finding FormatOfAnotherRank(const contract::Arguments& arguments,
                            std::initializer_list<NamedTensor> tensors);
Finding ThreeDimensionsOnOldChip(const contract::Arguments& arguments, int input);
Finding WrongLength(const contract::Arguments& arguments, int input, const ArrayPositions& arrays);
//   attributes  of the call
Finding WrongOutputPadding(const contract::Arguments& arguments, const Attributes& attributes,
                           bool transposed, const ArrayPositions& arrays);
Finding GroupsDoNotDivide(const contract::Arguments& arguments, int weight, int64_t groups);

}  // namespace aclimb::convolution_backward
