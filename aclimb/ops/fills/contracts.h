#pragma once

#include "aclimb/contract/contract.h"
#include "aclimb/contract/expected_shape.h"
#include "aclimb/contract/signature.h"
#include "aclimb/copy/storage.h"
#include "aclnnop/aclnn_eye.h"
#include "aclnnop/aclnn_fill_diagonal.h"
#include "aclnnop/aclnn_fill_scalar.h"
#include "aclnnop/aclnn_fill_tensor.h"
#include "aclnnop/aclnn_one.h"
#include "aclnnop/aclnn_one_hot.h"
#include "aclnnop/aclnn_zero.h"

// Operators that fill a tensor with numbers.
namespace aclimb::fills {

namespace inplace_zero {

enum : int { kSelfRef };

inline constexpr contract::Parameter kParameters[] = {contract::Output(
    "selfRef",
    contract::AndBFloat16(DType::kFloat32, DType::kFloat16, DType::kFloat64, DType::kInt8,
                          DType::kInt16, DType::kInt32, DType::kInt64, DType::kUInt8,
                          DType::kUInt16, DType::kBool, DType::kComplex64, DType::kComplex128),
    "overwritten")};
inline constexpr contract::Contract kContract = {
    .function = "aclnnInplaceZero",
    .folder = "inplace_zero",
    .summary = "selfRef = 0 everywhere.",
    .parameters = kParameters,
    .rules = {},
};
static_assert(contract::Matches<decltype(aclnnInplaceZeroGetWorkspaceSize)>(kContract));

}  // namespace inplace_zero

namespace inplace_one {

enum : int { kSelfRef };

inline constexpr contract::Parameter kParameters[] = {contract::Output(
    "selfRef",
    contract::AndBFloat16(DType::kFloat32, DType::kFloat16, DType::kFloat64, DType::kInt8,
                          DType::kInt16, DType::kInt32, DType::kInt64, DType::kUInt8, DType::kBool),
    "overwritten")};
inline constexpr contract::Contract kContract = {
    .function = "aclnnInplaceOne",
    .folder = "inplace_one",
    .summary = "selfRef = 1 everywhere.",
    .parameters = kParameters,
    .rules = {},
};
static_assert(contract::Matches<decltype(aclnnInplaceOneGetWorkspaceSize)>(kContract));

}  // namespace inplace_one

inline constexpr auto kFilled = contract::AndBFloat16(
    DType::kFloat32, DType::kFloat16, DType::kFloat64, DType::kInt8, DType::kInt16, DType::kInt32,
    DType::kInt64, DType::kUInt8, DType::kBool, DType::kComplex64, DType::kComplex128);

namespace inplace_fill_scalar {

enum : int { kSelfRef, kValue };

inline std::optional<std::string> OtherValue(const contract::Arguments& arguments) {
  const DType self = arguments.Tensor(kSelfRef).dtype;
  const DType value = arguments.Scalar(kValue).dtype;
  const bool fits =
      IsComplex(value) ? IsComplex(self) && value != DType::kComplex32 : StorageIndex(value) >= 0;
  if (fits) return std::nullopt;
  return Cat("value is ", arguments.Scalar(kValue).Text(), " and selfRef.dtype is ", NameOf(self),
             "; expected a value that converts to that dtype.");
}

inline constexpr contract::Parameter kParameters[] = {
    contract::Output("selfRef", kFilled, "overwritten"),
    contract::Attribute("value", contract::Kind::kScalar, "converted to the dtype of selfRef")};
inline constexpr contract::Rule kRules[] = {
    contract::Custom("converts/value", &OtherValue, "value is real unless selfRef is complex",
                     "pass a real scalar"),
    contract::InDType("in-dtype/value", kValue, kSelfRef,
                      "pass a number that the dtype of selfRef has"),
};
inline constexpr contract::Contract kContract = {
    .function = "aclnnInplaceFillScalar",
    .folder = "inplace_fill_scalar",
    .summary = "selfRef = value everywhere.",
    .parameters = kParameters,
    .rules = kRules,
};
static_assert(contract::Matches<decltype(aclnnInplaceFillScalarGetWorkspaceSize)>(kContract));

}  // namespace inplace_fill_scalar

namespace inplace_fill_tensor {

enum : int { kSelfRef, kValue };

inline std::optional<std::string> ComplexForReal(const contract::Arguments& arguments) {
  const DType self = arguments.Tensor(kSelfRef).dtype;
  const DType value = arguments.Tensor(kValue).dtype;
  if (!IsComplex(value) || IsComplex(self)) return std::nullopt;
  return Cat("value.dtype is ", NameOf(value), " but selfRef.dtype is ", NameOf(self),
             "; expected a real dtype.");
}

inline constexpr contract::Parameter kParameters[] = {
    contract::Output("selfRef", kFilled, "overwritten"),
    contract::WithRank(contract::Input("value", kFilled, "one element"), 0, 1)};
inline constexpr contract::Rule kRules[] = {
    contract::Custom("complex/value", &ComplexForReal, "value is real unless selfRef is complex",
                     "pass a real tensor"),
    contract::OneElement("one-element/value", kValue, "pass a tensor of shape [] or [1]"),
};
inline constexpr contract::Contract kContract = {
    .function = "aclnnInplaceFillTensor",
    .folder = "inplace_fill_tensor",
    .summary = "selfRef = the element of value everywhere.",
    .parameters = kParameters,
    .rules = kRules,
};
static_assert(contract::Matches<decltype(aclnnInplaceFillTensorGetWorkspaceSize)>(kContract));

}  // namespace inplace_fill_tensor

namespace inplace_fill_diagonal {

enum : int { kSelfRef, kFillValue, kWrap };

inline std::optional<std::string> OtherExtents(const contract::Arguments& arguments) {
  const TensorDescriptor& self = arguments.Tensor(kSelfRef);
  for (const int64_t extent : self.shape) {
    if (self.rank() > 2 && extent != self.shape[0]) {
      return Cat("selfRef.shape is ", contract::ShapeText(self),
                 "; expected one extent of all dimensions, or two dimensions.");
    }
  }
  return std::nullopt;
}

inline constexpr auto kDTypes =
    contract::AndBFloat16(DType::kFloat32, DType::kFloat16, DType::kFloat64, DType::kInt8,
                          DType::kInt16, DType::kInt32, DType::kInt64, DType::kUInt8, DType::kBool);
inline constexpr contract::Parameter kParameters[] = {
    contract::WithRank(contract::InOut("selfRef", kDTypes, "its diagonal is overwritten"), 2, 8),
    contract::Attribute("fillValue", contract::Kind::kScalar, "converted to the dtype of selfRef"),
    contract::Attribute("wrap", contract::Kind::kBool,
                        "whether in a matrix with more rows than columns a diagonal begins again "
                        "one row behind the end of each")};
inline constexpr contract::Rule kRules[] = {
    contract::ConvertsToFloat("real/fillValue", kFillValue, "pass a real scalar"),
    contract::InDType("in-dtype/fillValue", kFillValue, kSelfRef,
                      "pass a number that the dtype of selfRef has"),
    contract::Custom("extents/selfRef", &OtherExtents,
                     "with more than two dimensions selfRef has one extent of all",
                     "pass a matrix, or a tensor as long in each dimension"),
};
inline constexpr contract::Contract kContract = {
    .function = "aclnnInplaceFillDiagonal",
    .folder = "inplace_fill_diagonal",
    .summary = "Elements of selfRef whose indices are all equal become fillValue.",
    .parameters = kParameters,
    .rules = kRules,
};
static_assert(contract::Matches<decltype(aclnnInplaceFillDiagonalGetWorkspaceSize)>(kContract));

}  // namespace inplace_fill_diagonal

namespace eye {

enum : int { kN, kM, kOut };

inline constexpr contract::Parameter kParameters[] = {
    contract::Attribute("n", contract::Kind::kInteger, "rows"),
    contract::Attribute("m", contract::Kind::kInteger, "columns"),
    contract::WithShape(
        contract::Output(
            "out",
            contract::AndBFloat16(DType::kFloat32, DType::kFloat16, DType::kInt8, DType::kInt16,
                                  DType::kInt32, DType::kInt64, DType::kUInt8, DType::kBool),
            "a matrix"),
        "n m")};
inline constexpr contract::Rule kRules[] = {
    contract::InRange("range/n", kN, contract::AtLeast(0), "pass the rows of out"),
    contract::InRange("range/m", kM, contract::AtLeast(0), "pass the columns of out"),
};
inline constexpr contract::Contract kContract = {
    .function = "aclnnEye",
    .folder = "eye",
    .summary = "The identity matrix: out = 1 where row and column are equal, else 0.",
    .parameters = kParameters,
    .rules = kRules,
};
static_assert(contract::Matches<decltype(aclnnEyeGetWorkspaceSize)>(kContract));

}  // namespace eye

namespace one_hot {

enum : int { kSelf, kNumClasses, kOnValue, kOffValue, kAxis, kOut };

inline constexpr auto kValues = contract::OnAll(
    contract::DTypes(DType::kFloat32, DType::kFloat16, DType::kInt32, DType::kInt64));

inline std::optional<std::string> NoClasses(const contract::Arguments& arguments) {
  const TensorDescriptor& self = arguments.Tensor(kSelf);
  if (arguments.Integer(kNumClasses) > 0 || !self.IsEmpty()) return std::nullopt;
  return Cat("numClasses is ", arguments.Integer(kNumClasses), " and self.shape is ",
             contract::ShapeText(self), "; expected a number above 0.");
}
inline std::optional<std::string> WrongShape(const contract::Arguments& arguments) {
  const TensorDescriptor& self = arguments.Tensor(kSelf);
  const int64_t axis = arguments.Integer(kAxis);
  std::vector<int64_t> expected = self.shape;
  expected.insert(expected.begin() + static_cast<ptrdiff_t>(axis < 0 ? self.rank() : axis),
                  arguments.Integer(kNumClasses));
  return contract::OtherShape("out", arguments.Tensor(kOut), expected,
                              Cat("self.shape ", contract::ShapeText(self), ", numClasses ",
                                  arguments.Integer(kNumClasses), " and axis ", axis));
}
inline std::optional<std::string> NoAxis(const contract::Arguments& arguments) {
  const TensorDescriptor& self = arguments.Tensor(kSelf);
  const int64_t axis = arguments.Integer(kAxis);
  if (axis >= -1 && axis <= self.rank()) return std::nullopt;
  return Cat("axis is ", axis, " but self.shape is ", contract::ShapeText(self),
             "; expected a number from -1 to ", self.rank(), ".");
}

inline constexpr contract::Parameter kParameters[] = {
    contract::WithRank(
        contract::Input("self", contract::OnAll(contract::DTypes(DType::kInt32, DType::kInt64)),
                        "indices"),
        0, 7),
    contract::Attribute("numClasses", contract::Kind::kInteger, "how many there are"),
    contract::WithRank(contract::Input("onValue", kValues, "one element"), 0, 1),
    contract::WithRank(contract::Input("offValue", kValues, "one element"), 0, 1),
    contract::Attribute("axis", contract::Kind::kInteger, "of out, -1 the last"),
    contract::WithRank(contract::Output("out", kValues, "a dimension more than self"), 1, 8)};
inline constexpr contract::Rule kRules[] = {
    contract::SameDType("same-dtype/onValue", kOnValue, kOut, "pass a value of the dtype of out"),
    contract::SameDType("same-dtype/offValue", kOffValue, kOut, "pass a value of the dtype of out"),
    contract::InRange("range/numClasses", kNumClasses, contract::AtLeast(0),
                      "pass how many classes there are"),
    contract::OneElement("one-element/onValue", kOnValue, "pass a tensor of shape [] or [1]"),
    contract::OneElement("one-element/offValue", kOffValue, "pass a tensor of shape [] or [1]"),
    contract::Custom("no-classes/numClasses", &NoClasses,
                     "numClasses is above 0 if self has no elements",
                     "pass how many classes there are"),
    contract::Custom("range/axis", &NoAxis,
                     "axis is a dimension of out, which has one more than self",
                     "pass -1 for the last one"),
    contract::Custom("shape/out", &WrongShape,
                     "out has the shape of self with numClasses inserted at axis",
                     "allocate out with that shape"),
};
inline constexpr contract::Contract kContract = {
    .function = "aclnnOneHot",
    .folder = "one_hot",
    .summary =
        "One-hot vectors: out = onValue where the index along the new axis is that in self, else "
        "offValue.",
    .parameters = kParameters,
    .rules = kRules,
};
static_assert(contract::Matches<decltype(aclnnOneHotGetWorkspaceSize)>(kContract));

}  // namespace one_hot

}  // namespace aclimb::fills
