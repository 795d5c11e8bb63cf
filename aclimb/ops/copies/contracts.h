#pragma once

#include "aclimb/contract/contract.h"
#include "aclimb/contract/expected_shape.h"
#include "aclimb/contract/signature.h"
#include "aclimb/core/dimensions.h"
#include "aclnnop/aclnn_cast.h"
#include "aclnnop/aclnn_copy.h"
#include "aclnnop/aclnn_permute.h"

// Operators that copy one tensor into another one.
namespace aclimb::copies {

// The old chips lack BFLOAT16.
inline constexpr auto kAll = contract::OnOldAndNew(
    contract::DTypes(DType::kFloat32, DType::kFloat16, DType::kFloat64, DType::kInt8, DType::kInt16,
                     DType::kInt32, DType::kInt64, DType::kUInt8, DType::kUInt16, DType::kUInt32,
                     DType::kUInt64, DType::kBool, DType::kComplex64, DType::kComplex128),
    contract::DTypes(DType::kFloat32, DType::kFloat16, DType::kFloat64, DType::kInt8, DType::kInt16,
                     DType::kInt32, DType::kInt64, DType::kUInt8, DType::kUInt16, DType::kUInt32,
                     DType::kUInt64, DType::kBool, DType::kComplex64, DType::kComplex128,
                     DType::kBFloat16));

namespace inplace_copy {

enum : int { kSelfRef, kSrc };

inline std::optional<std::string> ComplexToBool(const contract::Arguments& arguments) {
  const DType from = arguments.Tensor(kSrc).dtype;
  if (!IsComplex(from) || arguments.Tensor(kSelfRef).dtype != DType::kBool) return std::nullopt;
  return Cat("src.dtype is ", NameOf(from), " and selfRef.dtype is BOOL; expected another dtype.");
}

inline constexpr contract::Parameter kParameters[] = {
    contract::MayBe(contract::Output("selfRef", kAll, "overwritten"), kSrc),
    contract::Input("src", kAll, "broadcasts to selfRef"),
};
inline constexpr contract::Rule kRules[] = {
    contract::Custom("complex-to-bool/src", &ComplexToBool,
                     "src is not complex when selfRef is BOOL", "compare src with 0 instead"),
    contract::Broadcasts("broadcasts/src", kSelfRef, kSrc, "expand src to the shape of selfRef"),
};
inline constexpr contract::Contract kContract = {
    .function = "aclnnInplaceCopy",
    .folder = "inplace_copy",
    .summary = "selfRef = src, converted and broadcast.",
    .parameters = kParameters,
    .rules = kRules,
};
static_assert(contract::Matches<decltype(aclnnInplaceCopyGetWorkspaceSize)>(kContract));

}  // namespace inplace_copy

namespace cast {

enum : int { kSelf, kDType, kOut };

inline std::string NameOfNumber(int64_t dtype) {
  const auto known = static_cast<DType>(dtype);
  return Cat(dtype, IsKnown(known) ? Cat(" (", NameOf(known), ")") : std::string());
}
inline std::optional<std::string> ComplexToBool(const contract::Arguments& arguments) {
  const DType from = arguments.Tensor(kSelf).dtype;
  if (!IsComplex(from) || arguments.Tensor(kOut).dtype != DType::kBool) return std::nullopt;
  return Cat("self.dtype is ", NameOf(from), " and dtype is ",
             NameOfNumber(arguments.Integer(kDType)), "; expected another one.");
}

inline constexpr contract::Parameter kParameters[] = {
    contract::Input("self", kAll, "any shape"),
    contract::Attribute("dtype", contract::Kind::kInteger, "of out"),
    contract::MayBe(contract::Output("out", kAll, "shape of self"), kSelf),
};
inline constexpr contract::Rule kRules[] = {
    contract::SameShape("same-shape/out", kOut, kSelf, "allocate out with the shape of self"),
    contract::NamesDType("dtype/dtype", kDType, kOut, "allocate out with that dtype"),
    contract::Custom("complex-to-bool/self", &ComplexToBool,
                     "self is not complex when dtype is BOOL", "compare self with 0 instead"),
};
inline constexpr contract::Contract kContract = {
    .function = "aclnnCast",
    .folder = "cast",
    .summary = "out = self, converted to another dtype.",
    .parameters = kParameters,
    .rules = kRules,
};
static_assert(contract::Matches<decltype(aclnnCastGetWorkspaceSize)>(kContract));

}  // namespace cast

namespace permute {

enum : int { kSelf, kDims, kOut };

inline std::optional<std::string> WrongShape(const contract::Arguments& arguments) {
  const TensorDescriptor& self = arguments.Tensor(kSelf);
  const IntArrayValue& dims = arguments.Ints(kDims);
  std::vector<int64_t> expected;
  for (const int64_t dim : dims) {
    expected.push_back(self.shape[WrapDimension(dim, self.rank())]);
  }
  return contract::OtherShape(
      "out", arguments.Tensor(kOut), expected,
      Cat("self.shape ", contract::ShapeText(self), " and dims ", contract::IntsText(dims)));
}

inline constexpr contract::Parameter kParameters[] = {
    contract::Input("self", kAll, "any shape"),
    contract::Attribute("dims", contract::Kind::kIntArray, "each dimension of self once"),
    contract::Output("out", kAll, "its dimension i is dimension dims[i] of self"),
};
inline constexpr contract::Rule kRules[] = {
    contract::SameDType("same-dtype/out", kOut, kSelf, "allocate out with the dtype of self"),
    contract::InRange("range/dims", kDims, contract::DistinctDimensionsOf(kSelf),
                      "name each dimension of self once"),
    contract::CountOf("count/dims", kDims, kSelf, "name each dimension of self once"),
    contract::Custom("shape/out", &WrongShape,
                     "dimension i of out is as long as dimension dims[i] of self",
                     "allocate out with that shape"),
};
inline constexpr contract::Contract kContract = {
    .function = "aclnnPermute",
    .folder = "permute",
    .summary = "out = self with its dimensions in another order.",
    .parameters = kParameters,
    .rules = kRules,
};
static_assert(contract::Matches<decltype(aclnnPermuteGetWorkspaceSize)>(kContract));

}  // namespace permute

}  // namespace aclimb::copies
