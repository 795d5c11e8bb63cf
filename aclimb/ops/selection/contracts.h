#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "aclimb/contract/broadcast.h"
#include "aclimb/contract/contract.h"
#include "aclimb/contract/expected_shape.h"
#include "aclimb/contract/real_dtypes.h"
#include "aclimb/contract/signature.h"
#include "aclimb/contract/told.h"
#include "aclnnop/aclnn_equal.h"
#include "aclnnop/aclnn_isclose.h"
#include "aclnnop/aclnn_isin_scalar_tensor.h"
#include "aclnnop/aclnn_isin_tensor_scalar.h"
#include "aclnnop/aclnn_masked_scatter.h"
#include "aclnnop/aclnn_masked_select.h"
#include "aclnnop/aclnn_nonzero.h"
#include "aclnnop/aclnn_nonzero_v2.h"

// Comparisons of whole tensors, and elements by a mask.
namespace aclimb::selection {

using contract::Arguments;
using contract::Kind;

// On the old chips; the new ones also have BFLOAT16.
inline constexpr contract::DTypeMask kNumbers =
    contract::kHalfDTypes | contract::DTypes(DType::kFloat64, DType::kInt64, DType::kInt32,
                                             DType::kInt16, DType::kInt8, DType::kUInt8,
                                             DType::kBool);
constexpr contract::ProductDTypes WithBFloat16(contract::DTypeMask old_chips) {
  return contract::OnOldAndNew(old_chips, old_chips | contract::DTypes(DType::kBFloat16));
}

namespace equal {

enum : int { kSelf, kOther, kOut };

inline constexpr contract::Parameter kParameters[] = {
    contract::Input("self", contract::kRealDTypes, "any shape"),
    contract::Input("other", contract::kRealDTypes, "compared with self"),
    contract::WithRank(
        contract::Output("out", contract::OnAll(contract::DTypes(DType::kBool)), "one element"), 0,
        1),
};
inline constexpr contract::Rule kRules[] = {
    contract::Promotes("promotes/other", kSelf, kOther, "cast one of them"),
    contract::OneElement("one-element/out", kOut, "allocate out with the shape [] or [1]"),
};
inline constexpr contract::Contract kContract = {
    .function = "aclnnEqual",
    .folder = "equal",
    .summary = "Whether two tensors have the same shape and equal elements.",
    .parameters = kParameters,
    .rules = kRules,
};
static_assert(contract::Matches<decltype(aclnnEqualGetWorkspaceSize)>(kContract));

}  // namespace equal

namespace is_close {

enum : int { kSelf, kOther, kRtol, kAtol, kEqualNan, kOut };

inline constexpr contract::Parameter kParameters[] = {
    contract::Input("self", WithBFloat16(kNumbers), "any shape"),
    contract::Input("other", WithBFloat16(kNumbers), "what self may be close to"),
    contract::Attribute("rtol", Kind::kReal, "how far off, relative to other"),
    contract::Attribute("atol", Kind::kReal, "how far off beside that"),
    contract::Attribute("equal_nan", Kind::kBool, "whether NaN is close to NaN"),
    contract::MayBe(contract::Output("out", contract::OnAll(contract::DTypes(DType::kBool)),
                                     "the shape that both broadcast to"),
                    kSelf, kOther),
};
inline constexpr contract::Rule kRules[] = {
    contract::SameDType("same-dtype/other", kOther, kSelf, "cast one of them"),
    contract::InRange("range/rtol", kRtol, contract::AtLeast(0), "pass 0 or more"),
    contract::InRange("range/atol", kAtol, contract::AtLeast(0), "pass 0 or more"),
    contract::Broadcasts("broadcast/out", kOut, kSelf, kOther,
                         "allocate out with the shape that both broadcast to"),
};
inline constexpr contract::Contract kContract = {
    .function = "aclnnIsClose",
    .folder = "is_close",
    .summary = "Whether elements are equal but for a tolerance.",
    .parameters = kParameters,
    .rules = kRules,
};
static_assert(contract::Matches<decltype(aclnnIsCloseGetWorkspaceSize)>(kContract));

}  // namespace is_close

// ---- aclnnIsInTensorScalar and aclnnIsInScalarTensor

inline constexpr auto kIsInTypes =
    contract::AndBFloat16(DType::kFloat32, DType::kFloat16, DType::kFloat64, DType::kInt8,
                          DType::kInt16, DType::kInt32, DType::kInt64, DType::kUInt8);
inline constexpr contract::Parameter kAssumeUniqueParameter = contract::Attribute(
    "assumeUnique", Kind::kBool, "whether no element is there twice, which does not matter");
// A real scalar promotes with every dtype of kIsInTypes.
inline constexpr const char* kFixNumber = "pass a real scalar";

namespace is_in_tensor_scalar {

enum : int { kElement, kTestElement, kAssumeUnique, kInvert, kOut };

inline constexpr contract::Parameter kParameters[] = {
    contract::Input("element", kIsInTypes, "any shape"),
    contract::Attribute("testElement", Kind::kScalar, "what elements are compared with"),
    kAssumeUniqueParameter,
    contract::Attribute("invert", Kind::kBool,
                        "true: out is true where the element is not the number"),
    contract::Output("out", contract::OnAll(contract::DTypes(DType::kBool)), "shape of element")};
inline constexpr contract::Rule kRules[] = {
    contract::ConvertsToFloat("real/testElement", kTestElement, kFixNumber),
    contract::SameShape("same-shape/out", kOut, kElement,
                        "allocate out with the shape of element")};
inline constexpr contract::Contract kContract = {
    .function = "aclnnIsInTensorScalar",
    .folder = "is_in_tensor_scalar",
    .summary = "Whether an element is a number, or is not, element by element.",
    .products = static_cast<uint8_t>(kAllProducts & ~Bit(Product::kInference310P)),
    .parameters = kParameters,
    .rules = kRules,
};
static_assert(contract::Matches<decltype(aclnnIsInTensorScalarGetWorkspaceSize)>(kContract));

}  // namespace is_in_tensor_scalar

namespace is_in_scalar_tensor {

enum : int { kElement, kTestElements, kAssumeUnique, kInvert, kOut };

inline constexpr contract::Parameter kParameters[] = {
    contract::Attribute("element", Kind::kScalar, "what is looked for"),
    contract::Input("testElements", kIsInTypes, "any shape"), kAssumeUniqueParameter,
    contract::Attribute("invert", Kind::kBool,
                        "true: out is true if the number is not among the elements"),
    contract::WithRank(
        contract::Output("out", contract::OnAll(contract::DTypes(DType::kBool)), "one element"), 0,
        1)};
inline constexpr contract::Rule kRules[] = {
    contract::ConvertsToFloat("real/element", kElement, kFixNumber),
    contract::OneElement("one-element/out", kOut, "allocate out with the shape [] or [1]")};
inline constexpr contract::Contract kContract = {
    .function = "aclnnIsInScalarTensor",
    .folder = "is_in_scalar_tensor",
    .summary = "Whether a number is among the elements of a tensor, or is not.",
    .products = static_cast<uint8_t>(kAllProducts & ~Bit(Product::kInference310P)),
    .parameters = kParameters,
    .rules = kRules,
};
static_assert(contract::Matches<decltype(aclnnIsInScalarTensorGetWorkspaceSize)>(kContract));

}  // namespace is_in_scalar_tensor

namespace masked_select {

enum : int { kSelf, kMask, kOut };

inline std::optional<std::string> NoBroadcast(const Arguments& arguments) {
  const TensorDescriptor& self = arguments.Tensor(kSelf);
  const TensorDescriptor& mask = arguments.Tensor(kMask);
  if (contract::BroadcastShape(self.shape, mask.shape)) return std::nullopt;
  return Cat(contract::ShapeTold("self", self), " and ", contract::ShapeTold("mask", mask),
             "; expected shapes that broadcast.");
}
inline std::optional<std::string> WrongLength(const Arguments& arguments) {
  const TensorDescriptor& self = arguments.Tensor(kSelf);
  const TensorDescriptor& mask = arguments.Tensor(kMask);
  const std::vector<int64_t> both = *contract::BroadcastShape(self.shape, mask.shape);
  int64_t count = 1;
  for (const int64_t extent : both) {
    count = contract::ExtentTimes(count, extent);
  }
  return contract::OtherShape(
      "out", arguments.Tensor(kOut), {count},
      Cat("self.shape ", contract::ShapeText(self), " and mask.shape ", contract::ShapeText(mask)));
}

inline constexpr contract::Parameter kParameters[] = {
    contract::Input("self", WithBFloat16(kNumbers), "any shape"),
    contract::Input("mask", contract::OnAll(contract::DTypes(DType::kBool, DType::kUInt8)),
                    "true where it is not 0"),
    contract::WithRank(contract::Output("out", WithBFloat16(kNumbers),
                                        "room for all elements; the rest is 0. Its shape becomes "
                                        "how many were selected"),
                       1, 1),
};
inline constexpr contract::Rule kRules[] = {
    contract::SameDType("same-dtype/out", kOut, kSelf, "create out with the dtype of self"),
    contract::Custom("broadcast/mask", &NoBroadcast, "self and mask broadcast",
                     "pass a mask of the shape of self"),
    contract::Custom("shape/out", &WrongLength,
                     "out has the number of elements of what self and mask broadcast to",
                     "allocate out with that length"),
};
inline constexpr contract::Contract kContract = {
    .function = "aclnnMaskedSelect",
    .folder = "masked_select",
    .summary = "The elements of self where mask is true.",
    .parameters = kParameters,
    .rules = kRules,
};
static_assert(contract::Matches<decltype(aclnnMaskedSelectGetWorkspaceSize)>(kContract));

}  // namespace masked_select

namespace inplace_masked_scatter {

enum : int { kSelf, kMask, kSource };

inline constexpr contract::Parameter kParameters[] = {
    contract::InOut("selfRef", WithBFloat16(kNumbers), "any shape"),
    contract::Input("mask", contract::OnAll(contract::DTypes(DType::kBool, DType::kUInt8)),
                    "broadcasts to selfRef; true where it is not 0"),
    contract::Input("source", WithBFloat16(kNumbers),
                    "what goes there, in row-major order; has at least as many elements as mask is "
                    "true, and where it ends selfRef stays as it is"),
};
inline constexpr contract::Rule kRules[] = {
    contract::SameDType("same-dtype/source", kSource, kSelf, "pass a source of selfRef's dtype"),
    contract::Broadcasts("broadcasts/mask", kSelf, kMask,
                         "pass a mask of the shape of selfRef, or one that broadcasts to it"),
};
inline constexpr contract::Contract kContract = {
    .function = "aclnnInplaceMaskedScatter",
    .folder = "inplace_masked_scatter",
    .summary = "Replaces the elements where mask is true by those of source, one after the other.",
    .parameters = kParameters,
    .rules = kRules,
};
static_assert(contract::Matches<decltype(aclnnInplaceMaskedScatterGetWorkspaceSize)>(kContract));

}  // namespace inplace_masked_scatter

// Of aclnnNonzero, and of aclnnNonzeroV2, whose output is transposed.
struct Nonzero {
  enum : int { kSelf, kOut };
};

template <bool kTransposed>
std::optional<std::string> NoRoomForIndices(const Arguments& arguments) {
  const TensorDescriptor& self = arguments.Tensor(Nonzero::kSelf);
  std::vector<int64_t> expected = {self.ElementCount(), self.rank()};
  const TensorDescriptor& out = arguments.Tensor(Nonzero::kOut);
  // A row of no indices needs no room, and torch_npu allocates none if it knows the number to be 0.
  if (!kTransposed && self.rank() == 0 && out.shape == std::vector<int64_t>{0, 0}) {
    return std::nullopt;
  }
  if (kTransposed) std::swap(expected[0], expected[1]);
  return contract::OtherShape("out", out, expected, Cat("self.shape ", contract::ShapeText(self)));
}
inline constexpr auto kPlaces = contract::OnAll(contract::DTypes(DType::kInt64));

namespace nonzero {

inline constexpr contract::Parameter kParameters[] = {
    contract::Input("self", WithBFloat16(kNumbers), "any shape; NaN is not 0"),
    contract::WithRank(contract::Output("out", kPlaces,
                                        "room for the indices of all elements, a row each; the "
                                        "rest is 0. Its shape becomes how many were found"),
                       2, 2),
};
inline constexpr contract::Rule kRules[] = {
    contract::Custom("shape/out", &NoRoomForIndices<false>,
                     "out has a row for each element of self, as long as self has dimensions",
                     "allocate out with that shape")};
inline constexpr contract::Contract kContract = {
    .function = "aclnnNonzero",
    .folder = "nonzero",
    .summary = "Indices of the elements that are not 0, a row each.",
    .parameters = kParameters,
    .rules = kRules,
};
static_assert(contract::Matches<decltype(aclnnNonzeroGetWorkspaceSize)>(kContract));

}  // namespace nonzero

namespace nonzero_v2 {

inline constexpr contract::Parameter kParameters[] = {
    contract::Input("self", contract::kRealDTypes, "any shape; NaN is not 0"),
    contract::WithRank(contract::Output("out", kPlaces,
                                        "room for the indices of all elements, a row for each "
                                        "dimension. Its shape becomes how many were found; the "
                                        "rows then follow each other, and the rest is 0"),
                       2, 2),
};
inline constexpr contract::Rule kRules[] = {
    contract::Custom("shape/out", &NoRoomForIndices<true>,
                     "out has a row for each dimension of self, as long as self has elements",
                     "allocate out with that shape")};
inline constexpr contract::Contract kContract = {
    .function = "aclnnNonzeroV2",
    .folder = "nonzero_v2",
    .summary = "Indices of the elements that are not 0, a row for each dimension.",
    .products = static_cast<uint8_t>(kAllProducts & ~Bit(Product::kInference310P)),
    .parameters = kParameters,
    .rules = kRules,
};
static_assert(contract::Matches<decltype(aclnnNonzeroV2GetWorkspaceSize)>(kContract));

}  // namespace nonzero_v2

}  // namespace aclimb::selection
