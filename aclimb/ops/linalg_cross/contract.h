#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "aclimb/contract/contract.h"
#include "aclimb/contract/expected_shape.h"
#include "aclimb/contract/signature.h"
#include "aclimb/core/dimensions.h"
#include "aclimb/core/text.h"
#include "aclnnop/aclnn_linalg_cross.h"

namespace aclimb::linalg_cross {

// Parameter positions, in the order of the C function.
enum : int { kSelf, kOther, kDim, kOut };

inline constexpr auto kDTypes =
    contract::AndBFloat16(DType::kFloat32, DType::kFloat16, DType::kFloat64, DType::kInt8,
                          DType::kInt16, DType::kInt32, DType::kInt64, DType::kUInt8);

inline std::optional<std::string> NoVectors(const contract::Arguments& arguments) {
  const TensorDescriptor& out = arguments.Tensor(kOut);
  const int64_t dim = arguments.Integer(kDim);
  if (out.rank() > 0 && out.shape[WrapDimension(dim, out.rank())] == 3) {
    return std::nullopt;
  }
  return Cat("out.shape is ", contract::ShapeText(out), " and dim is ", dim,
             "; expected 3 elements along the dimension.");
}

inline constexpr contract::Parameter kParameters[] = {
    contract::Input("self", kDTypes, "vectors of three elements, or of one that is repeated"),
    contract::Input("other", kDTypes, "the same; broadcasts with self"),
    contract::Attribute("dim", contract::Kind::kInteger,
                        "the dimension of out along which the vectors lie, -1 the last"),
    contract::WithRank(
        contract::Output("out", kDTypes, "the shape to which self and other broadcast"), 1, 8),
};

inline constexpr contract::Rule kRules[] = {
    contract::SameDType("same-dtype/other", kOther, kSelf, "convert other to the dtype of self"),
    contract::SameDType("same-dtype/out", kOut, kSelf, "create out with the dtype of self"),
    contract::InRange("range/dim", kDim, contract::DimensionOf(kOut), "name a dimension of out"),
    contract::Broadcasts("shape/out", kOut, kSelf, kOther,
                         "pass tensors that broadcast, and allocate out with the shape to which "
                         "they do"),
    contract::Custom("vectors/out", &NoVectors, "out has 3 elements along dim",
                     "pass vectors of three elements and the dimension along which they lie"),
};

inline constexpr contract::Contract kContract = {
    .function = "aclnnLinalgCross",
    .folder = "linalg_cross",
    .summary = "Cross products of vectors of three elements along a dimension.",
    .products = kAllProducts & ~Bit(Product::kInference310P),
    .parameters = kParameters,
    .rules = kRules,
};

static_assert(contract::Matches<decltype(aclnnLinalgCrossGetWorkspaceSize)>(kContract));

}  // namespace aclimb::linalg_cross
