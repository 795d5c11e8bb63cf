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
    contract::WithRank(
        contract::Input("grad",
                        contract::OnOldAndNew(contract::kHalfDTypes, contract::kFloatDTypes),
                        "gradient of the looked-up rows, one row of its last dimension per index"),
        1, 8),
    contract::Input("indices", contract::OnAll(kIndexDTypes),
                    "row of the table for each row of grad, truncated towards zero; those outside "
                    "[0, numWeights) are skipped"),
    contract::Attribute("numWeights", contract::Kind::kInteger, "rows of the table, below 2^63"),
    contract::Attribute("paddingIdx", contract::Kind::kInteger,
                        "row that gets zeros; read as signed, and without effect outside "
                        "[0, numWeights)"),
    contract::Attribute("scaleGradByFreq", contract::Kind::kBool,
                        "true: divide each row by the number of its indices"),
    contract::WithRank(
        contract::Output("out",
                         contract::OnOldAndNew(contract::kHalfDTypes, contract::kFloatDTypes),
                         "[numWeights, last dimension of grad]; its dtype may differ from grad's"),
        2, 2),
};

inline std::string Shape(const TensorDescriptor& tensor) {
  return ShapeText(tensor.shape.data(), tensor.shape.size());
}

// The C parameter is unsigned; rows are counted with a sign.
inline std::optional<std::string> TooManyWeights(const contract::Arguments& arguments) {
  if (arguments.Integer(kNumWeights) >= 0) return std::nullopt;
  return Cat("numWeights is ", static_cast<uint64_t>(arguments.Integer(kNumWeights)),
             "; expected a number below 2^63.");
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

inline std::optional<std::string> OutRowsDiffer(const contract::Arguments& arguments) {
  const TensorDescriptor& out = arguments.Tensor(kOut);
  if (out.shape[0] == arguments.Integer(kNumWeights)) return std::nullopt;
  return Cat("out.shape is ", Shape(out), " but numWeights is ", arguments.Integer(kNumWeights),
             "; expected out.shape[0] = numWeights.");
}

inline std::optional<std::string> OutColumnsDiffer(const contract::Arguments& arguments) {
  const TensorDescriptor& grad = arguments.Tensor(kGrad);
  const TensorDescriptor& out = arguments.Tensor(kOut);
  if (out.shape[1] == grad.shape.back()) return std::nullopt;
  return Cat("out.shape is ", Shape(out), " but grad.shape is ", Shape(grad),
             "; expected out.shape[1] = last dimension of grad.");
}

inline constexpr contract::Rule kRules[] = {
    contract::Custom("range/numWeights", &TooManyWeights, "numWeights < 2^63",
                     "pass the number of rows of the table"),
    contract::Custom("one-index-per-row/indices", &RowsDiffer,
                     "indices has as many elements as grad has rows, whatever their shapes",
                     "pass the indices of the forward call and the gradient of its output"),
    contract::Custom("rows/out", &OutRowsDiffer, "out.shape[0] = numWeights",
                     "allocate out as [numWeights, last dimension of grad]"),
    contract::Custom("columns/out", &OutColumnsDiffer, "out.shape[1] = last dimension of grad",
                     "allocate out as [numWeights, last dimension of grad]"),
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
