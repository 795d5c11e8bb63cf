#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "aclimb/contract/contract.h"
#include "aclimb/contract/expected_shape.h"
#include "aclimb/contract/signature.h"
#include "aclimb/core/text.h"
#include "aclnnop/aclnn_embedding_bag.h"

namespace aclimb::embedding_bag {

// Parameter positions, in the order of the C function.
enum : int {
  kWeight,
  kIndices,
  kOffsets,
  kScaleGradByFreq,
  kMode,
  kSparse,
  kPerSampleWeights,
  kIncludeLastOffset,
  kPaddingIdx,
  kOutput,
  kOffset2Bag,
  kBagSize,
  kMaxIndices
};

// What becomes of the rows of a bag; any other number is the largest too.
enum Mode : int64_t { kSum, kMean, kLargest };

inline constexpr auto kDTypes =
    contract::OnOldAndNew(contract::kHalfDTypes, contract::kFloatDTypes);
inline constexpr auto kIndexTypes = contract::OnAll(
    contract::DTypes(DType::kInt64, DType::kInt32, DType::kInt16, DType::kInt8, DType::kUInt8));

inline bool IsLargest(const contract::Arguments& arguments) {
  const int64_t mode = arguments.Integer(kMode);
  return mode != kSum && mode != kMean;
}
inline int64_t BagsOf(const contract::Arguments& arguments) {
  return arguments.Tensor(kOffsets).shape[0] - (arguments.Bool(kIncludeLastOffset) ? 1 : 0);
}

// The index that names no row.
inline std::optional<int64_t> PaddingOf(int64_t padding) {
  return padding < 0 ? std::nullopt : std::optional<int64_t>(padding);
}

inline std::optional<std::string> WeightsOfNoSum(const contract::Arguments& arguments) {
  if (!arguments.Given(kPerSampleWeights) || arguments.Integer(kMode) == kSum) return std::nullopt;
  return Cat("perSampleWeights.shape is ", contract::ShapeText(arguments.Tensor(kPerSampleWeights)),
             " and mode is ", arguments.Integer(kMode), "; expected null, or mode 0.");
}
inline std::optional<std::string> NoLastOffset(const contract::Arguments& arguments) {
  if (BagsOf(arguments) >= 0) return std::nullopt;
  return Cat("includeLastOffset is true and offsets.shape is [0]; expected one offset at least.");
}
// Callers that need no gradient of a sum pass no room for it.
inline std::optional<std::string> OtherIndices(const contract::Arguments& arguments) {
  const TensorDescriptor& own = arguments.Tensor(kOffset2Bag);
  if (arguments.Integer(kMode) == kSum && own.IsEmpty()) return std::nullopt;
  return contract::OtherShape("offset2bag", own, arguments.Tensor(kIndices).shape,
                              Cat("indices.shape ", contract::ShapeText(arguments.Tensor(kIndices)),
                                  " and mode ", arguments.Integer(kMode)));
}
template <int kWhich>
std::optional<std::string> OtherBags(const contract::Arguments& arguments) {
  std::vector<int64_t> expected = {BagsOf(arguments)};
  if (kWhich == kOutput || (kWhich == kMaxIndices && IsLargest(arguments))) {
    expected.push_back(arguments.Tensor(kWeight).shape[1]);
  }
  const char* name = kWhich == kOutput ? "output" : kWhich == kBagSize ? "bagSize" : "maxIndices";
  return contract::OtherShape(
      name, arguments.Tensor(kWhich), expected,
      Cat("offsets.shape ", contract::ShapeText(arguments.Tensor(kOffsets)), ", includeLastOffset ",
          arguments.Bool(kIncludeLastOffset) ? "true" : "false", ", mode ",
          arguments.Integer(kMode), " and weight.shape ",
          contract::ShapeText(arguments.Tensor(kWeight))));
}

inline constexpr contract::Parameter kParameters[] = {
    contract::WithShape(contract::Input("weight", kDTypes, "table of rows"), "R D"),
    contract::WithShape(
        contract::Input("indices", kIndexTypes,
                        "the rows of all bags, bag by bag; one outside [0, R) adds nothing, and "
                        "the run fails (507015)"),
        "B"),
    contract::WithShape(
        contract::Input("offsets", kIndexTypes,
                        "where in indices each bag begins, in ascending order; one outside [0, B] "
                        "counts as the nearer end, and the run fails (507015)"),
        "G"),
    contract::Attribute("scaleGradByFreq", contract::Kind::kBool,
                        "for the gradient; no result depends on it"),
    contract::Attribute("mode", contract::Kind::kInteger,
                        "0 the sum of the rows, 1 their mean, anything else the largest elements"),
    contract::Attribute("sparse", contract::Kind::kBool,
                        "for the gradient; no result depends on it"),
    contract::Optional(contract::WithShape(
        contract::Input("perSampleWeights", kDTypes, "a factor of each row, in sums alone"), "B")),
    contract::Attribute("includeLastOffset", contract::Kind::kBool,
                        "whether the last of offsets is where the last bag ends, not a bag"),
    contract::Attribute("paddingIdx", contract::Kind::kInteger,
                        "an index of this value names no row; below 0 there is none"),
    contract::WithRank(contract::Output("output", kDTypes, "a row for each bag"), 2, 2),
    contract::WithRank(contract::Output("offset2bag", kIndexTypes,
                                        "the bag of each index, -1 of one that is in none"),
                       1, 1),
    contract::WithRank(contract::Output("bagSize", kIndexTypes, "how many rows each bag has"), 1,
                       1),
    contract::WithRank(
        contract::Output("maxIndices", kIndexTypes,
                         "of the largest the index that each element is from, else zeros"),
        1, 2),
};

inline constexpr contract::Rule kRules[] = {
    contract::SameDType("same-dtype/perSampleWeights", kPerSampleWeights, kWeight,
                        "pass factors in the dtype of weight"),
    contract::SameDType("same-dtype/output", kOutput, kWeight,
                        "allocate output with the dtype of weight"),
    contract::Custom("null/perSampleWeights", &WeightsOfNoSum,
                     "perSampleWeights is null unless mode is 0",
                     "pass null for perSampleWeights, or take the sum"),
    contract::Custom("shape/offsets", &NoLastOffset,
                     "offsets has one element at least if includeLastOffset is true",
                     "pass the end of the last bag, or false for includeLastOffset"),
    contract::Custom("shape/output", &OtherBags<kOutput>,
                     "output has a row of weight.shape[1] elements for each of offsets, but for "
                     "the last if includeLastOffset is true",
                     "allocate output with this shape"),
    contract::Custom("shape/offset2bag", &OtherIndices,
                     "offset2bag has the shape of indices; of a sum it may be empty",
                     "allocate offset2bag with the shape of indices"),
    contract::Custom("shape/bagSize", &OtherBags<kBagSize>,
                     "bagSize has an element for each of offsets, but for the last if "
                     "includeLastOffset is true",
                     "allocate bagSize with this shape"),
    contract::Custom("shape/maxIndices", &OtherBags<kMaxIndices>,
                     "maxIndices has the shape of output if mode is neither 0 nor 1, else that of "
                     "bagSize",
                     "allocate maxIndices with this shape"),
};

inline constexpr contract::Contract kContract = {
    .function = "aclnnEmbeddingBag",
    .folder = "embedding_bag",
    .summary = "Sums, means or largest elements of rows of an embedding table, bag by bag.",
    .parameters = kParameters,
    .rules = kRules,
};
static_assert(contract::Matches<decltype(aclnnEmbeddingBagGetWorkspaceSize)>(kContract));

}  // namespace aclimb::embedding_bag
