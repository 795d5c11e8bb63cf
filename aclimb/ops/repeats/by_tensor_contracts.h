#pragma once

#include <optional>
#include <string>
#include <vector>

#include "aclimb/core/dimensions.h"
#include "aclimb/ops/repeats/contracts.h"
#include "aclnnop/aclnn_repeat_interleave.h"

// Repetitions one after another of all elements, and those whose numbers are in a tensor.
namespace aclimb::repeats {

// What a run says that finds such numbers: its task fails.
inline constexpr const char* kWrongRepeats =
    "a number in repeats is below 0, or they do not add up to outputSize; expected numbers from 0 "
    "that do.";

inline constexpr contract::Parameter kRepeatsTensor = contract::WithRank(
    contract::Input(
        "repeats", contract::OnAll(contract::DTypes(DType::kInt32, DType::kInt64)),
        "how often: one number for all, or one for each; none below 0, and all together "
        "outputSize, or the run fails (507015)"),
    0, 1);
inline constexpr contract::Parameter kOutputSizeParameter = contract::Attribute(
    "outputSize", contract::Kind::kInteger, "how much that makes along the dimension");
constexpr contract::Rule OutputSizeInRange(int output_size) {
  return contract::InRange("range/outputSize", output_size, contract::AtLeast(0),
                           "pass the sum of repeats");
}
inline constexpr contract::Parameter kFlatOut =
    contract::WithRank(contract::Output("out", interleave::kTypes, "outputSize long"), 1, 1);

namespace interleave_all {

enum : int { kSelf, kRepeats, kOutputSize, kOut };

inline std::optional<std::string> OtherOutputSize(const contract::Arguments& arguments) {
  const TensorDescriptor& self = arguments.Tensor(kSelf);
  const int64_t size = contract::ExtentTimes(self.ElementCount(), arguments.Integer(kRepeats));
  if (arguments.Integer(kOutputSize) == size) return std::nullopt;
  return Cat("outputSize is ", arguments.Integer(kOutputSize), " but self.shape is ",
             contract::ShapeText(self), " and repeats is ", arguments.Integer(kRepeats),
             "; expected ", contract::ExtentText(size), ".");
}

inline constexpr contract::Parameter kParameters[] = {
    contract::Input("self", interleave::kTypes, "any shape; in row-major order"),
    contract::Attribute("repeats", contract::Kind::kInteger, "how often"), kOutputSizeParameter,
    contract::WithShape(kFlatOut, "outputSize")};
inline constexpr contract::Rule kRules[] = {
    contract::SameDType("same-dtype/out", kOut, kSelf, "allocate out with the dtype of self"),
    contract::InRange("range/repeats", kRepeats, contract::AtLeast(0), "pass a number from 0 on"),
    OutputSizeInRange(kOutputSize),
    contract::Custom("output-size/outputSize", &OtherOutputSize,
                     "outputSize is the number of elements of self times repeats",
                     "pass that number"),
};
inline constexpr contract::Contract kContract = {
    .function = "aclnnRepeatInterleaveInt",
    .folder = "repeat_interleave_int",
    .summary = "out = every element so often, one after another.",
    .parameters = kParameters,
    .rules = kRules,
};
static_assert(contract::Matches<decltype(aclnnRepeatInterleaveIntGetWorkspaceSize)>(kContract));

}  // namespace interleave_all

namespace interleave_by_tensor {

enum : int { kSelf, kRepeats, kOutputSize, kOut };

inline std::optional<std::string> OtherCount(const contract::Arguments& arguments) {
  const TensorDescriptor& self = arguments.Tensor(kSelf);
  const TensorDescriptor& repeats = arguments.Tensor(kRepeats);
  const int64_t count = repeats.ElementCount();
  if (count == 1 || count == self.ElementCount()) return std::nullopt;
  return Cat("repeats.shape is ", contract::ShapeText(repeats), " but self.shape is ",
             contract::ShapeText(self), "; expected one number, or one for each element.");
}

inline constexpr contract::Parameter kParameters[] = {
    contract::Input("self", interleave::kTypes, "any shape; in row-major order"), kRepeatsTensor,
    kOutputSizeParameter, contract::WithShape(kFlatOut, "outputSize")};
inline constexpr contract::Rule kRules[] = {
    contract::SameDType("same-dtype/out", kOut, kSelf, "allocate out with the dtype of self"),
    OutputSizeInRange(kOutputSize),
    contract::Custom("count/repeats", &OtherCount,
                     "repeats has one number, or one for each element of self",
                     "pass how often each element is repeated"),
};
inline constexpr contract::Contract kContract = {
    .function = "aclnnRepeatInterleave",
    .folder = "repeat_interleave",
    .summary = "out = every element as often as a tensor says, one after another.",
    .parameters = kParameters,
    .rules = kRules,
};
static_assert(contract::Matches<decltype(aclnnRepeatInterleaveGetWorkspaceSize)>(kContract));

}  // namespace interleave_by_tensor

namespace interleave_dim_by_tensor {

enum : int { kSelf, kRepeats, kDim, kOutputSize, kOut };

inline std::optional<std::string> OtherCount(const contract::Arguments& arguments) {
  const TensorDescriptor& self = arguments.Tensor(kSelf);
  const TensorDescriptor& repeats = arguments.Tensor(kRepeats);
  const std::vector<int64_t> shape = interleave::Shape(self);
  const int64_t count = repeats.ElementCount(), dim = arguments.Integer(kDim);
  if (count == 1 || count == shape[WrapDimension(dim, shape.size())]) return std::nullopt;
  return Cat("repeats.shape is ", contract::ShapeText(repeats), " but self.shape is ",
             contract::ShapeText(self), " and dim is ", dim,
             "; expected one number, or one for each index of that dimension.");
}
inline std::optional<std::string> WrongShape(const contract::Arguments& arguments) {
  const TensorDescriptor& self = arguments.Tensor(kSelf);
  std::vector<int64_t> expected = interleave::Shape(self);
  expected[WrapDimension(arguments.Integer(kDim), expected.size())] =
      arguments.Integer(kOutputSize);
  return contract::OtherShape(
      "out", arguments.Tensor(kOut), expected,
      Cat("self.shape ", contract::ShapeText(self), ", dim ", arguments.Integer(kDim),
          " and outputSize ", arguments.Integer(kOutputSize)));
}

inline constexpr contract::Parameter kParameters[] = {
    contract::Input("self", interleave::kTypes, "any shape"), kRepeatsTensor,
    contract::Attribute("dim", contract::Kind::kInteger, "of self"), kOutputSizeParameter,
    contract::WithRank(
        contract::Output("out", interleave::kTypes, "outputSize long in dimension dim"), 1, 8)};
inline constexpr contract::Rule kRules[] = {
    contract::SameDType("same-dtype/out", kOut, kSelf, "allocate out with the dtype of self"),
    contract::InRange("range/dim", kDim, contract::DimensionOf(kSelf), "pass a dimension of self"),
    OutputSizeInRange(kOutputSize),
    contract::Custom("count/repeats", &OtherCount,
                     "repeats has one number, or one for each index of dimension dim",
                     "pass how often each index is repeated"),
    contract::Custom("shape/out", &WrongShape,
                     "out has the shape of self, but outputSize in dimension dim",
                     "allocate out with that shape"),
};
inline constexpr contract::Contract kContract = {
    .function = "aclnnRepeatInterleaveWithDim",
    .folder = "repeat_interleave_with_dim",
    .summary = "out = every index of a dimension as often as a tensor says, one after another.",
    .parameters = kParameters,
    .rules = kRules,
};
static_assert(contract::Matches<decltype(aclnnRepeatInterleaveWithDimGetWorkspaceSize)>(kContract));

}  // namespace interleave_dim_by_tensor

}  // namespace aclimb::repeats
