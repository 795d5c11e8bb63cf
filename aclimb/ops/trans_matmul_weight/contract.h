#pragma once

#include <optional>
#include <string>

#include "aclimb/contract/contract.h"
#include "aclimb/contract/signature.h"
#include "aclimb/core/text.h"
#include "aclnnop/aclnn_trans_matmul_weight.h"

namespace aclimb::trans_matmul_weight {

enum : int { kWeight };

inline constexpr contract::ProductDTypes kDTypes = {
    {contract::DTypes(DType::kFloat16, DType::kInt8), 0,
     contract::DTypes(DType::kFloat16, DType::kInt8, DType::kBFloat16),
     contract::DTypes(DType::kFloat16, DType::kInt8, DType::kBFloat16), 0}};

inline constexpr contract::Parameter kParameters[] = {contract::WithRank(
    contract::InOut("mmWeightRef", kDTypes, "a weight, which stays as it is"), 2, 6)};

inline std::optional<std::string> WrongRank(const contract::Arguments& arguments) {
  const TensorDescriptor& weight = arguments.Tensor(kWeight);
  if (weight.dtype == DType::kInt8 || weight.rank() == 2) return std::nullopt;
  return Cat("mmWeightRef.shape is ", ShapeText(weight.shape.data(), weight.shape.size()),
             " and mmWeightRef.dtype is ", NameOf(weight.dtype), "; expected rank 2.");
}
inline std::optional<std::string> IsEmpty(const contract::Arguments& arguments) {
  const TensorDescriptor& weight = arguments.Tensor(kWeight);
  if (!weight.IsEmpty()) return std::nullopt;
  return Cat("mmWeightRef.shape is ", ShapeText(weight.shape.data(), weight.shape.size()),
             "; expected extents above 0.");
}

inline constexpr contract::Rule kRules[] = {
    contract::Custom("rank-of-floats", &WrongRank, "mmWeightRef is a matrix unless it is INT8",
                     "prepare the matrices one by one"),
    contract::Custom("not-empty", &IsEmpty, "mmWeightRef is not empty", "leave the call out"),
};

inline constexpr contract::Contract kContract = {
    .function = "aclnnTransMatmulWeight",
    .folder = "trans_matmul_weight",
    .summary = "Prepares a weight for products of matrices, which here take it as it is.",
    .products = Bit(Product::kInference310P) | Bit(Product::kA2) | Bit(Product::kA3),
    .parameters = kParameters,
    .rules = kRules,
};
static_assert(contract::Matches<decltype(aclnnTransMatmulWeightGetWorkspaceSize)>(kContract));

}  // namespace aclimb::trans_matmul_weight
