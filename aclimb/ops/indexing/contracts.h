#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "aclimb/contract/contract.h"
#include "aclimb/contract/expected_shape.h"
#include "aclimb/contract/real_dtypes.h"
#include "aclimb/contract/signature.h"
#include "aclimb/contract/told.h"
#include "aclimb/core/text.h"
#include "aclimb/ops/indexing/selection.h"
#include "aclnnop/aclnn_bincount.h"
#include "aclnnop/aclnn_gather.h"
#include "aclnnop/aclnn_index.h"
#include "aclnnop/aclnn_index_add.h"
#include "aclnnop/aclnn_index_fill_tensor.h"
#include "aclnnop/aclnn_index_put_impl.h"
#include "aclnnop/aclnn_put.h"
#include "aclnnop/aclnn_scatter.h"
#include "aclnnop/aclnn_scatter_add.h"
#include "aclnnop/aclnn_take.h"

namespace aclimb::indexing {

using contract::Arguments;
using contract::Kind;

inline constexpr auto kElements =
    contract::AndBFloat16(DType::kFloat32, DType::kFloat16, DType::kFloat64, DType::kInt64,
                          DType::kInt32, DType::kInt16, DType::kInt8, DType::kUInt8, DType::kBool);
inline constexpr auto kIndexTypes = contract::OnAll(contract::DTypes(DType::kInt64, DType::kInt32));
inline constexpr auto kNewAnd910 =
    static_cast<uint8_t>(kAllProducts & ~Bit(Product::kInference310P));

constexpr contract::Rule DimInRange(int dim) {
  return contract::InRange("range/dim", dim, contract::DimensionOf(0),
                           "pass a dimension that the first tensor has");
}
inline constexpr contract::Parameter kDimParameter = contract::Attribute(
    "dim", Kind::kInteger, "the dimension that indices are about; -1 is the last");
inline constexpr contract::Parameter kSelfParameter =
    contract::Input("self", kElements, "any shape; rank 0 counts as [1]");
inline constexpr contract::Parameter kSelfRefParameter =
    contract::InOut("selfRef", kElements, "any shape; rank 0 counts as [1]");
// It gets a copy of self, or is self itself.
constexpr contract::Parameter CopyOfSelf(contract::ProductDTypes dtypes) {
  return contract::MayBe(
      contract::WrittenEarly(contract::Output("out", dtypes, "shape and dtype of self")), 0);
}
inline constexpr contract::Parameter kOutParameter = CopyOfSelf(kElements);

// ---- aclnnGather

namespace gather {

enum : int { kSelf, kDim, kIndex, kOut };

// Along all other dimensions there are no more indices than elements.
inline std::optional<std::string> TooManyIndices(const Arguments& arguments) {
  const TensorDescriptor &self = arguments.Tensor(kSelf), &index = arguments.Tensor(kIndex);
  if (index.IsEmpty()) return std::nullopt;
  const auto dim = static_cast<int64_t>(WrapDimension(arguments.Integer(kDim), self.rank()));
  const std::vector<int64_t> has = OrOne(self.shape), asks = OrOne(index.shape);
  bool fits = has.size() == asks.size();
  for (size_t d = 0; fits && d < has.size(); ++d) {
    fits = static_cast<int64_t>(d) == dim || asks[d] <= has[d];
  }
  if (fits) return std::nullopt;
  return Cat("index.shape is ", contract::ShapeText(index), " but self.shape is ",
             contract::ShapeText(self), " and dim is ", arguments.Integer(kDim),
             "; expected as many dimensions, none longer but dim.");
}

inline constexpr contract::Parameter kParameters[] = {
    kSelfParameter, kDimParameter,
    contract::Input("index", kIndexTypes,
                    "which element of self along dim; the element of one outside [0, "
                    "self.shape[dim]) is 0, and the run fails (507015)"),
    contract::Output("out", kElements, "shape of index, dtype of self")};
inline constexpr contract::Rule kRules[] = {
    contract::SameDType("same-dtype/out", kOut, kSelf, "allocate out with the dtype of self"),
    DimInRange(kDim),
    contract::Custom("shape/index", &TooManyIndices,
                     "index has as many dimensions as self, none of them longer but dim",
                     "pass indices for elements that self has"),
    contract::SameShape("same-shape/out", kOut, kIndex, "allocate out with the shape of index")};
inline constexpr contract::Contract kContract = {
    .function = "aclnnGather",
    .folder = "gather",
    .summary = "Elements of a tensor by their indices along a dimension.",
    .parameters = kParameters,
    .rules = kRules};
static_assert(contract::Matches<decltype(aclnnGatherGetWorkspaceSize)>(kContract));

}  // namespace gather

// ---- aclnnTake and aclnnInplacePut

namespace take {

enum : int { kSelf, kIndex, kOut };

inline constexpr contract::Parameter kParameters[] = {
    contract::Input("self", contract::kRealDTypes,
                    "any shape; its elements are counted in row-major order"),
    contract::Input("index", kIndexTypes,
                    "which element of self, counted from the end if negative; the element of one "
                    "that self does not have is 0, and the run fails (507015)"),
    contract::Output("out", contract::kRealDTypes, "shape of index, dtype of self")};
inline constexpr contract::Rule kRules[] = {
    contract::SameDType("same-dtype/out", kOut, kSelf, "allocate out with the dtype of self"),
    contract::SameShape("same-shape/out", kOut, kIndex, "allocate out with the shape of index")};
inline constexpr contract::Contract kContract = {
    .function = "aclnnTake",
    .folder = "take",
    .summary = "Elements of a tensor by flat indices, in row-major order.",
    .parameters = kParameters,
    .rules = kRules};
static_assert(contract::Matches<decltype(aclnnTakeGetWorkspaceSize)>(kContract));

}  // namespace take

namespace inplace_put {

enum : int { kSelf, kIndex, kSource, kAccumulate };

inline constexpr contract::Parameter kParameters[] = {
    contract::InOut("selfRef", kElements, "any shape; its elements are counted in row-major order"),
    contract::Input("index", kIndexTypes,
                    "which element of selfRef, counted from the end if negative; one that selfRef "
                    "does not have is skipped, and the run fails (507015)"),
    contract::Input("source", kElements, "an element for each index"),
    contract::Attribute("accumulate", Kind::kBool,
                        "whether elements are added to those of selfRef")};
inline constexpr contract::Rule kRules[] = {
    contract::SameDType("same-dtype/source", kSource, kSelf, "pass a source of selfRef's dtype"),
    contract::Elements("count/source", kSource, kIndex, "pass an element for each index")};
inline constexpr contract::Contract kContract = {
    .function = "aclnnInplacePut",
    .folder = "inplace_put",
    .summary = "Replaces elements by flat indices, in row-major order, or adds to them.",
    .products = kNewAnd910,
    .parameters = kParameters,
    .rules = kRules};
static_assert(contract::Matches<decltype(aclnnInplacePutGetWorkspaceSize)>(kContract));

}  // namespace inplace_put

// ---- aclnnScatter and its relatives

// Positions of all four, and of aclnnScatterAdd, which has no `reduce`.
struct Scatter {
  enum : int { kSelf, kDim, kIndex, kSource, kReduce, kOut };
};
struct ScatterAdd {
  enum : int { kSelf, kDim, kIndex, kSource, kOut };
};

// No more indices than sources, and along all other dimensions than elements.
template <bool kHasSources>
std::optional<std::string> TooManyEntries(const Arguments& arguments) {
  using P = Scatter;
  const TensorDescriptor &self = arguments.Tensor(P::kSelf), &index = arguments.Tensor(P::kIndex);
  if (index.IsEmpty()) return std::nullopt;
  const auto dim = static_cast<int64_t>(WrapDimension(arguments.Integer(P::kDim), self.rank()));
  const std::vector<int64_t> has = OrOne(self.shape), asks = OrOne(index.shape);
  const std::vector<int64_t> gives = kHasSources ? OrOne(arguments.Tensor(P::kSource).shape) : asks;
  bool fits = has.size() == asks.size() && gives.size() == asks.size();
  for (size_t d = 0; fits && d < has.size(); ++d) {
    fits = asks[d] <= gives[d] && (static_cast<int64_t>(d) == dim || asks[d] <= has[d]);
  }
  if (fits) return std::nullopt;
  std::string text = Cat("index.shape is ", contract::ShapeText(index), " but self.shape is ",
                         contract::ShapeText(self));
  if (kHasSources) {
    text += Cat(" and src.shape is ", contract::ShapeText(arguments.Tensor(P::kSource)));
  }
  return Cat(text, " with dim ", arguments.Integer(P::kDim),
             "; expected as many dimensions, none longer than in self but dim",
             kHasSources ? ", nor than in src." : ".");
}
// TooManyEntries where the first tensor is called selfRef.
template <bool kHasSources>
std::optional<std::string> TooManyEntriesInPlace(const Arguments& arguments) {
  std::optional<std::string> text = TooManyEntries<kHasSources>(arguments);
  if (text) text->replace(text->find("self.shape"), 4, "selfRef");
  return text;
}

inline constexpr contract::Parameter kIndexParameter =
    contract::Input("index", kIndexTypes,
                    "where each entry goes along dim; one that the tensor does not have is "
                    "skipped, and the run fails (507015)");
inline constexpr contract::Parameter kSrcParameter =
    contract::Input("src", kElements, "what goes there, of self's dtype");
inline constexpr contract::Parameter kValueParameter =
    contract::Attribute("value", Kind::kScalar, "what goes there, converted to self's dtype");
inline constexpr contract::Parameter kReduceParameter = contract::Attribute(
    "reduce", Kind::kInteger, "0 replaces, of equal indices by the last; 1 adds; 2 multiplies");

inline constexpr contract::Rule kReduceInRange =
    contract::InRange("range/reduce", Scatter::kReduce, contract::Between(0, 2),
                      "pass 0 to replace, 1 to add or 2 to multiply");
inline constexpr contract::Rule kSameSource = contract::SameDType(
    "same-dtype/src", Scatter::kSource, Scatter::kSelf, "pass a src of self's dtype");
inline constexpr contract::Rule kRealValue =
    contract::ConvertsToFloat("real/value", Scatter::kSource, "pass a real number");
inline constexpr contract::Rule kValueInDType =
    contract::InDType("in-dtype/value", Scatter::kSource, Scatter::kSelf,
                      "pass a number that the dtype of the first tensor has");
constexpr contract::Rule OutDType(int out) {
  return contract::SameDType("same-dtype/out", out, 0, "allocate out with the dtype of self");
}
constexpr contract::Rule OutShape(int out) {
  return contract::SameShape("same-shape/out", out, 0, "allocate out with the shape of self");
}
constexpr contract::Rule EntriesFit(contract::Predicate violated) {
  return contract::Custom("shape/index", violated,
                          "index has as many dimensions as the other tensors, none of them longer, "
                          "but dim may be longer than in self",
                          "pass indices for elements that are there");
}

namespace scatter {
inline constexpr contract::Parameter kParameters[] = {
    kSelfParameter, kDimParameter, kIndexParameter, kSrcParameter, kReduceParameter, kOutParameter};
inline constexpr contract::Rule kRules[] = {
    kSameSource,    OutDType(Scatter::kOut),           DimInRange(Scatter::kDim),
    kReduceInRange, EntriesFit(&TooManyEntries<true>), OutShape(Scatter::kOut)};
inline constexpr contract::Contract kContract = {
    .function = "aclnnScatter",
    .folder = "scatter",
    .summary =
        "A tensor with elements replaced, added or multiplied where indices say along a "
        "dimension.",
    .products = kNewAnd910,
    .parameters = kParameters,
    .rules = kRules};
static_assert(contract::Matches<decltype(aclnnScatterGetWorkspaceSize)>(kContract));
}  // namespace scatter

namespace inplace_scatter {
inline constexpr contract::Parameter kParameters[] = {
    kSelfRefParameter, kDimParameter, kIndexParameter, kSrcParameter, kReduceParameter};
inline constexpr contract::Rule kRules[] = {kSameSource, DimInRange(Scatter::kDim), kReduceInRange,
                                            EntriesFit(&TooManyEntriesInPlace<true>)};
inline constexpr contract::Contract kContract = {
    .function = "aclnnInplaceScatter",
    .folder = "inplace_scatter",
    .summary =
        "Replaces, adds or multiplies elements in place where indices say along a "
        "dimension.",
    .products = kNewAnd910,
    .parameters = kParameters,
    .rules = kRules};
static_assert(contract::Matches<decltype(aclnnInplaceScatterGetWorkspaceSize)>(kContract));
}  // namespace inplace_scatter

namespace scatter_value {
inline constexpr contract::Parameter kParameters[] = {kSelfParameter,   kDimParameter,
                                                      kIndexParameter,  kValueParameter,
                                                      kReduceParameter, kOutParameter};
inline constexpr contract::Rule kRules[] = {kRealValue,
                                            kValueInDType,
                                            OutDType(Scatter::kOut),
                                            DimInRange(Scatter::kDim),
                                            kReduceInRange,
                                            EntriesFit(&TooManyEntries<false>),
                                            OutShape(Scatter::kOut)};
inline constexpr contract::Contract kContract = {
    .function = "aclnnScatterValue",
    .folder = "scatter_value",
    .summary =
        "A tensor with a number put, added or multiplied where indices say along a "
        "dimension.",
    .products = kNewAnd910,
    .parameters = kParameters,
    .rules = kRules};
static_assert(contract::Matches<decltype(aclnnScatterValueGetWorkspaceSize)>(kContract));
}  // namespace scatter_value

namespace inplace_scatter_value {
inline constexpr contract::Parameter kParameters[] = {
    kSelfRefParameter, kDimParameter, kIndexParameter, kValueParameter, kReduceParameter};
inline constexpr contract::Rule kRules[] = {kRealValue, kValueInDType, DimInRange(Scatter::kDim),
                                            kReduceInRange,
                                            EntriesFit(&TooManyEntriesInPlace<false>)};
inline constexpr contract::Contract kContract = {
    .function = "aclnnInplaceScatterValue",
    .folder = "inplace_scatter_value",
    .summary =
        "Puts a number in place, adds it or multiplies by it where indices say along a "
        "dimension.",
    .products = kNewAnd910,
    .parameters = kParameters,
    .rules = kRules};
static_assert(contract::Matches<decltype(aclnnInplaceScatterValueGetWorkspaceSize)>(kContract));
}  // namespace inplace_scatter_value

namespace scatter_add {
inline constexpr contract::Parameter kParameters[] = {
    kSelfParameter, kDimParameter, kIndexParameter, kSrcParameter, kOutParameter};
inline constexpr contract::Rule kRules[] = {
    kSameSource, OutDType(ScatterAdd::kOut), DimInRange(ScatterAdd::kDim),
    EntriesFit(&TooManyEntries<true>), OutShape(ScatterAdd::kOut)};
inline constexpr contract::Contract kContract = {
    .function = "aclnnScatterAdd",
    .folder = "scatter_add",
    .summary = "A tensor with elements added where indices say along a dimension.",
    .products = kNewAnd910,
    .parameters = kParameters,
    .rules = kRules};
static_assert(contract::Matches<decltype(aclnnScatterAddGetWorkspaceSize)>(kContract));
}  // namespace scatter_add

// ---- aclnnIndexAdd

namespace index_add {

enum : int { kSelf, kDim, kIndex, kSource, kAlpha, kOut };

inline std::optional<std::string> OtherSource(const Arguments& arguments) {
  const TensorDescriptor &self = arguments.Tensor(kSelf), &index = arguments.Tensor(kIndex);
  const TensorDescriptor& source = arguments.Tensor(kSource);
  std::vector<int64_t> expected = OrOne(self.shape);
  expected[WrapDimension(arguments.Integer(kDim), self.rank())] = index.ElementCount();
  if (OrOne(source.shape) == expected) return std::nullopt;
  return Cat("source.shape is ", contract::ShapeText(source), " but self.shape is ",
             contract::ShapeText(self), ", dim is ", arguments.Integer(kDim),
             " and index.shape is ", contract::ShapeText(index), "; expected ",
             ShapeText(expected.data(), expected.size()), ".");
}

inline constexpr contract::Parameter kParameters[] = {
    kSelfParameter,
    kDimParameter,
    contract::WithRank(
        contract::Input("index", kIndexTypes,
                        "where each slice of source goes; rank 0 counts as [1]; one that self does "
                        "not have is skipped, and the run fails (507015)"),
        0, 1),
    contract::Input("source", kElements, "what is added, of self's dtype"),
    contract::Attribute("alpha", Kind::kScalar, "factor of source"),
    kOutParameter};
inline constexpr contract::Rule kRules[] = {
    contract::SameDType("same-dtype/source", kSource, kSelf, "pass a source of self's dtype"),
    contract::ConvertsToFloat("real/alpha", kAlpha, "pass a real number"),
    contract::ScalarFits("fits/alpha", kAlpha, kSelf, "pass an integer for integers"),
    contract::InDType("in-dtype/alpha", kAlpha, kSelf, "pass a number that the dtype of self has"),
    OutDType(kOut),
    DimInRange(kDim),
    contract::Custom("shape/source", &OtherSource,
                     "source has the shape of self with the number of indices for dimension dim",
                     "pass one slice for each index"),
    OutShape(kOut)};
inline constexpr contract::Contract kContract = {
    .function = "aclnnIndexAdd",
    .folder = "index_add",
    .summary = "A tensor with scaled slices added along a dimension, by their indices.",
    .products = kNewAnd910,
    .parameters = kParameters,
    .rules = kRules};
static_assert(contract::Matches<decltype(aclnnIndexAddGetWorkspaceSize)>(kContract));

}  // namespace index_add

// ---- aclnnBincount

namespace bincount {

enum : int { kSelf, kWeights, kMinlength, kOut };

inline std::optional<std::string> TooShort(const Arguments& arguments) {
  const TensorDescriptor& out = arguments.Tensor(kOut);
  if (out.shape[0] >= arguments.Integer(kMinlength)) return std::nullopt;
  return Cat("out.shape is ", contract::ShapeText(out), " but minlength is ",
             arguments.Integer(kMinlength), "; expected no fewer elements.");
}

inline constexpr contract::DTypeMask kWhole =
    contract::DTypes(DType::kInt8, DType::kInt16, DType::kInt32, DType::kInt64, DType::kUInt8);
inline constexpr contract::Parameter kParameters[] = {
    contract::WithShape(
        contract::Input("self", contract::OnAll(kWhole),
                        "whole numbers; one outside [0, length of out) is not counted, and the run "
                        "fails (507015)"),
        "N"),
    contract::Optional(contract::WithShape(
        contract::Input("weights",
                        contract::OnAll(kWhole | contract::kHalfDTypes |
                                        contract::DTypes(DType::kFloat64, DType::kBool)),
                        "what each number counts, converted to the dtype of out; null means 1"),
        "N")),
    contract::Attribute("minlength", Kind::kInteger, "how long out is at least"),
    contract::WrittenEarly(contract::WithRank(
        contract::Output("out",
                         contract::OnAll(contract::DTypes(DType::kInt32, DType::kInt64,
                                                          DType::kFloat32, DType::kFloat64)),
                         "how often each number is there"),
        1, 1))};
inline constexpr contract::Rule kRules[] = {
    contract::InRange("range/minlength", kMinlength, contract::AtLeast(0), "pass 0 or more"),
    contract::Custom("shape/out", &TooShort, "out has minlength elements or more",
                     "allocate out for every number up to the largest, and for minlength")};
inline constexpr contract::Contract kContract = {
    .function = "aclnnBincount",
    .folder = "bincount",
    .summary = "How often each whole number is in a tensor, or the sums of its weights.",
    .parameters = kParameters,
    .rules = kRules};
static_assert(contract::Matches<decltype(aclnnBincountGetWorkspaceSize)>(kContract));

}  // namespace bincount

// ---- aclnnIndexFillTensor

struct IndexFill {
  enum : int { kSelf, kDim, kIndex, kValue, kOut };
};

template <bool kInPlace>
std::optional<std::string> IndexOutside(const Arguments& arguments) {
  using P = IndexFill;
  const TensorDescriptor& self = arguments.Tensor(P::kSelf);
  const int64_t extent = OrOne(self.shape)[WrapDimension(arguments.Integer(P::kDim), self.rank())];
  const IntArrayValue& index = arguments.Ints(P::kIndex);
  for (const int64_t i : index) {
    if (i >= -extent && i < extent) continue;
    return Cat("index is ", contract::IntsText(index), " but ", kInPlace ? "selfRef" : "self",
               ".shape is ", contract::ShapeText(self), " and dim is ", arguments.Integer(P::kDim),
               "; expected indices from ", -extent, " to ", extent - 1, ".");
  }
  return std::nullopt;
}

inline constexpr auto kFilled = contract::AndBFloat16(DType::kFloat16, DType::kFloat32,
                                                      DType::kInt32, DType::kInt64, DType::kBool);
inline constexpr contract::Parameter kFilledIndex = contract::Attribute(
    "index", Kind::kIntArray, "the slices that are filled, counted from the end if negative");
inline constexpr contract::Parameter kFilledValue =
    contract::Attribute("value", Kind::kScalar, "what they are filled with");
inline constexpr contract::Rule kRealFilledValue =
    contract::ConvertsToFloat("real/value", IndexFill::kValue, "pass a real number");
inline constexpr contract::Rule kFilledValueInDType =
    contract::InDType("in-dtype/value", IndexFill::kValue, IndexFill::kSelf,
                      "pass a number that the dtype of the first tensor has");
constexpr contract::Rule IndicesInside(contract::Predicate violated) {
  return contract::Custom("range/index", violated, "index names slices along dim",
                          "pass indices of slices that are there");
}

namespace index_fill_tensor {
inline constexpr contract::Parameter kParameters[] = {
    contract::Input("self", kFilled, "any shape; rank 0 counts as [1]"), kDimParameter,
    kFilledIndex, kFilledValue, CopyOfSelf(kFilled)};
inline constexpr contract::Rule kRules[] = {kRealFilledValue,
                                            kFilledValueInDType,
                                            OutDType(IndexFill::kOut),
                                            DimInRange(IndexFill::kDim),
                                            IndicesInside(&IndexOutside<false>),
                                            OutShape(IndexFill::kOut)};
inline constexpr contract::Contract kContract = {
    .function = "aclnnIndexFillTensor",
    .folder = "index_fill_tensor",
    .summary = "A tensor with slices along a dimension filled with a number.",
    .products = kNewAnd910,
    .parameters = kParameters,
    .rules = kRules};
static_assert(contract::Matches<decltype(aclnnIndexFillTensorGetWorkspaceSize)>(kContract));
}  // namespace index_fill_tensor

namespace inplace_index_fill_tensor {
inline constexpr contract::Parameter kParameters[] = {
    contract::InOut("selfRef", kFilled, "any shape; rank 0 counts as [1]"), kDimParameter,
    kFilledIndex, kFilledValue};
inline constexpr contract::Rule kRules[] = {kRealFilledValue, kFilledValueInDType,
                                            DimInRange(IndexFill::kDim),
                                            IndicesInside(&IndexOutside<true>)};
inline constexpr contract::Contract kContract = {
    .function = "aclnnInplaceIndexFillTensor",
    .folder = "inplace_index_fill_tensor",
    .summary = "Fills slices along a dimension with a number, in place.",
    .products = kNewAnd910,
    .parameters = kParameters,
    .rules = kRules};
static_assert(contract::Matches<decltype(aclnnInplaceIndexFillTensorGetWorkspaceSize)>(kContract));
}  // namespace inplace_index_fill_tensor

// ---- aclnnIndex and aclnnIndexPutImpl

struct Index {
  enum : int { kSelf, kIndices, kOut };
};
struct IndexPut {
  enum : int { kSelf, kIndices, kValues, kAccumulate, kUnsafe };
};

inline Selection SelectionOf(const Arguments& arguments) {
  std::vector<TensorDescriptor> indices;
  for (size_t i = 0; i < arguments.ElementCount(1); ++i) indices.push_back(arguments.Tensor(1, i));
  return Selection(arguments.Tensor(0).shape, indices);
}
inline std::string ListText(const Arguments& arguments) {
  std::string text;
  for (size_t i = 0; i < arguments.ElementCount(1); ++i) {
    text += Cat(i == 0 ? "" : " and ",
                contract::ShapeTold(Cat("indices[", i, "]"), arguments.Tensor(1, i)));
  }
  return text.empty() ? "indices has no tensors" : text;
}

inline std::optional<std::string> NoIndices(const Arguments& arguments) {
  for (size_t i = 0; i < arguments.ElementCount(1); ++i) {
    const TensorDescriptor& index = arguments.Tensor(1, i);
    if (contract::Has(kIndexTypes[Product::kA2], index.dtype) || LeavesDimension(index.shape)) {
      continue;
    }
    return Cat("indices[", i, "].dtype is ", NameOf(index.dtype), " and its shape is ",
               contract::ShapeText(index),
               "; expected INT32, INT64, or the shape [0] for all of a dimension.");
  }
  return std::nullopt;
}
template <bool kInPlace>
std::optional<std::string> NoSelection(const Arguments& arguments) {
  const Selection selection = SelectionOf(arguments);
  if (selection.fault() == nullptr) return std::nullopt;
  return Cat(ListText(arguments), " and ",
             contract::ShapeTold(kInPlace ? "selfRef" : "self", arguments.Tensor(0)), "; expected ",
             selection.fault(), ".");
}
inline std::optional<std::string> OtherOut(const Arguments& arguments) {
  const Selection selection = SelectionOf(arguments);
  const TensorDescriptor& out = arguments.Tensor(Index::kOut);
  if (out.shape == selection.shape() || (selection.nothing() && out.IsEmpty())) {
    return std::nullopt;
  }
  const std::vector<int64_t>& shape = selection.shape();
  return Cat(contract::ShapeTold("out", out), " but ",
             contract::ShapeTold("self", arguments.Tensor(0)), " and ", ListText(arguments),
             "; expected ", ShapeText(shape.data(), shape.size()), ".");
}
inline std::optional<std::string> OtherValues(const Arguments& arguments) {
  const Selection selection = SelectionOf(arguments);
  const TensorDescriptor& values = arguments.Tensor(IndexPut::kValues);
  if (selection.nothing()) return std::nullopt;
  const std::vector<int64_t>& shape = selection.shape();
  bool fits = values.shape.size() <= shape.size();
  for (size_t d = 0; fits && d < values.shape.size(); ++d) {
    const int64_t extent = values.shape[d];
    fits = extent == 1 || extent == shape[shape.size() - values.shape.size() + d];
  }
  if (fits) return std::nullopt;
  return Cat(contract::ShapeTold("values", values), " but ",
             contract::ShapeTold("selfRef", arguments.Tensor(0)), " and ", ListText(arguments),
             "; expected a shape that broadcasts to ", ShapeText(shape.data(), shape.size()), ".");
}

// A tensor of the shape [0] may have any dtype, so that a rule tells about those of the others.
inline constexpr contract::Parameter kListParameter = contract::ListOf(
    contract::Input("indices", {},
                    "indices for the first dimensions, no more tensors than there are, which "
                    "broadcast, counted from the end if negative, INT32 or INT64; a tensor of any "
                    "dtype of the shape [0] leaves its dimension whole"));
inline constexpr contract::Rule kListDTypes = contract::Custom(
    "dtype/indices", &NoIndices, "each of the indices is INT32 or INT64, or has the shape [0]",
    "turn a mask into indices with aclnnNonzeroV2");
constexpr contract::Rule Selects(contract::Predicate violated) {
  return contract::Custom("shape/indices", violated,
                          "indices has at most as many tensors as the first tensor has dimensions, "
                          "those of other shapes than [0] broadcast, and what they select has 8 "
                          "dimensions at most",
                          "pass indices that broadcast, one for each dimension at most");
}

namespace index {
inline constexpr contract::Parameter kParameters[] = {
    contract::WithRank(
        contract::Input("self", kElements,
                        "what is selected from; the element of an index that it does not have is "
                        "0, and the run fails (507015)"),
        1, 8),
    kListParameter,
    contract::Output("out", kElements,
                     "self's shape with that of the indices in the place of the first dimension "
                     "that has some, or in front if a dimension between them is whole")};
inline constexpr contract::Rule kRules[] = {
    OutDType(Index::kOut), kListDTypes, Selects(&NoSelection<false>),
    contract::Custom("shape/out", &OtherOut, "out has the shape that self and indices give",
                     "allocate out with this shape")};
inline constexpr contract::Contract kContract = {
    .function = "aclnnIndex",
    .folder = "index",
    .summary = "Elements or slices of a tensor by indices for several dimensions.",
    .parameters = kParameters,
    .rules = kRules};
static_assert(contract::Matches<decltype(aclnnIndexGetWorkspaceSize)>(kContract));
}  // namespace index

namespace index_put_impl {
inline constexpr contract::Parameter kParameters[] = {
    contract::WithRank(
        contract::InOut("selfRef", kElements,
                        "what is changed; an index that it does not have is skipped, and the run "
                        "fails (507015)"),
        1, 8),
    kListParameter,
    contract::Input("values", kElements,
                    "what goes there, of selfRef's dtype; broadcasts to the shape that the indices "
                    "select"),
    contract::Attribute("accumulate", Kind::kBool,
                        "whether values are added; else the last of equal indices counts"),
    contract::Attribute("unsafe", Kind::kBool, "has no effect")};
inline constexpr contract::Rule kRules[] = {
    contract::SameDType("same-dtype/values", IndexPut::kValues, IndexPut::kSelf,
                        "pass values of selfRef's dtype"),
    kListDTypes, Selects(&NoSelection<true>),
    contract::Custom("shape/values", &OtherValues,
                     "values broadcasts to the shape that selfRef and indices give",
                     "pass a value for each selected element, or one for all")};
inline constexpr contract::Contract kContract = {
    .function = "aclnnIndexPutImpl",
    .folder = "index_put_impl",
    .summary = "Replaces elements or slices by indices for several dimensions, or adds to them.",
    .products = kNewAnd910,
    .parameters = kParameters,
    .rules = kRules};
static_assert(contract::Matches<decltype(aclnnIndexPutImplGetWorkspaceSize)>(kContract));
}  // namespace index_put_impl

}  // namespace aclimb::indexing
