#pragma once

#include "aclimb/contract/contract.h"
#include "aclimb/contract/expected_shape.h"
#include "aclimb/contract/shapes.h"
#include "aclimb/contract/signature.h"
#include "aclimb/core/dimensions.h"
#include "aclnnop/aclnn_expand.h"
#include "aclnnop/aclnn_repeat.h"
#include "aclnnop/aclnn_repeat_interleave.h"

// Operators whose output has elements of the input several times.
namespace aclimb::repeats {

namespace expand {

enum : int { kSelf, kSize, kOut };

// The shape that `size` says, in which -1 stands for the extent of self. Empty if self does not
// broadcast to it.
inline std::optional<std::vector<int64_t>> ShapeOf(const TensorDescriptor& self,
                                                   const IntArrayValue& size) {
  if (size.size() < self.shape.size() || size.size() > 8) return std::nullopt;
  std::vector<int64_t> shape = size;
  const size_t more = size.size() - self.shape.size();
  for (size_t d = 0; d < shape.size(); ++d) {
    const int64_t own = d < more ? 1 : self.shape[d - more];
    if (shape[d] == -1 && d >= more) shape[d] = own;
    if (shape[d] < 0 || (own != 1 && own != shape[d])) return std::nullopt;
  }
  return shape;
}

inline std::optional<std::string> OtherSize(const contract::Arguments& arguments) {
  const TensorDescriptor& self = arguments.Tensor(kSelf);
  const IntArrayValue& size = arguments.Ints(kSize);
  if (ShapeOf(self, size)) return std::nullopt;
  return Cat("size is ", contract::IntsText(size), " but self.shape is ", contract::ShapeText(self),
             "; expected a shape of at most 8 dimensions to which it broadcasts.");
}
inline std::optional<std::string> WrongShape(const contract::Arguments& arguments) {
  const TensorDescriptor& self = arguments.Tensor(kSelf);
  const IntArrayValue& size = arguments.Ints(kSize);
  return contract::OtherShape(
      "out", arguments.Tensor(kOut), *ShapeOf(self, size),
      Cat("self.shape ", contract::ShapeText(self), " and size ", contract::IntsText(size)));
}

inline constexpr auto kTypes =
    contract::AndBFloat16(DType::kFloat32, DType::kFloat16, DType::kInt8, DType::kInt32,
                          DType::kInt64, DType::kUInt8, DType::kBool);
inline constexpr contract::Parameter kParameters[] = {
    contract::Input("self", kTypes, "broadcasts to size"),
    contract::Attribute("size", contract::Kind::kIntArray,
                        "the shape of out; -1 keeps the extent of self"),
    contract::Output("out", kTypes, "shape size")};
inline constexpr contract::Rule kRules[] = {
    contract::SameDType("same-dtype/out", kOut, kSelf, "allocate out with the dtype of self"),
    contract::Custom("broadcasts/size", &OtherSize, "self broadcasts to size",
                     "keep the dimensions of self that are not 1"),
    contract::Custom("shape/out", &WrongShape,
                     "out has the shape size, with the extents of self for -1",
                     "allocate out with that shape"),
};
inline constexpr contract::Contract kContract = {
    .function = "aclnnExpand",
    .folder = "expand",
    .summary = "out = self broadcast to a shape.",
    .parameters = kParameters,
    .rules = kRules,
};
static_assert(contract::Matches<decltype(aclnnExpandGetWorkspaceSize)>(kContract));

}  // namespace expand

namespace repeat {

enum : int { kSelf, kRepeats, kOut };

inline std::optional<std::string> OtherCount(const contract::Arguments& arguments) {
  const TensorDescriptor& self = arguments.Tensor(kSelf);
  const IntArrayValue& repeats = arguments.Ints(kRepeats);
  if (repeats.size() >= self.shape.size() && repeats.size() <= 8) return std::nullopt;
  return Cat("repeats is ", contract::IntsText(repeats), " but self.shape is ",
             contract::ShapeText(self),
             "; expected a number for each dimension or more, and 8 at most.");
}
inline std::optional<std::string> WrongShape(const contract::Arguments& arguments) {
  const TensorDescriptor& self = arguments.Tensor(kSelf);
  const IntArrayValue& repeats = arguments.Ints(kRepeats);
  std::vector<int64_t> expected = repeats;
  const size_t more = repeats.size() - self.shape.size();
  for (size_t d = more; d < expected.size(); ++d) {
    expected[d] = contract::ExtentTimes(repeats[d], self.shape[d - more]);
  }
  return contract::OtherShape(
      "out", arguments.Tensor(kOut), expected,
      Cat("self.shape ", contract::ShapeText(self), " and repeats ", contract::IntsText(repeats)));
}

inline constexpr auto kTypes = contract::AndBFloat16(
    DType::kFloat32, DType::kFloat16, DType::kFloat64, DType::kInt8, DType::kInt16, DType::kInt32,
    DType::kInt64, DType::kUInt8, DType::kUInt16, DType::kUInt32, DType::kUInt64, DType::kBool,
    DType::kComplex64, DType::kComplex128);
inline constexpr contract::Parameter kParameters[] = {
    contract::Input("self", kTypes, "any shape"),
    contract::Attribute("repeats", contract::Kind::kIntArray,
                        "how often, for each dimension of out"),
    contract::Output("out", kTypes, "the shape of self times repeats")};
inline constexpr contract::Rule kRules[] = {
    contract::SameDType("same-dtype/out", kOut, kSelf, "allocate out with the dtype of self"),
    contract::InRange("range/repeats", kRepeats, contract::AtLeast(0), "pass numbers from 0 on"),
    contract::Custom("count/repeats", &OtherCount,
                     "repeats has a number for each dimension of self or more",
                     "pass 1 for what is not repeated"),
    contract::Custom("shape/out", &WrongShape,
                     "out has the shape of self, with dimensions of 1 before it, times repeats",
                     "allocate out with that shape"),
};
inline constexpr contract::Contract kContract = {
    .function = "aclnnRepeat",
    .folder = "repeat",
    .summary = "out = self laid side by side, so often along each dimension.",
    .parameters = kParameters,
    .rules = kRules,
};
static_assert(contract::Matches<decltype(aclnnRepeatGetWorkspaceSize)>(kContract));

}  // namespace repeat

namespace interleave {

enum : int { kSelf, kRepeats, kDim, kOutputSize, kOut };

// With one dimension for a single element.
inline std::vector<int64_t> Shape(const TensorDescriptor& self) {
  return self.shape.empty() ? std::vector<int64_t>{1} : self.shape;
}

inline std::optional<std::string> OtherOutputSize(const contract::Arguments& arguments) {
  const TensorDescriptor& self = arguments.Tensor(kSelf);
  const std::vector<int64_t> shape = Shape(self);
  const int64_t size = contract::ExtentTimes(
      shape[WrapDimension(arguments.Integer(kDim), shape.size())], arguments.Integer(kRepeats));
  if (arguments.Integer(kOutputSize) == size) return std::nullopt;
  return Cat("outputSize is ", arguments.Integer(kOutputSize), " but self.shape is ",
             contract::ShapeText(self), ", dim is ", arguments.Integer(kDim), " and repeats is ",
             arguments.Integer(kRepeats), "; expected ", contract::ExtentText(size), ".");
}
inline std::optional<std::string> WrongShape(const contract::Arguments& arguments) {
  const TensorDescriptor& self = arguments.Tensor(kSelf);
  std::vector<int64_t> expected = Shape(self);
  expected[WrapDimension(arguments.Integer(kDim), expected.size())] =
      arguments.Integer(kOutputSize);
  return contract::OtherShape(
      "out", arguments.Tensor(kOut), expected,
      Cat("self.shape ", contract::ShapeText(self), ", dim ", arguments.Integer(kDim),
          " and outputSize ", arguments.Integer(kOutputSize)));
}

inline constexpr auto kTypes =
    contract::AndBFloat16(DType::kFloat32, DType::kFloat16, DType::kInt8, DType::kInt16,
                          DType::kInt32, DType::kInt64, DType::kUInt8, DType::kBool);
inline constexpr contract::Parameter kParameters[] = {
    contract::Input("self", kTypes, "any shape"),
    contract::Attribute("repeats", contract::Kind::kInteger, "how often"),
    contract::Attribute("dim", contract::Kind::kInteger, "of self"),
    contract::Attribute("outputSize", contract::Kind::kInteger,
                        "the extent of dimension dim times repeats"),
    contract::WithRank(contract::Output("out", kTypes, "outputSize long in dimension dim"), 1, 8)};
inline constexpr contract::Rule kRules[] = {
    contract::SameDType("same-dtype/out", kOut, kSelf, "allocate out with the dtype of self"),
    contract::InRange("range/repeats", kRepeats, contract::AtLeast(0), "pass a number from 0 on"),
    contract::InRange("range/dim", kDim, contract::DimensionOf(kSelf), "pass a dimension of self"),
    contract::Custom("output-size/outputSize", &OtherOutputSize,
                     "outputSize is the extent of dimension dim of self times repeats",
                     "pass that number"),
    contract::Custom("shape/out", &WrongShape,
                     "out has the shape of self, but outputSize in dimension dim",
                     "allocate out with that shape"),
};
inline constexpr contract::Contract kContract = {
    .function = "aclnnRepeatInterleaveIntWithDim",
    .folder = "repeat_interleave_int_with_dim",
    .summary = "out = every index of a dimension so often, one after another.",
    .parameters = kParameters,
    .rules = kRules,
};
static_assert(
    contract::Matches<decltype(aclnnRepeatInterleaveIntWithDimGetWorkspaceSize)>(kContract));

}  // namespace interleave

}  // namespace aclimb::repeats
