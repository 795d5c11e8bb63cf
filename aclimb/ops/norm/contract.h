#pragma once

#include <cmath>
#include <optional>
#include <string>

#include "aclimb/contract/contract.h"
#include "aclimb/contract/reduced.h"
#include "aclimb/contract/signature.h"
#include "aclimb/core/text.h"
#include "aclnnop/aclnn_linalg_vector_norm.h"
#include "aclnnop/aclnn_norm.h"

namespace aclimb::norm {

// Parameter positions of both; the second one has an attribute more before the output.
enum : int { kSelf, kOrder, kDims, kKeep, kOut };
enum : int { kDType = 4, kOutAfterDType };

inline constexpr auto kFloats =
    contract::OnOldAndNew(contract::kHalfDTypes, contract::kFloatDTypes);

// What is largest or smallest has to be there; with p below 0, |x|^p of nothing has no root.
template <bool kLinalg>
std::optional<std::string> Nothing(const contract::Arguments& arguments) {
  const TensorDescriptor& self = arguments.Tensor(kSelf);
  const auto reduced = contract::ReducedDimensions(arguments, kSelf, kDims);
  const float order = arguments.Scalar(kOrder).ToFloat();
  if (order >= 0 && std::isfinite(order)) return std::nullopt;
  for (int d = 0; d < self.rank(); ++d) {
    if (!contract::Has(reduced, d) || self.shape[static_cast<size_t>(d)] != 0) continue;
    const IntArrayValue& dims = arguments.Ints(kDims);
    return Cat(kLinalg ? "ord" : "pScalar", " is ", arguments.Scalar(kOrder).Text(),
               ", self.shape is ", ShapeText(self.shape.data(), self.shape.size()), " and ",
               kLinalg ? "dims" : "dim", " is ", ShapeText(dims.data(), dims.size()),
               "; expected at least one element in what is reduced.");
  }
  return std::nullopt;
}

constexpr const char* kFixDims = "name dimensions of self, each once; none means all";
constexpr const char* kStatement = "self has elements if p is infinite or below 0";
constexpr const char* kFixNothing = "leave out tensors without elements";

inline constexpr contract::Parameter kNormParameters[] = {
    contract::Input("self", kFloats, "any shape"),
    contract::Attribute("pScalar", contract::Kind::kScalar, "p, also infinite"),
    contract::Attribute("dim", contract::Kind::kIntArray,
                        "the dimensions that are reduced; none means all"),
    contract::Attribute("keepdim", contract::Kind::kBool,
                        "whether the reduced dimensions are kept, as 1"),
    contract::Output("out", kFloats, "what is left of self")};
inline constexpr contract::Rule kNormRules[] = {
    contract::ConvertsToFloat("real/pScalar", kOrder, "pass a real scalar"),
    contract::InRange("range/dim", kDims, contract::DistinctDimensionsOf(kSelf), kFixDims),
    contract::Reduces("shape/out", kOut, kSelf, kDims, kKeep),
    contract::Custom("some/self", &Nothing<false>, kStatement, kFixNothing)};
inline constexpr contract::Contract kNormContract = {
    .function = "aclnnNorm",
    .folder = "norm",
    .summary = "p-norms of the elements along dimensions.",
    .parameters = kNormParameters,
    .rules = kNormRules};
static_assert(contract::Matches<decltype(aclnnNormGetWorkspaceSize)>(kNormContract));

inline constexpr contract::Parameter kLinalgVectorNormParameters[] = {
    contract::Input("self", kFloats, "any shape"),
    contract::Attribute("ord", contract::Kind::kScalar, "p, also infinite"),
    contract::Attribute("dims", contract::Kind::kIntArray,
                        "the dimensions that are reduced; none means all"),
    contract::Attribute("keepDims", contract::Kind::kBool,
                        "whether the reduced dimensions are kept, as 1"),
    contract::Attribute("dtype", contract::Kind::kInteger, "what the norms are rounded to"),
    contract::Output("out", kFloats, "what is left of self")};
inline constexpr contract::Rule kLinalgVectorNormRules[] = {
    contract::NamesDTypeBetween("dtype/dtype", kDType, kSelf, kOutAfterDType,
                                "pass the dtype of the output"),
    contract::ConvertsToFloat("real/ord", kOrder, "pass a real scalar"),
    contract::InRange("range/dims", kDims, contract::DistinctDimensionsOf(kSelf), kFixDims),
    contract::Reduces("shape/out", kOutAfterDType, kSelf, kDims, kKeep),
    contract::Custom("some/self", &Nothing<true>, kStatement, kFixNothing)};
inline constexpr contract::Contract kLinalgVectorNormContract = {
    .function = "aclnnLinalgVectorNorm",
    .folder = "linalg_vector_norm",
    .summary = "p-norms of the elements along dimensions, rounded to a dtype.",
    .products = kAllProducts & ~Bit(Product::kInference310P),
    .parameters = kLinalgVectorNormParameters,
    .rules = kLinalgVectorNormRules};
static_assert(
    contract::Matches<decltype(aclnnLinalgVectorNormGetWorkspaceSize)>(kLinalgVectorNormContract));

}  // namespace aclimb::norm
