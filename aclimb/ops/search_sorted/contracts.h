#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "aclimb/contract/contract.h"
#include "aclimb/contract/expected_shape.h"
#include "aclimb/contract/signature.h"
#include "aclimb/core/text.h"
#include "aclnnop/aclnn_searchsorted.h"
#include "aclnnop/aclnn_searchsorteds.h"

// Where values go in a sequence that is in order.
namespace aclimb::search_sorted {

using contract::Arguments;
using contract::Kind;

inline constexpr auto kNumbers = contract::OnAll(
    contract::DTypes(DType::kFloat64, DType::kFloat32, DType::kFloat16, DType::kUInt8, DType::kInt8,
                     DType::kInt16, DType::kInt32, DType::kInt64));
inline constexpr auto kPlaces = contract::OnAll(contract::DTypes(DType::kInt64));
inline constexpr uint8_t kProducts = kAllProducts & ~Bit(Product::kInference310P);

// Alike of tensors and of a number.
struct Searched {
  enum : int { kSequence, kSelf, kOutInt32, kRight, kSorter, kOut };
};

inline std::optional<std::string> OtherWidth(const Arguments& arguments) {
  const DType wanted = arguments.Bool(Searched::kOutInt32) ? DType::kInt32 : DType::kInt64;
  const DType own = arguments.Tensor(Searched::kOut).dtype;
  if (own == wanted) return std::nullopt;
  return Cat("outInt32 is ", arguments.Bool(Searched::kOutInt32) ? "true" : "false", " but out is ",
             NameOf(own), "; expected ", NameOf(wanted), ".");
}
// A sequence for all values, or one for each line of them.
inline std::optional<std::string> OtherLines(const Arguments& arguments) {
  const std::vector<int64_t>& sequence = arguments.Tensor(Searched::kSequence).shape;
  const std::vector<int64_t>& self = arguments.Tensor(Searched::kSelf).shape;
  if (sequence.size() == 1) return std::nullopt;
  if (sequence.size() == self.size() &&
      std::equal(self.begin(), self.end() - 1, sequence.begin())) {
    return std::nullopt;
  }
  return Cat("sortedSequence.shape is ", contract::ShapeText(arguments.Tensor(Searched::kSequence)),
             " and self.shape is ", contract::ShapeText(arguments.Tensor(Searched::kSelf)),
             "; expected one dimension, or those of self but for the last.");
}

constexpr contract::Parameter Sequence(int most_dimensions) {
  return contract::WithRank(
      contract::Input("sortedSequence", kNumbers,
                      "in ascending order along the last dimension, by itself or as sorter has it"),
      1, most_dimensions);
}
inline constexpr contract::Parameter kOutInt32Parameter = contract::Attribute(
    "outInt32", Kind::kBool, "whether places are INT32 instead of INT64, which out has to be");
inline constexpr contract::Parameter kRightParameter = contract::Attribute(
    "right", Kind::kBool, "whether places are behind equal elements instead of before them");
constexpr contract::Parameter Sorter(int most_dimensions) {
  return contract::Optional(contract::WithRank(
      contract::Input("sorter", kPlaces,
                      "shape of sortedSequence: where its elements in ascending order are. A place "
                      "that it does not have counts as an element 0"),
      1, most_dimensions));
}
constexpr contract::Parameter PlacesFound(const char* doc) {
  return contract::Output("out", contract::OnAll(contract::DTypes(DType::kInt32, DType::kInt64)),
                          doc);
}
inline constexpr contract::Rule kWidthRule =
    contract::Custom("dtype/out", &OtherWidth, "out is INT32 if outInt32 is true, else INT64",
                     "allocate out with that dtype");
inline constexpr contract::Rule kSorterRule =
    contract::SameShape("same-shape/sorter", Searched::kSorter, Searched::kSequence,
                        "pass places of the shape of sortedSequence");

namespace tensor {

inline constexpr contract::Parameter kParameters[] = {
    Sequence(8),
    contract::Input("self", kNumbers,
                    "any shape; with more dimensions than one, sortedSequence has those of self "
                    "but for the last. NaN is larger than all numbers"),
    kOutInt32Parameter,
    kRightParameter,
    Sorter(8),
    PlacesFound("shape of self: how many elements of the sequence are before each value")};
inline constexpr contract::Rule kRules[] = {
    contract::SameDType("same-dtype/self", Searched::kSelf, Searched::kSequence,
                        "convert self to the dtype of sortedSequence"),
    kWidthRule,
    contract::Custom("shape/sortedSequence", &OtherLines,
                     "sortedSequence has one dimension, or those of self but for the last",
                     "pass a sequence for all values, or one for each line of them"),
    kSorterRule,
    contract::SameShape("same-shape/out", Searched::kOut, Searched::kSelf,
                        "allocate out with the shape of self")};
inline constexpr contract::Contract kContract = {
    .function = "aclnnSearchSorted",
    .folder = "search_sorted",
    .summary = "The indices at which values are inserted into a sorted sequence.",
    .products = kProducts,
    .parameters = kParameters,
    .rules = kRules};
static_assert(contract::Matches<decltype(aclnnSearchSortedGetWorkspaceSize)>(kContract));

}  // namespace tensor

namespace number {

inline constexpr contract::Parameter kParameters[] = {
    Sequence(1),
    contract::Attribute("self", Kind::kScalar,
                        "the value: compared in the dtype of sortedSequence if that is of "
                        "floating point, else as the whole number or the FLOAT that it is"),
    kOutInt32Parameter,
    kRightParameter,
    Sorter(1),
    contract::WithRank(PlacesFound("one element: how many of the sequence are before the value"), 0,
                       1)};
inline constexpr contract::Rule kRules[] = {
    kWidthRule, kSorterRule,
    contract::Reduces("shape/out", Searched::kOut, Searched::kSequence, -1, -1,
                      "allocate out with one element")};
inline constexpr contract::Contract kContract = {
    .function = "aclnnSearchSorteds",
    .folder = "search_sorteds",
    .summary = "The index at which a number is inserted into a sorted sequence.",
    .products = kProducts & ~Bit(Product::k950),
    .parameters = kParameters,
    .rules = kRules};
static_assert(contract::Matches<decltype(aclnnSearchSortedsGetWorkspaceSize)>(kContract));

}  // namespace number

}  // namespace aclimb::search_sorted
