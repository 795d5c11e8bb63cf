#pragma once

#include "aclimb/contract/contract.h"
#include "aclimb/contract/signature.h"
#include "aclimb/core/text.h"
#include "aclnnop/aclnn_embedding_dense_backward.h"

namespace aclimb::embedding_dense_backward {

// Parameter positions, in the order of the C function.
enum : int { kGrad, kIndices, kNumWeights, kPaddingIdx, kScaleGradByFreq, kOut };

inline constexpr auto kIndexDTypes =
    contract::DTypes(DType::kFloat32, DType::kFloat16, DType::kFloat64, DType::kInt32,
                     DType::kInt64, DType::kInt16, DType::kInt8, DType::kUInt8, DType::kBool);

inline constexpr contract::Parameter kParameters[] = {
    contract::WithShape(
        contract::Input("grad",
                        contract::OnOldAndNew(contract::kHalfDTypes, contract::kFloatDTypes),
                        "gradient of the looked-up rows, one row of D elements per index"),
        "S... D"),
    contract::Input("indices", contract::OnAll(kIndexDTypes),
                    "row of the table for each row of grad, truncated towards zero; those outside "
                    "[0, numWeights) are skipped"),
    contract::Attribute("numWeights", contract::Kind::kInteger, "rows of the table, below 2^63"),
    contract::Attribute("paddingIdx", contract::Kind::kInteger,
                        "row that gets zeros; read as signed, and without effect outside "
                        "[0, numWeights)"),
    contract::Attribute("scaleGradByFreq", contract::Kind::kBool,
                        "true: divide each row by the number of its indices"),
    contract::WithShape(
        contract::Output("out",
                         contract::OnOldAndNew(contract::kHalfDTypes, contract::kFloatDTypes),
                         "gradient of the table; its dtype may differ from grad's"),
        "numWeights D"),
};

inline std::string Shape(const TensorDescriptor& tensor) {
  return ShapeText(tensor.shape.data(), tensor.shape.size());
}

// Only the products are compared, so [4, 3, 5] goes with indices of [12], [4, 3] or [2, 6].
inline std::optional<std::string> RowsDiffer(const contract::Arguments& arguments) {
  const TensorDescriptor& grad = arguments.Tensor(kGrad);
  const TensorDescriptor& indices = arguments.Tensor(kIndices);
  // Without columns nothing is summed, and the rows need not match.
  if (grad.shape.back() == 0) return std::nullopt;
  const int64_t rows = grad.ElementCount() / grad.shape.back();
  if (rows == indices.ElementCount()) return std::nullopt;
  return Cat("grad.shape is ", Shape(grad), ", which is ", rows, " rows of ", grad.shape.back(),
             ", but indices.shape is ", Shape(indices), ", which is ", indices.ElementCount(),
             " indices; expected one index per row.");
}

inline constexpr contract::Rule kRules[] = {
    // Rows are counted with a sign.
    contract::InRange("range/numWeights", kNumWeights, contract::Below2To63(),
                      "pass the number of rows of the table"),
    contract::Custom("one-index-per-row/indices", &RowsDiffer,
                     "indices has as many elements as grad has rows, whatever their shapes",
                     "pass the indices of the forward call and the gradient of its output"),
};

inline constexpr contract::Contract kContract = {
    .function = "aclnnEmbeddingDenseBackward",
    .folder = "embedding_dense_backward",
    .summary = "Gradient of an embedding table: rows of grad with the same index are summed.",
    .products = static_cast<uint8_t>(kAllProducts & ~Bit(Product::kInference310P)),
    .parameters = kParameters,
    .rules = kRules,
};

static_assert(contract::Matches<decltype(aclnnEmbeddingDenseBackwardGetWorkspaceSize)>(kContract));

}  // namespace aclimb::embedding_dense_backward
