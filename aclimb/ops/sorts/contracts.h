#pragma once

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
#include "aclnnop/aclnn_argsort.h"
#include "aclnnop/aclnn_kthvalue.h"
#include "aclnnop/aclnn_median.h"
#include "aclnnop/aclnn_sort.h"
#include "aclnnop/aclnn_topk.h"
#include "aclnnop/aclnn_unique.h"
#include "aclnnop/aclnn_unique2.h"

namespace aclimb::sorts {

using contract::Arguments;
using contract::Kind;

inline constexpr auto kNumbers =
    contract::AndBFloat16(DType::kFloat32, DType::kFloat16, DType::kFloat64, DType::kInt8,
                          DType::kInt16, DType::kInt32, DType::kInt64, DType::kUInt8);
inline constexpr auto kPlaces = contract::OnAll(contract::DTypes(DType::kInt64));

// Elements along a dimension; rank 0 counts as rank 1.
inline int64_t LengthAlong(const TensorDescriptor& tensor, int64_t dim) {
  if (tensor.rank() == 0) return 1;
  return tensor.shape[WrapDimension(dim, tensor.rank())];
}

template <int kSelf, int kDim>
std::optional<std::string> Nothing(const Arguments& arguments) {
  const TensorDescriptor& self = arguments.Tensor(kSelf);
  const int64_t dim = arguments.Integer(kDim);
  if (LengthAlong(self, dim) > 0) return std::nullopt;
  return Cat("self.shape is ", contract::ShapeText(self), " and dim is ", dim,
             "; expected at least one element along the dimension.");
}
// k of at least kLeast and at most as many as there are elements along dim.
template <int kSelf, int kK, int kDim, int64_t kLeast>
std::optional<std::string> OutsideOfLine(const Arguments& arguments) {
  const TensorDescriptor& self = arguments.Tensor(kSelf);
  const int64_t k = arguments.Integer(kK), dim = arguments.Integer(kDim);
  const int64_t length = LengthAlong(self, dim);
  if (k >= kLeast && k <= length) return std::nullopt;
  return Cat("k is ", k, " but self.shape is ", contract::ShapeText(self), " and dim is ", dim,
             "; expected ", kLeast, " to ", length, ".");
}

inline constexpr contract::Parameter kSelfParameter =
    contract::Input("self", kNumbers, "any shape; NaN is larger than all numbers");
inline constexpr contract::Parameter kDimParameter = contract::Attribute(
    "dim", Kind::kInteger, "the dimension along which elements are compared; -1 is the last");
inline constexpr contract::Parameter kDescendingParameter =
    contract::Attribute("descending", Kind::kBool, "whether the largest come first");
constexpr contract::Parameter Places(const char* name) {
  return contract::Output(name, kPlaces, "places along dim, from 0");
}
constexpr contract::Parameter Elements(const char* doc) {
  return contract::Output("valuesOut", kNumbers, doc);
}
constexpr contract::Rule DimInRange(int dim) {
  return contract::InRange("range/dim", dim, contract::DimensionOf(0), "name a dimension of self");
}
constexpr contract::Rule SameDTypeAsSelf(const char* id, int output) {
  return contract::SameDType(id, output, 0, "allocate the output with the dtype of self");
}
constexpr contract::Rule SameShapeAsSelf(const char* id, int output) {
  return contract::SameShape(id, output, 0, "allocate the output with the shape of self");
}

namespace sort {

enum : int { kSelf, kStable, kDim, kDescending, kValues, kIndices };

inline constexpr contract::Parameter kParameters[] = {
    kSelfParameter,
    contract::Attribute("stable", Kind::kBool,
                        "whether equal elements have to keep their order, which they always do"),
    kDimParameter,
    kDescendingParameter,
    Elements("the elements of self in order"),
    Places("indicesOut")};
inline constexpr contract::Rule kRules[] = {SameDTypeAsSelf("same-dtype/valuesOut", kValues),
                                            DimInRange(kDim),
                                            SameShapeAsSelf("same-shape/valuesOut", kValues),
                                            SameShapeAsSelf("same-shape/indicesOut", kIndices)};
inline constexpr contract::Contract kContract = {
    .function = "aclnnSort",
    .folder = "sort",
    .summary = "Elements in order along a dimension, and where they were.",
    .parameters = kParameters,
    .rules = kRules};
static_assert(contract::Matches<decltype(aclnnSortGetWorkspaceSize)>(kContract));

}  // namespace sort

namespace argsort {

enum : int { kSelf, kDim, kDescending, kOut };

inline constexpr contract::Parameter kParameters[] = {kSelfParameter, kDimParameter,
                                                      kDescendingParameter, Places("out")};
inline constexpr contract::Rule kRules[] = {DimInRange(kDim),
                                            SameShapeAsSelf("same-shape/out", kOut)};
inline constexpr contract::Contract kContract = {
    .function = "aclnnArgsort",
    .folder = "argsort",
    .summary = "Where the elements in order along a dimension are.",
    .parameters = kParameters,
    .rules = kRules};
static_assert(contract::Matches<decltype(aclnnArgsortGetWorkspaceSize)>(kContract));

}  // namespace argsort

namespace topk {

enum : int { kSelf, kK, kDim, kLargest, kSorted, kValues, kIndices };

// Of self without dimensions, one element has none either, and none of it has the shape [0].
inline std::vector<int64_t> ShapeOfTop(const Arguments& arguments) {
  std::vector<int64_t> shape = arguments.Tensor(kSelf).shape;
  const int64_t dim = arguments.Integer(kDim), rank = static_cast<int64_t>(shape.size());
  const int64_t k = arguments.Integer(kK);
  if (rank > 0) {
    shape[WrapDimension(dim, rank)] = k;
  } else if (k == 0) {
    shape = {0};
  }
  return shape;
}
template <int kOutput>
std::optional<std::string> OtherShapeOfTop(const Arguments& arguments) {
  const TensorDescriptor& self = arguments.Tensor(kSelf);
  const TensorDescriptor& out = arguments.Tensor(kOutput);
  // It may have one.
  if (self.rank() == 0 && out.shape == std::vector<int64_t>{arguments.Integer(kK)}) {
    return std::nullopt;
  }
  return contract::OtherShape(kOutput == kValues ? "valuesOut" : "indicesOut", out,
                              ShapeOfTop(arguments),
                              Cat("self.shape ", contract::ShapeText(self), ", dim ",
                                  arguments.Integer(kDim), " and k ", arguments.Integer(kK)));
}

inline constexpr contract::Parameter kParameters[] = {
    kSelfParameter,
    contract::Attribute("k", Kind::kInteger, "how many elements"),
    kDimParameter,
    contract::Attribute("largest", Kind::kBool, "whether the largest or the smallest"),
    contract::Attribute("sorted", Kind::kBool,
                        "whether they have to be in order, which they always are"),
    Elements("the elements in order, the first of equal ones first"),
    Places("indicesOut")};
inline constexpr const char* kFix = "allocate the output with k in place of self.shape[dim]";
inline constexpr contract::Rule kRules[] = {
    SameDTypeAsSelf("same-dtype/valuesOut", kValues), DimInRange(kDim),
    contract::Custom("range/k", &OutsideOfLine<kSelf, kK, kDim, 0>,
                     "k is 0 or more, and at most self.shape[dim]",
                     "ask for no more elements than there are"),
    contract::Custom("shape/valuesOut", &OtherShapeOfTop<kValues>,
                     "valuesOut has the shape of self with k in place of dimension dim", kFix),
    contract::Custom("shape/indicesOut", &OtherShapeOfTop<kIndices>,
                     "indicesOut has the shape of self with k in place of dimension dim", kFix)};
inline constexpr contract::Contract kContract = {
    .function = "aclnnTopk",
    .folder = "topk",
    .summary = "The k largest or smallest elements along a dimension, in order, and their places.",
    .parameters = kParameters,
    .rules = kRules};
static_assert(contract::Matches<decltype(aclnnTopkGetWorkspaceSize)>(kContract));

}  // namespace topk

namespace kthvalue {

enum : int { kSelf, kK, kDim, kKeepDim, kValues, kIndices };

inline constexpr contract::Parameter kParameters[] = {
    kSelfParameter,
    contract::Attribute("k", Kind::kInteger, "which element in ascending order, from 1"),
    kDimParameter,
    contract::Attribute("keepdim", Kind::kBool, "whether the dimension is kept, as 1"),
    Elements("the k-th smallest elements"),
    Places("indicesOut")};
inline constexpr contract::Rule kRules[] = {
    SameDTypeAsSelf("same-dtype/valuesOut", kValues), DimInRange(kDim),
    contract::Custom("range/k", &OutsideOfLine<kSelf, kK, kDim, 1>,
                     "k is 1 or more, and at most self.shape[dim]",
                     "count elements from 1 and no further than there are"),
    contract::Reduces("shape/valuesOut", kValues, kSelf, kDim, kKeepDim),
    contract::Reduces("shape/indicesOut", kIndices, kSelf, kDim, kKeepDim)};
inline constexpr contract::Contract kContract = {
    .function = "aclnnKthvalue",
    .folder = "kthvalue",
    .summary =
        "The k-th smallest elements along a dimension and their places: of equal ones, as "
        "if all were sorted.",
    .parameters = kParameters,
    .rules = kRules};
static_assert(contract::Matches<decltype(aclnnKthvalueGetWorkspaceSize)>(kContract));

}  // namespace kthvalue

namespace median_dim {

enum : int { kSelf, kDim, kKeepDim, kValues, kIndices };

inline constexpr contract::Parameter kParameters[] = {
    contract::Input("self", kNumbers, "any shape"), kDimParameter,
    contract::Attribute("keepDim", Kind::kBool, "whether the dimension is kept, as 1"),
    Elements("the medians: of two middle elements the lower one, NaN if there is one"),
    Places("indicesOut")};
inline constexpr contract::Rule kRules[] = {
    SameDTypeAsSelf("same-dtype/valuesOut", kValues), DimInRange(kDim),
    contract::Reduces("shape/valuesOut", kValues, kSelf, kDim, kKeepDim),
    contract::Reduces("shape/indicesOut", kIndices, kSelf, kDim, kKeepDim),
    contract::Custom("some/self", &Nothing<kSelf, kDim>,
                     "self has elements along dim to choose from",
                     "leave out tensors without elements")};
inline constexpr contract::Contract kContract = {
    .function = "aclnnMedianDim",
    .folder = "median_dim",
    .summary =
        "Medians along a dimension and their places: the lower one of two, NaN if there is "
        "one.",
    .parameters = kParameters,
    .rules = kRules};
static_assert(contract::Matches<decltype(aclnnMedianDimGetWorkspaceSize)>(kContract));

}  // namespace median_dim

namespace median {

enum : int { kSelf, kValues };

inline constexpr contract::Parameter kParameters[] = {
    contract::Input("self", kNumbers, "any shape"),
    contract::WithRank(
        Elements("the median: of two middle elements the lower one, NaN if there is one or none"),
        0, 1)};
inline constexpr contract::Rule kRules[] = {
    SameDTypeAsSelf("same-dtype/valuesOut", kValues),
    contract::Reduces("shape/valuesOut", kValues, kSelf, -1, -1,
                      "allocate valuesOut with one element")};
inline constexpr contract::Contract kContract = {
    .function = "aclnnMedian",
    .folder = "median",
    .summary = "The median of all elements: the lower one of two, NaN if there is one.",
    .parameters = kParameters,
    .rules = kRules};
static_assert(contract::Matches<decltype(aclnnMedianGetWorkspaceSize)>(kContract));

}  // namespace median

// What the functions of the unique elements of a tensor share.
inline constexpr contract::Parameter kElementsParameter =
    contract::Input("self", contract::kRealDTypes, "any shape");
inline constexpr contract::Parameter kUniqueParameter =
    contract::WithRank(contract::Output("valueOut", contract::kRealDTypes,
                                        "room for all elements; the rest is 0. Its shape becomes "
                                        "how many different ones there are"),
                       1, 1);
inline constexpr contract::Parameter kInverseParameter =
    contract::Output("inverseOut", kPlaces, "where each element of self stands in valueOut");

template <int kOutput>
std::optional<std::string> OtherValueOut(const Arguments& arguments) {
  return contract::OtherShapeIfAsked<kOutput, -1>("valueOut", arguments,
                                                  {arguments.Tensor(0).ElementCount()}, "");
}
template <int kOutput, int kFlag>
std::optional<std::string> OtherInverseOut(const Arguments& arguments) {
  return contract::OtherShapeIfAsked<kOutput, kFlag>(
      "inverseOut", arguments, arguments.Tensor(0).shape, " and returnInverse true");
}
template <int kOutput, int kFlag>
std::optional<std::string> OtherCountsOut(const Arguments& arguments) {
  return contract::OtherShapeIfAsked<kOutput, kFlag>(
      "countsOut", arguments, {arguments.Tensor(0).ElementCount()}, " and returnCounts true");
}
template <int kOutput>
constexpr contract::Rule RoomForValues() {
  return contract::Custom("shape/valueOut", &OtherValueOut<kOutput>,
                          "valueOut has one dimension, as long as self has elements",
                          "allocate valueOut with that length");
}
template <int kOutput, int kFlag>
constexpr contract::Rule RoomForInverse() {
  return contract::Custom("shape/inverseOut", &OtherInverseOut<kOutput, kFlag>,
                          "inverseOut has the shape of self if returnInverse is true",
                          "allocate inverseOut with the shape of self");
}

namespace unique {

enum : int { kSelf, kSorted, kReturnInverse, kValues, kInverse };

inline constexpr contract::Parameter kParameters[] = {
    kElementsParameter, contract::kSortedParameter, contract::kReturnInverseParameter,
    kUniqueParameter, kInverseParameter};
inline constexpr contract::Rule kRules[] = {SameDTypeAsSelf("same-dtype/valueOut", kValues),
                                            RoomForValues<kValues>(),
                                            RoomForInverse<kInverse, kReturnInverse>()};
inline constexpr contract::Contract kContract = {
    .function = "aclnnUnique",
    .folder = "unique",
    .summary = "The different elements in ascending order, and where each element is among them.",
    .products = static_cast<uint8_t>(kAllProducts & ~Bit(Product::kInference310P)),
    .parameters = kParameters,
    .rules = kRules};
static_assert(contract::Matches<decltype(aclnnUniqueGetWorkspaceSize)>(kContract));

}  // namespace unique

namespace unique2 {

enum : int { kSelf, kSorted, kReturnInverse, kReturnCounts, kValues, kInverse, kCounts };

inline constexpr contract::Parameter kParameters[] = {
    kElementsParameter,
    contract::kSortedParameter,
    contract::kReturnInverseParameter,
    contract::kReturnCountsParameter,
    kUniqueParameter,
    kInverseParameter,
    contract::WithRank(
        contract::Output("countsOut", kPlaces,
                         "how often each element of valueOut is in self; its shape becomes that of "
                         "valueOut"),
        1, 1)};
inline constexpr contract::Rule kRules[] = {
    SameDTypeAsSelf("same-dtype/valueOut", kValues), RoomForValues<kValues>(),
    RoomForInverse<kInverse, kReturnInverse>(),
    contract::Custom("shape/countsOut", &OtherCountsOut<kCounts, kReturnCounts>,
                     "countsOut has one dimension, as long as self has elements, if returnCounts "
                     "is true",
                     "allocate countsOut with that length")};
inline constexpr contract::Contract kContract = {
    .function = "aclnnUnique2",
    .folder = "unique2",
    .summary =
        "The different elements in ascending order, where each element is among them, and "
        "how often each is there.",
    .products = static_cast<uint8_t>(kAllProducts & ~Bit(Product::kInference310P)),
    .parameters = kParameters,
    .rules = kRules};
static_assert(contract::Matches<decltype(aclnnUnique2GetWorkspaceSize)>(kContract));

}  // namespace unique2

}  // namespace aclimb::sorts
