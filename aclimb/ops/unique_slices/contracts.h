#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "aclimb/contract/contract.h"
#include "aclimb/contract/distinct.h"
#include "aclimb/contract/expected_shape.h"
#include "aclimb/contract/real_dtypes.h"
#include "aclimb/contract/signature.h"
#include "aclimb/core/dimensions.h"
#include "aclimb/core/text.h"
#include "aclnnop/aclnn_unique_consecutive.h"
#include "aclnnop/aclnn_unique_dim.h"

namespace aclimb::unique_slices {

// Parameter positions that both operators have. Flags stand between the first two.
enum : int { kSelf = 0, kDim = 3, kValues, kInverse, kCounts };

// What torch_npu passes to aclnnUniqueConsecutive for no dimension.
inline constexpr int64_t kNoDim = 1000;

inline constexpr auto kPlaces = contract::OnAll(contract::DTypes(DType::kInt64));

// How many elements or slices are compared.
inline int64_t LengthOf(const std::vector<int64_t>& shape, int64_t dim) {
  if (dim != kNoDim && !shape.empty()) {
    return shape[WrapDimension(dim, shape.size())];
  }
  int64_t count = 1;
  for (const int64_t extent : shape) count *= extent;
  return count;
}

inline std::optional<std::string> EmptySlices(const contract::Arguments& arguments) {
  const TensorDescriptor& self = arguments.Tensor(kSelf);
  const int64_t dim = arguments.Integer(kDim);
  if (!self.IsEmpty() || LengthOf(self.shape, dim) == 0) return std::nullopt;
  return Cat("self.shape is ", contract::ShapeText(self), " and dim is ", dim,
             "; expected slices with elements, or none along dim.");
}
// The shape that an output has to have follows from self and dim.
template <int kOutput, int kFlag>
std::optional<std::string> OtherShape(const contract::Arguments& arguments) {
  const TensorDescriptor& self = arguments.Tensor(kSelf);
  const int64_t dim = arguments.Integer(kDim);
  std::vector<int64_t> expected = {LengthOf(self.shape, dim)};
  if (kOutput != kCounts && (kOutput == kValues) == (dim != kNoDim)) expected = self.shape;
  const char* const name = kOutput == kValues    ? "valueOut"
                           : kOutput == kInverse ? "inverseOut"
                                                 : "countsOut";
  return contract::OtherShapeIfAsked<kOutput, kFlag>(name, arguments, expected,
                                                     Cat(" and dim ", dim));
}

inline constexpr contract::Parameter kValuesParameter =
    contract::Output("valueOut", contract::kRealDTypes,
                     "room for all of self; the rest is 0. Its shape becomes what is there");
inline constexpr contract::Rule kSameDType = contract::SameDType(
    "same-dtype/valueOut", kValues, kSelf, "allocate valueOut with the dtype of self");
inline constexpr contract::Rule kSomeSlices = contract::Custom(
    "slices/self", &EmptySlices, "slices along dim have elements, unless there are none",
    "do not call the operator for a self whose slices have no elements");

namespace unique_consecutive {

enum : int { kReturnInverse = 1, kReturnCounts };

inline std::optional<std::string> NoSuchDim(const contract::Arguments& arguments) {
  const int64_t rank = std::max(1, arguments.Tensor(kSelf).rank()), dim = arguments.Integer(kDim);
  if (dim == kNoDim || (dim >= -rank && dim < rank)) return std::nullopt;
  return Cat("dim is ", dim, " but self.shape is ", contract::ShapeText(arguments.Tensor(kSelf)),
             "; expected ", -rank, " to ", rank - 1, ", or ", kNoDim, ".");
}

inline constexpr contract::Parameter kParameters[] = {
    contract::Input("self", contract::kRealDTypes, "any shape; no NaN is equal to another"),
    contract::kReturnInverseParameter,
    contract::kReturnCountsParameter,
    contract::Attribute("dim", contract::Kind::kInteger,
                        "the dimension along which slices are compared, -1 the last; 1000 compares "
                        "elements in row-major order"),
    kValuesParameter,
    contract::Output("inverseOut", kPlaces, "where each element or slice stands in valueOut"),
    contract::WithRank(contract::Output("countsOut", kPlaces,
                                        "how many followed each other; its shape becomes how many "
                                        "elements or slices valueOut has, the rest is 0"),
                       1, 1)};
inline constexpr contract::Rule kRules[] = {
    kSameDType,
    contract::Custom("range/dim", &NoSuchDim, "dim is a dimension of self, or 1000",
                     "name a dimension of self, or pass 1000 to compare elements"),
    kSomeSlices,
    contract::Custom("shape/valueOut", &OtherShape<kValues, -1>,
                     "valueOut has the shape of self, with dim 1000 one dimension, as long as self "
                     "has elements",
                     "allocate valueOut with that shape"),
    contract::Custom("shape/inverseOut", &OtherShape<kInverse, kReturnInverse>,
                     "inverseOut is as long as self along dim, with dim 1000 of the shape of self, "
                     "if returnInverse is true",
                     "allocate inverseOut with that shape"),
    contract::Custom("shape/countsOut", &OtherShape<kCounts, kReturnCounts>,
                     "countsOut is as long as self along dim, with dim 1000 as self has elements, "
                     "if returnCounts is true",
                     "allocate countsOut with that length")};
inline constexpr contract::Contract kContract = {
    .function = "aclnnUniqueConsecutive",
    .folder = "unique_consecutive",
    .summary =
        "Consecutive duplicates removed: the first of equal elements or slices, where each is "
        "among them, and how many there were.",
    .parameters = kParameters,
    .rules = kRules};
static_assert(contract::Matches<decltype(aclnnUniqueConsecutiveGetWorkspaceSize)>(kContract));

}  // namespace unique_consecutive

namespace unique_dim {

enum : int { kSorted = 1, kReturnInverse };

inline constexpr contract::Parameter kParameters[] = {
    contract::Input("self", contract::kRealDTypes,
                    "any shape; NaN is larger than all numbers, and no slice with one is equal to "
                    "another"),
    contract::kSortedParameter,
    contract::kReturnInverseParameter,
    contract::Attribute("dim", contract::Kind::kInteger,
                        "the dimension along which slices are compared, -1 the last"),
    kValuesParameter,
    contract::WithRank(
        contract::Output("inverseOut", kPlaces, "where each slice stands in valueOut"), 1, 1),
    contract::WithRank(contract::Output("countsOut", kPlaces,
                                        "how often each slice of valueOut is in self; its shape "
                                        "becomes how many there are, the rest is 0"),
                       1, 1)};
inline constexpr contract::Rule kRules[] = {
    kSameDType,
    contract::InRange("range/dim", kDim, contract::DimensionOf(kSelf), "name a dimension of self"),
    kSomeSlices,
    contract::SameShape("same-shape/valueOut", kValues, kSelf,
                        "allocate valueOut with the shape of self"),
    contract::Custom("shape/inverseOut", &OtherShape<kInverse, kReturnInverse>,
                     "inverseOut is as long as self along dim if returnInverse is true",
                     "allocate inverseOut with that length"),
    contract::Custom("shape/countsOut", &OtherShape<kCounts, -1>,
                     "countsOut is as long as self along dim",
                     "allocate countsOut with that length")};
inline constexpr contract::Contract kContract = {
    .function = "aclnnUniqueDim",
    .folder = "unique_dim",
    .summary =
        "The different slices along a dimension in ascending order, where each is among them, and "
        "how often each is there.",
    .parameters = kParameters,
    .rules = kRules};
static_assert(contract::Matches<decltype(aclnnUniqueDimGetWorkspaceSize)>(kContract));

}  // namespace unique_dim

}  // namespace aclimb::unique_slices
