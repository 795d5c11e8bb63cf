#pragma once

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "aclimb/contract/contract.h"
#include "aclimb/contract/signature.h"
#include "aclimb/core/text.h"
#include "foreach_headers.h"

// The contracts of the rows, k<Name>Contract, from kinds: the parameters and rules that several
// rows have.
namespace aclimb::foreach {

using contract::Attribute;
using contract::Kind;
using contract::Parameter;
using contract::ProductDTypes;
using contract::Rule;

// The old chips have no such operators.
constexpr ProductDTypes OnNew(contract::DTypeMask mask) { return contract::OnOldAndNew(0, mask); }
inline constexpr auto kFloats = OnNew(contract::kFloatDTypes);
inline constexpr auto kNumbers = OnNew(contract::kFloatDTypes | contract::DTypes(DType::kInt32));
inline constexpr auto kZeroTypes =
    OnNew(contract::kFloatDTypes | contract::DTypes(DType::kInt16, DType::kInt32));

constexpr Parameter InputList(const char* name, const ProductDTypes& types, const char* doc) {
  return contract::ListOf(contract::Input(name, types, doc));
}
// It may be each of the first lists.
template <typename... Position>
constexpr Parameter OutputList(const ProductDTypes& types, Position... lists) {
  return contract::MayBe(contract::ListOf(contract::Output("out", types, "as the first list")),
                         lists...);
}
constexpr Parameter Scalar(const char* name, const char* doc) {
  return Attribute(name, Kind::kScalar, doc);
}
inline constexpr const char* kFirstDoc = "tensors of one dtype, of any shapes";
inline constexpr const char* kOtherDoc = "as the first list";

// A list is of one dtype, and the others have its dtype and shapes.
constexpr Rule OneDType(const char* id, int list) {
  return contract::SameDType(id, list, list, "convert the tensors of the list to one dtype");
}
constexpr Rule HasDType(const char* id, int list) {
  return contract::SameDType(id, list, 0, "create the tensors with the dtype of the first list");
}
constexpr Rule HasShape(const char* id, int list) {
  return contract::SameShape(id, list, 0,
                             "create as many tensors as the first list has, with their shapes");
}
constexpr Rule IsReal(const char* id, int scalar) {
  return contract::ConvertsToFloat(id, scalar, "pass a real scalar");
}
constexpr Rule Fits(const char* id, int scalar) {
  return contract::ScalarFits(id, scalar, 0, "pass an integer for a list of integers");
}

// ---- (x, out), and (x) in place

template <const ProductDTypes& kTypes>
inline constexpr Parameter kUnaryParameters[] = {InputList("x", kTypes, kFirstDoc),
                                                 OutputList(kTypes, 0)};
inline constexpr Rule kUnaryRules[] = {OneDType("one-dtype/x", 0), HasDType("same-dtype/out", 1),
                                       HasShape("same-shape/out", 1)};

template <const ProductDTypes& kTypes>
inline constexpr Parameter kZeroParameters[] = {
    contract::ListOf(contract::InOut("x", kTypes, "tensors of one dtype that are overwritten"))};
inline constexpr Rule kZeroRules[] = {OneDType("one-dtype/x", 0)};

// ---- With scalars

template <const ProductDTypes& kTypes>
inline constexpr Parameter kScalarParameters[] = {
    InputList("x", kTypes, kFirstDoc), Scalar("scalar", "the other operand of each element"),
    OutputList(kTypes, 0)};
inline constexpr Rule kScalarRules[] = {OneDType("one-dtype/x", 0), HasDType("same-dtype/out", 2),
                                        IsReal("real/scalar", 1), Fits("fits/scalar", 1),
                                        HasShape("same-shape/out", 2)};

// A number that integers would wrap to is no bound of theirs.
template <const ProductDTypes& kTypes>
inline constexpr const auto& kBoundParameters = kScalarParameters<kTypes>;
inline constexpr Rule kBoundRules[] = {
    OneDType("one-dtype/x", 0),
    HasDType("same-dtype/out", 2),
    IsReal("real/scalar", 1),
    Fits("fits/scalar", 1),
    contract::InDType("in-dtype/scalar", 1, 0, "pass a number that the dtype of the list has"),
    HasShape("same-shape/out", 2)};

inline std::optional<std::string> WithFraction(const contract::Arguments& arguments) {
  for (size_t i = 0; i < arguments.ElementCount(0); ++i) {
    const DType dtype = arguments.Tensor(0, i).dtype;
    const ScalarValue& scalar = arguments.Scalar(1, i);
    if (IsFloating(dtype) || !IsFloating(scalar.dtype)) continue;
    return Cat("scalars[", i, "] is ", scalar.Text(), " but x[", i, "].dtype is ", NameOf(dtype),
               "; expected an integer or a BOOL.");
  }
  return std::nullopt;
}
template <const ProductDTypes& kTypes>
inline constexpr Parameter kScalarListParameters[] = {
    InputList("x", kTypes, kFirstDoc),
    Attribute("scalars", Kind::kScalarList, "the other operand, one for each tensor"),
    OutputList(kTypes, 0)};
inline constexpr Rule kScalarListRules[] = {
    OneDType("one-dtype/x", 0),
    HasDType("same-dtype/out", 2),
    IsReal("real/scalars", 1),
    HasShape("same-shape/out", 2),
    contract::CountOf("count/scalars", 1, 0, "pass a scalar for each tensor"),
    contract::Custom("fits/scalars", &WithFraction,
                     "scalars are integers or BOOL where x has a dtype of integers",
                     "pass integers for a list of integers")};

// ---- Two lists, and three

template <const ProductDTypes& kTypes>
inline constexpr Parameter kTwoParameters[] = {InputList("x1", kTypes, kFirstDoc),
                                               InputList("x2", kTypes, kOtherDoc),
                                               OutputList(kTypes, 0, 1)};
inline constexpr Rule kTwoRules[] = {OneDType("one-dtype/x1", 0), HasDType("same-dtype/x2", 1),
                                     HasDType("same-dtype/out", 2), HasShape("same-shape/x2", 1),
                                     HasShape("same-shape/out", 2)};

template <const ProductDTypes& kTypes>
inline constexpr Parameter kAlphaParameters[] = {
    InputList("x1", kTypes, kFirstDoc), InputList("x2", kTypes, kOtherDoc),
    Scalar("alpha", "factor of x2"), OutputList(kTypes, 0, 1)};
inline constexpr Rule kAlphaRules[] = {OneDType("one-dtype/x1", 0),   HasDType("same-dtype/x2", 1),
                                       HasDType("same-dtype/out", 3), IsReal("real/alpha", 2),
                                       Fits("fits/alpha", 2),         HasShape("same-shape/x2", 1),
                                       HasShape("same-shape/out", 3)};

template <const ProductDTypes& kTypes>
inline constexpr Parameter kWeightParameters[] = {
    InputList("x1", kTypes, "results of the weight 0, of one dtype"),
    InputList("x2", kTypes, "results of the weight 1"), Scalar("weight", "how far from x1 to x2"),
    OutputList(kTypes, 0, 1)};
inline constexpr Rule kWeightRules[] = {
    OneDType("one-dtype/x1", 0), HasDType("same-dtype/x2", 1), HasDType("same-dtype/out", 3),
    IsReal("real/weight", 2),    HasShape("same-shape/x2", 1), HasShape("same-shape/out", 3)};

template <const ProductDTypes& kTypes>
inline constexpr Parameter kWeightListParameters[] = {
    InputList("x1", kTypes, "results of the weight 0, of one dtype"),
    InputList("x2", kTypes, "results of the weight 1"),
    InputList("weight", kTypes, "how far from x1 to x2"), OutputList(kTypes, 0, 1, 2)};
inline constexpr Rule kWeightListRules[] = {
    OneDType("one-dtype/x1", 0),   HasDType("same-dtype/x2", 1), HasDType("same-dtype/weight", 2),
    HasDType("same-dtype/out", 3), HasShape("same-shape/x2", 1), HasShape("same-shape/weight", 2),
    HasShape("same-shape/out", 3)};

template <const ProductDTypes& kTypes>
inline constexpr Parameter kThreeScalarParameters[] = {
    InputList("x1", kTypes, kFirstDoc), InputList("x2", kTypes, kOtherDoc),
    InputList("x3", kTypes, kOtherDoc), Scalar("scalar", "factor of what is added"),
    OutputList(kTypes, 0, 1, 2)};
inline constexpr Rule kThreeScalarRules[] = {
    OneDType("one-dtype/x1", 0),   HasDType("same-dtype/x2", 1), HasDType("same-dtype/x3", 2),
    HasDType("same-dtype/out", 4), IsReal("real/scalar", 3),     Fits("fits/scalar", 3),
    HasShape("same-shape/x2", 1),  HasShape("same-shape/x3", 2), HasShape("same-shape/out", 4)};

inline std::optional<std::string> OtherLength(const contract::Arguments& arguments) {
  const TensorDescriptor& scalars = arguments.Tensor(3);
  const auto tensors = static_cast<int64_t>(arguments.ElementCount(0));
  if (scalars.rank() == 1 && scalars.shape[0] == tensors) return std::nullopt;
  return Cat("scalars.shape is ", ShapeText(scalars.shape.data(), scalars.shape.size()),
             " but x1 has ", tensors, tensors == 1 ? " tensor" : " tensors",
             "; expected a number for each.");
}
inline std::optional<std::string> FractionsForIntegers(const contract::Arguments& arguments) {
  if (arguments.ElementCount(0) == 0) return std::nullopt;
  const DType dtype = arguments.Tensor(0, 0).dtype, scalars = arguments.Tensor(3).dtype;
  if (IsFloating(dtype) || !IsFloating(scalars)) return std::nullopt;
  return Cat("scalars.dtype is ", NameOf(scalars), " but x1[0].dtype is ", NameOf(dtype),
             "; expected integers.");
}
template <const ProductDTypes& kTypes>
inline constexpr Parameter kThreeTensorParameters[] = {
    InputList("x1", kTypes, kFirstDoc), InputList("x2", kTypes, kOtherDoc),
    InputList("x3", kTypes, kOtherDoc),
    contract::WithRank(contract::Input("scalars", kTypes, "a factor for each tensor"), 1, 1),
    OutputList(kTypes, 0, 1, 2)};
inline constexpr Rule kThreeTensorRules[] = {
    OneDType("one-dtype/x1", 0),
    HasDType("same-dtype/x2", 1),
    HasDType("same-dtype/x3", 2),
    HasDType("same-dtype/out", 4),
    HasShape("same-shape/x2", 1),
    HasShape("same-shape/x3", 2),
    HasShape("same-shape/out", 4),
    contract::Custom("length/scalars", &OtherLength,
                     "scalars has one dimension, as long as x1 has tensors",
                     "pass a vector with a number for each tensor"),
    contract::Custom("fits/scalars", &FractionsForIntegers,
                     "scalars has integers where x1 has a dtype of integers",
                     "pass integers for a list of integers")};

// ---- Norms, and gradients that a scale is taken from

inline std::optional<std::string> Nothing(const contract::Arguments& arguments) {
  const float order = arguments.Scalar(1).ToFloat();
  if (order >= 0 && std::isfinite(order)) return std::nullopt;
  for (size_t i = 0; i < arguments.ElementCount(0); ++i) {
    const std::vector<int64_t>& shape = arguments.Tensor(0, i).shape;
    if (!arguments.Tensor(0, i).IsEmpty()) continue;
    return Cat("scalar is ", arguments.Scalar(1).Text(), " and x[", i, "].shape is ",
               ShapeText(shape.data(), shape.size()), "; expected at least one element.");
  }
  return std::nullopt;
}
template <const ProductDTypes& kTypes>
inline constexpr Parameter kNormParameters[] = {
    InputList("x", kTypes, kFirstDoc), Scalar("scalar", "p, also infinite"),
    contract::WithRank(contract::ListOf(contract::Output("out", kTypes, "a single element each")),
                       0, 1)};
inline constexpr Rule kNormRules[] = {
    OneDType("one-dtype/x", 0), HasDType("same-dtype/out", 2), IsReal("real/scalar", 1),
    contract::OneElement("shape/out", 2, "allocate a tensor of shape [] for each of x"),
    contract::Custom("some/x", &Nothing, "x has elements if scalar is infinite or below 0",
                     "leave out tensors without elements")};

inline constexpr ProductDTypes kUnscaleTypes = {{contract::kHalfDTypes, 0, contract::kFloatDTypes,
                                                 contract::kFloatDTypes, contract::kFloatDTypes}};
inline constexpr auto kOneFloat = contract::OnAll(contract::DTypes(DType::kFloat32));
template <const ProductDTypes& kTypes>
inline constexpr Parameter kUnscaleParameters[] = {
    contract::ListOf(contract::InOut("scaledGrads", kTypes, "tensors of one dtype")),
    contract::WithRank(contract::InOut("foundInf", kOneFloat,
                                       "1 afterwards where an element of scaledGrads was "
                                       "infinite or NaN, else as it was"),
                       0, 1),
    contract::WithRank(contract::Input("invScale", kOneFloat, "the factor"), 0, 1)};
inline constexpr Rule kUnscaleRules[] = {
    OneDType("one-dtype/scaledGrads", 0),
    contract::OneElement("single/foundInf", 1, "allocate a single element"),
    contract::OneElement("single/invScale", 2, "pass a single element")};

// The chips that have a dtype for the lists.
constexpr uint8_t ProductsOf(const ProductDTypes& types) {
  uint8_t products = 0;
  for (const Product product : kProducts) {
    if (types[product] != 0) products = static_cast<uint8_t>(products | Bit(product));
  }
  return products;
}

#define ACLIMB_FOREACH(name, Name, header, kind, types, plan, truth, parameter_list, \
                       argument_list, sentence)                                      \
  inline constexpr contract::Contract k##Name##Contract = {                          \
      .function = "aclnn" #Name,                                                     \
      .folder = #name,                                                               \
      .summary = sentence,                                                           \
      .products = ProductsOf(types),                                                 \
      .parameters = k##kind##Parameters<types>,                                      \
      .rules = k##kind##Rules};                                                      \
  static_assert(contract::Matches<decltype(aclnn##Name##GetWorkspaceSize)>(k##Name##Contract));
#include "aclimb/ops/foreach/rows.inc"
#undef ACLIMB_FOREACH

}  // namespace aclimb::foreach
