#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "aclimb/contract/contract.h"
#include "aclimb/contract/signature.h"
#include "aclimb/core/dimensions.h"
#include "aclimb/core/text.h"
#include "aclnnop/aclnn_embedding.h"
#include "aclnnop/aclnn_gather_v2.h"
#include "aclnnop/aclnn_index_copy.h"
#include "aclnnop/aclnn_index_select.h"

namespace aclimb::gather_rows {

// Positions of the parameters of aclnnEmbedding, and of both others.
enum : int { kWeight, kIndices, kRows };
enum : int { kSelf, kDim, kIndex, kOut };

inline constexpr auto kOldTypes =
    contract::DTypes(DType::kFloat32, DType::kFloat16, DType::kFloat64, DType::kInt64,
                     DType::kInt32, DType::kInt16, DType::kInt8, DType::kUInt8, DType::kBool);
inline constexpr auto kTypes =
    contract::OnOldAndNew(kOldTypes, kOldTypes | contract::DTypes(DType::kBFloat16));
inline constexpr auto kIndexTypes = contract::OnAll(contract::DTypes(DType::kInt64, DType::kInt32));

// ---- aclnnEmbedding

inline constexpr contract::Parameter kEmbeddingParameters[] = {
    contract::WithShape(contract::Input("weight", kTypes, "table of rows"), "R D"),
    contract::WithRank(
        contract::WithShape(contract::Input("indices", kIndexTypes,
                                            "row of the table for each row of out; the row of one "
                                            "outside [0, R) is zeros, and the run fails (507015)"),
                            "S..."),
        0, 7),
    contract::WithShape(contract::Output("out", kTypes, "dtype of weight"), "S... D",
                        "allocate out with the shape of indices and one dimension more, the rows' "
                        "length"),
};
inline constexpr contract::Rule kEmbeddingRules[] = {
    contract::SameDType("same-dtype/out", kRows, kWeight, "allocate out with the dtype of weight")};
inline constexpr contract::Contract kEmbeddingContract = {
    .function = "aclnnEmbedding",
    .folder = "embedding",
    .summary = "Embeddings: rows of a table by their indices.",
    .parameters = kEmbeddingParameters,
    .rules = kEmbeddingRules,
};
static_assert(contract::Matches<decltype(aclnnEmbeddingGetWorkspaceSize)>(kEmbeddingContract));

// ---- aclnnIndexSelect and aclnnGatherV2

inline std::string Shape(const std::vector<int64_t>& shape) {
  return ShapeText(shape.data(), shape.size());
}

// self.shape with index.shape in the place of one dimension. Rank 0 counts as [1] in both.
inline std::vector<int64_t> GatheredShape(std::vector<int64_t> self, int64_t dim,
                                          std::vector<int64_t> index) {
  if (self.empty()) self = {1};
  if (index.empty()) index = {1};
  const auto at = self.begin() + static_cast<ptrdiff_t>(WrapDimension(dim, self.size()));
  std::vector<int64_t> shape(self.begin(), at);
  shape.insert(shape.end(), index.begin(), index.end());
  shape.insert(shape.end(), at + 1, self.end());
  return shape;
}

inline std::optional<std::string> OutShape(const contract::Arguments& arguments) {
  const auto shape_of = [&](int parameter) {
    const TensorDescriptor& tensor = arguments.Tensor(parameter);
    return std::vector<int64_t>(tensor.shape.begin(), tensor.shape.end());
  };
  const std::vector<int64_t> self = shape_of(kSelf), index = shape_of(kIndex), out = shape_of(kOut);
  const std::vector<int64_t> expected = GatheredShape(self, arguments.Integer(kDim), index);
  if (out == expected) return std::nullopt;
  // An element of a tensor without dimensions is such a tensor again.
  if (self.empty() && out.empty() && arguments.Tensor(kIndex).ElementCount() == 1) {
    return std::nullopt;
  }
  return Cat("out.shape is ", Shape(out), " but self.shape is ", Shape(self), ", dim is ",
             arguments.Integer(kDim), " and index.shape is ", Shape(index), "; expected ",
             Shape(expected), ".");
}

inline constexpr contract::Rule kRules[] = {
    contract::SameDType("same-dtype/out", kOut, kSelf, "allocate out with the dtype of self"),
    contract::InRange("range/dim", kDim, contract::DimensionOf(kSelf),
                      "pass a dimension that self has"),
    contract::Custom("shape/out", &OutShape,
                     "out has the shape of self with the dimensions of index in the place of "
                     "dimension dim; rank 0 counts as [1]",
                     "allocate out with this shape"),
};

inline constexpr contract::Parameter kSelfParameter =
    contract::Input("self", kTypes, "what is gathered from; rank 0 counts as [1]");
inline constexpr contract::Parameter kDimParameter =
    contract::Attribute("dim", contract::Kind::kInteger, "dimension of self; -1 is the last");
inline constexpr contract::Parameter kOutParameter =
    contract::Output("out", kTypes, "dtype of self");

inline constexpr contract::Parameter kIndexSelectParameters[] = {
    kSelfParameter, kDimParameter,
    contract::WithRank(contract::Input("index", kIndexTypes,
                                       "slice of self for each slice of out; rank 0 counts as "
                                       "[1]; the slice of one outside [0, self.shape[dim]) is "
                                       "zeros, and the run fails (507015)"),
                       0, 1),
    kOutParameter};
inline constexpr contract::Contract kIndexSelectContract = {
    .function = "aclnnIndexSelect",
    .folder = "index_select",
    .summary = "Slices of a tensor along one dimension, by their indices.",
    .parameters = kIndexSelectParameters,
    .rules = kRules,
};
static_assert(contract::Matches<decltype(aclnnIndexSelectGetWorkspaceSize)>(kIndexSelectContract));

inline constexpr contract::Parameter kGatherV2Parameters[] = {
    kSelfParameter, kDimParameter,
    contract::Input("index", kIndexTypes,
                    "slice of self for each slice of out, counted from the end if negative; rank "
                    "0 counts as [1]; the slice of one that self does not have is zeros, and the "
                    "run fails (507015)"),
    kOutParameter};
inline constexpr contract::Contract kGatherV2Contract = {
    .function = "aclnnGatherV2",
    .folder = "gather_v2",
    .summary = "Slices of a tensor along one dimension, by indices of any shape.",
    .products = static_cast<uint8_t>(kAllProducts & ~Bit(Product::kInference310P)),
    .parameters = kGatherV2Parameters,
    .rules = kRules,
};
static_assert(contract::Matches<decltype(aclnnGatherV2GetWorkspaceSize)>(kGatherV2Contract));

// ---- aclnnIndexCopy and aclnnInplaceIndexCopy

// Positions of their parameters, where those of aclnnIndexSelect have other names.
enum : int { kSource = kOut, kOutRef };

inline std::optional<std::string> SourceShape(const contract::Arguments& arguments) {
  const std::vector<int64_t>& self = arguments.Tensor(kSelf).shape;
  const std::vector<int64_t>& index = arguments.Tensor(kIndex).shape;
  const std::vector<int64_t>& source = arguments.Tensor(kSource).shape;
  const std::vector<int64_t> expected = GatheredShape(self, arguments.Integer(kDim), index);
  if (source == expected) return std::nullopt;
  if (self.empty() && source.empty() && arguments.Tensor(kIndex).ElementCount() == 1) {
    return std::nullopt;
  }
  return Cat("source.shape is ", Shape(source), " but selfRef.shape is ", Shape(self), ", dim is ",
             arguments.Integer(kDim), " and index.shape is ", Shape(index), "; expected ",
             Shape(expected), ".");
}

inline constexpr contract::Parameter kReplacedParameter = contract::WithRank(
    contract::Input("index", kIndexTypes,
                    "slice of selfRef for each slice of source; rank 0 counts as [1]; one outside "
                    "[0, selfRef.shape[dim]) is skipped, and the run fails (507015); of equal ones "
                    "the last counts"),
    0, 1);
inline constexpr contract::Parameter kReplacedDim =
    contract::Attribute("dim", contract::Kind::kInteger, "dimension of selfRef; -1 is the last");
inline constexpr contract::Parameter kSourceParameter =
    contract::Input("source", kTypes, "dtype of selfRef");

inline constexpr contract::Parameter kIndexCopyParameters[] = {
    contract::Input("selfRef", kTypes, "what outRef has where nothing is replaced"), kReplacedDim,
    kReplacedParameter, kSourceParameter,
    contract::MayBe(
        contract::WrittenEarly(contract::Output("outRef", kTypes, "shape and dtype of selfRef")),
        kSelf)};
inline constexpr contract::Parameter kInplaceIndexCopyParameters[] = {
    contract::InOut("selfRef", kTypes, "some slices of it are replaced"), kReplacedDim,
    kReplacedParameter, kSourceParameter};

inline constexpr contract::Rule kReplacingRules[] = {
    contract::SameDType("same-dtype/source", kSource, kSelf, "pass a source of selfRef's dtype"),
    contract::InRange("range/dim", kDim, contract::DimensionOf(kSelf),
                      "pass a dimension that selfRef has"),
    contract::Custom("shape/source", &SourceShape,
                     "source has the shape of selfRef with the number of indices for dimension "
                     "dim; rank 0 counts as [1]",
                     "pass one slice for each index"),
    contract::SameDType("same-dtype/outRef", kOutRef, kSelf,
                        "allocate outRef with the dtype of selfRef"),
    contract::SameShape("same-shape/outRef", kOutRef, kSelf,
                        "allocate outRef with the shape of selfRef"),
};
inline constexpr contract::Contract kIndexCopyContract = {
    .function = "aclnnIndexCopy",
    .folder = "index_copy",
    .summary = "Slices of a tensor replaced along one dimension, by their indices.",
    .products = static_cast<uint8_t>(kAllProducts & ~Bit(Product::kInference310P)),
    .parameters = kIndexCopyParameters,
    .rules = kReplacingRules,
};
static_assert(contract::Matches<decltype(aclnnIndexCopyGetWorkspaceSize)>(kIndexCopyContract));
inline constexpr contract::Contract kInplaceIndexCopyContract = {
    .function = "aclnnInplaceIndexCopy",
    .folder = "inplace_index_copy",
    .summary = "Slices of a tensor replaced in place along one dimension, by their indices.",
    .products = static_cast<uint8_t>(kAllProducts & ~Bit(Product::kInference310P)),
    .parameters = kInplaceIndexCopyParameters,
    // Without what relates the other output.
    .rules = std::span(kReplacingRules).first(3),
};
static_assert(
    contract::Matches<decltype(aclnnInplaceIndexCopyGetWorkspaceSize)>(kInplaceIndexCopyContract));

}  // namespace aclimb::gather_rows
