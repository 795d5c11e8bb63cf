#pragma once

#include <algorithm>

#include "aclimb/contract/contract.h"
#include "aclimb/contract/expected_shape.h"
#include "aclimb/contract/signature.h"
#include "aclimb/core/dimensions.h"
#include "aclnnop/aclnn_flip.h"
#include "aclnnop/aclnn_roll.h"
#include "aclnnop/aclnn_slice.h"
#include "aclnnop/aclnn_slice_v2.h"

// Operators that take some indices of dimensions, or all in another order.
namespace aclimb::slices {

inline constexpr auto kSliceTypes =
    contract::AndBFloat16(DType::kFloat32, DType::kFloat16, DType::kInt8, DType::kInt32,
                          DType::kInt64, DType::kUInt8, DType::kBool);

// The indices that a slice takes of `length` ones. What is outside is cut to the nearest.
struct Cut {
  int64_t first;
  int64_t extent;
  int64_t step;
};
inline Cut CutOf(int64_t start, int64_t end, int64_t step, int64_t length) {
  const int64_t first = std::clamp<int64_t>(start < 0 ? start + length : start, 0, length);
  const int64_t after = std::clamp(end < 0 ? end + length : end, first, length);
  // More than all steps over everything behind the first.
  step = std::min(step, std::max<int64_t>(1, length));
  return {first, (after - first) / step + ((after - first) % step != 0 ? 1 : 0), step};
}

namespace slice {

enum : int { kSelf, kDim, kStart, kEnd, kStep, kOut };

inline std::optional<std::string> WrongShape(const contract::Arguments& arguments) {
  const TensorDescriptor& self = arguments.Tensor(kSelf);
  std::vector<int64_t> expected = self.shape;
  int64_t& length = expected[WrapDimension(arguments.Integer(kDim), self.rank())];
  length =
      CutOf(arguments.Integer(kStart), arguments.Integer(kEnd), arguments.Integer(kStep), length)
          .extent;
  return contract::OtherShape(
      "out", arguments.Tensor(kOut), expected,
      Cat("self.shape ", contract::ShapeText(self), ", dim ", arguments.Integer(kDim), ", start ",
          arguments.Integer(kStart), ", end ", arguments.Integer(kEnd), " and step ",
          arguments.Integer(kStep)));
}

inline constexpr contract::Parameter kParameters[] = {
    contract::WithRank(contract::Input("self", kSliceTypes, "any shape"), 1, 8),
    contract::Attribute("dim", contract::Kind::kInteger, "of self"),
    contract::Attribute("start", contract::Kind::kInteger, "the first index"),
    contract::Attribute("end", contract::Kind::kInteger, "behind the last index"),
    contract::Attribute("step", contract::Kind::kInteger, "from one index to the next"),
    contract::WithRank(contract::Output("out", kSliceTypes, "as long as indices are taken"), 1, 8)};
inline constexpr contract::Rule kRules[] = {
    contract::SameDType("same-dtype/out", kOut, kSelf, "allocate out with the dtype of self"),
    contract::InRange("range/dim", kDim, contract::DimensionOf(kSelf), "pass a dimension of self"),
    contract::InRange("range/step", kStep, contract::AtLeast(1), "pass a step above 0"),
    contract::Custom("shape/out", &WrongShape,
                     "out is as long in dimension dim of self as start, end and step take indices",
                     "allocate out with that shape"),
};
inline constexpr contract::Contract kContract = {
    .function = "aclnnSlice",
    .folder = "slice",
    .summary = "out = every step-th index from start to end, along a dimension.",
    .parameters = kParameters,
    .rules = kRules,
};
static_assert(contract::Matches<decltype(aclnnSliceGetWorkspaceSize)>(kContract));

}  // namespace slice

namespace slice_v2 {

enum : int { kSelf, kStarts, kEnds, kAxes, kSteps, kOut };

inline std::optional<std::string> OtherCounts(const contract::Arguments& arguments) {
  const size_t axes = arguments.Ints(kAxes).size();
  for (const int each : {kStarts, kEnds, kSteps}) {
    if (arguments.Ints(each).size() == axes) continue;
    const char* const name = each == kStarts ? "starts" : each == kEnds ? "ends" : "steps";
    return Cat(name, " is ", contract::IntsText(arguments.Ints(each)), " but axes is ",
               contract::IntsText(arguments.Ints(kAxes)), "; expected a number for each axis.");
  }
  return std::nullopt;
}
inline std::optional<std::string> WrongShape(const contract::Arguments& arguments) {
  const TensorDescriptor& self = arguments.Tensor(kSelf);
  std::vector<int64_t> expected = self.shape;
  // A single element has no dimension to cut, though axis 0 is accepted.
  for (size_t i = 0; i < arguments.Ints(kAxes).size() && !expected.empty(); ++i) {
    int64_t& length = expected[WrapDimension(arguments.Ints(kAxes)[i], self.rank())];
    length = CutOf(arguments.Ints(kStarts)[i], arguments.Ints(kEnds)[i], arguments.Ints(kSteps)[i],
                   length)
                 .extent;
  }
  return contract::OtherShape("out", arguments.Tensor(kOut), expected,
                              Cat("self.shape ", contract::ShapeText(self), ", starts ",
                                  contract::IntsText(arguments.Ints(kStarts)), ", ends ",
                                  contract::IntsText(arguments.Ints(kEnds)), ", axes ",
                                  contract::IntsText(arguments.Ints(kAxes)), " and steps ",
                                  contract::IntsText(arguments.Ints(kSteps))));
}

inline constexpr contract::Parameter kParameters[] = {
    contract::Input("self", kSliceTypes, "any shape"),
    contract::Attribute("starts", contract::Kind::kIntArray, "the first index of each axis"),
    contract::Attribute("ends", contract::Kind::kIntArray, "behind the last index of each axis"),
    contract::Attribute("axes", contract::Kind::kIntArray, "dimensions of self, each once"),
    contract::Attribute("steps", contract::Kind::kIntArray, "from one index to the next"),
    contract::Output("out", kSliceTypes, "as long in each axis as indices are taken")};
inline constexpr contract::Rule kRules[] = {
    contract::SameDType("same-dtype/out", kOut, kSelf, "allocate out with the dtype of self"),
    contract::InRange("range/axes", kAxes, contract::DistinctDimensionsOf(kSelf),
                      "name dimensions of self, each once"),
    contract::InRange("range/steps", kSteps, contract::AtLeast(1), "pass steps above 0"),
    contract::Custom("count/axes", &OtherCounts,
                     "starts, ends and steps have a number for each of axes",
                     "pass arrays of equal length"),
    contract::Custom("shape/out", &WrongShape,
                     "out is as long in axes of self as starts, ends and steps take indices",
                     "allocate out with that shape"),
};
inline constexpr contract::Contract kContract = {
    .function = "aclnnSliceV2",
    .folder = "slice_v2",
    .summary = "out = every step-th index from start to end, along several dimensions.",
    .parameters = kParameters,
    .rules = kRules,
};
static_assert(contract::Matches<decltype(aclnnSliceV2GetWorkspaceSize)>(kContract));

}  // namespace slice_v2

namespace flip {

enum : int { kSelf, kDims, kOut };

inline constexpr auto kFlipTypes = contract::AndBFloat16(
    DType::kFloat32, DType::kFloat16, DType::kFloat64, DType::kInt8, DType::kInt16, DType::kInt32,
    DType::kInt64, DType::kUInt8, DType::kBool, DType::kComplex64, DType::kComplex128);
inline constexpr contract::Parameter kParameters[] = {
    contract::WithRank(contract::Input("self", kFlipTypes, "any shape"), 1, 8),
    contract::Attribute("dims", contract::Kind::kIntArray, "dimensions of self, each once"),
    contract::WithRank(contract::Output("out", kFlipTypes, "shape of self"), 1, 8)};
inline constexpr contract::Rule kRules[] = {
    contract::SameDType("same-dtype/out", kOut, kSelf, "allocate out with the dtype of self"),
    contract::InRange("range/dims", kDims, contract::DistinctDimensionsOf(kSelf),
                      "name dimensions of self, each once"),
    contract::SameShape("same-shape/out", kOut, kSelf, "allocate out with the shape of self"),
};
inline constexpr contract::Contract kContract = {
    .function = "aclnnFlip",
    .folder = "flip",
    .summary = "out = self with the order of indices reversed along some dimensions.",
    .parameters = kParameters,
    .rules = kRules,
};
static_assert(contract::Matches<decltype(aclnnFlipGetWorkspaceSize)>(kContract));

}  // namespace flip

namespace roll {

enum : int { kX, kShifts, kDims, kOut };

// What two shifts along one dimension come to. The first, as the result, is from 0 to extent - 1;
// no sum of two of the numbers is made, since it may be too large.
constexpr int64_t ShiftedFurther(int64_t shift, int64_t by, int64_t extent) {
  const int64_t rest = by % extent;
  const int64_t back = rest > 0 ? extent - rest : -rest;
  return shift >= back ? shift - back : shift + (extent - back);
}

inline constexpr auto kRollTypes =
    contract::AndBFloat16(DType::kFloat32, DType::kFloat16, DType::kInt8, DType::kInt32,
                          DType::kInt64, DType::kUInt8, DType::kUInt32, DType::kBool);
inline constexpr contract::Parameter kParameters[] = {
    contract::Input("x", kRollTypes, "any shape"),
    contract::Attribute("shifts", contract::Kind::kIntArray, "one for each of dims"),
    contract::Attribute("dims", contract::Kind::kIntArray, "dimensions of x"),
    contract::Output("out", kRollTypes, "shape of x")};
inline constexpr contract::Rule kRules[] = {
    contract::SameDType("same-dtype/out", kOut, kX, "allocate out with the dtype of x"),
    contract::InRange("range/dims", kDims, contract::DimensionOf(kX), "name dimensions of x"),
    contract::SameShape("same-shape/out", kOut, kX, "allocate out with the shape of x"),
    contract::CountOf("count/shifts", kShifts, kDims,
                      "pass arrays of equal length; make one row of x to shift all"),
};
inline constexpr contract::Contract kContract = {
    .function = "aclnnRoll",
    .folder = "roll",
    .summary = "out = x with its indices shifted in a circle along some dimensions.",
    .parameters = kParameters,
    .rules = kRules,
};
static_assert(contract::Matches<decltype(aclnnRollGetWorkspaceSize)>(kContract));

}  // namespace roll

}  // namespace aclimb::slices
