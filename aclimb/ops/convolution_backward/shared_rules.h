#pragma once

#include <optional>
#include <string>

#include "aclimb/contract/arguments.h"
#include "aclimb/ops/convolution_backward/geometry.h"

// What the contracts of the convolution and of its gradient find wrong in the same words.
namespace aclimb::convolution_backward {

using Finding = std::optional<std::string>;

// Where a function has what both functions have.
struct Positions {
  int input, weight, stride, padding, dilation, transposed, output_padding, groups;
  struct Named {
    int parameter;
    const char* name;  // null: none
  };
  Named tensors[5];  // with spatial dimensions
};

// A finding of one of them, as contracts want it.
template <Finding (*kFinding)(const contract::Arguments&, const Positions&), const Positions& kAt>
Finding At(const contract::Arguments& arguments) {
  return kFinding(arguments, kAt);
}

std::string ShapeOf(const contract::Arguments& arguments, int parameter);
std::string IntsOf(const contract::Arguments& arguments, int parameter);
bool IsOldChip(const contract::Arguments& arguments);
// The output's channels by weight and groups.
int64_t OutputChannels(const contract::Arguments& arguments, const Positions& at);
// The attributes of a call whose lengths are right.
Attributes AttributesOf(const contract::Arguments& arguments, const Positions& at);
// Of a convolution whose windows slide over the tensor `x`, of an accepted call.
Geometry GeometryOf(const contract::Arguments& arguments, const Positions& at, int x, int y);

Finding FormatOfAnotherRank(const contract::Arguments& arguments, const Positions& at);
Finding ThreeDimensionsOnOldChip(const contract::Arguments& arguments, const Positions& at);
Finding WrongLength(const contract::Arguments& arguments, const Positions& at);
Finding WrongOutputPadding(const contract::Arguments& arguments, const Positions& at);
Finding GroupsDoNotDivide(const contract::Arguments& arguments, const Positions& at);

}  // namespace aclimb::convolution_backward
