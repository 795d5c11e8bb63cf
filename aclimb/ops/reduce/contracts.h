#pragma once

#include <array>
#include <optional>
#include <string>

#include "aclimb/contract/contract.h"
#include "aclimb/contract/expected_shape.h"
#include "aclimb/contract/reduced.h"
#include "aclimb/contract/signature.h"
#include "aclimb/core/text.h"
#include "reduce_headers.h"

// The contracts of the rows: k<Name>Contract.
namespace aclimb::reduce {

// Parameter positions: of f(self, dims, keep, out), and with an attribute before the output.
enum : int { kSelf, kDims, kKeep, kOut };
enum : int { kAttribute = 3, kOutAfterAttribute };
// Of f(self, out), f(self, dtype, out).
enum : int { kOutOfAll = 1 };
enum : int { kDTypeOfAll = 1, kOutOfProduct };

inline constexpr auto kFloats = contract::AndBFloat16(DType::kFloat32, DType::kFloat16);
inline constexpr auto kNumbers =
    contract::AndBFloat16(DType::kFloat32, DType::kFloat16, DType::kFloat64, DType::kInt8,
                          DType::kInt16, DType::kInt32, DType::kInt64, DType::kUInt8);
inline constexpr auto kNumbersAndBool =
    contract::AndBFloat16(DType::kFloat32, DType::kFloat16, DType::kFloat64, DType::kInt8,
                          DType::kInt16, DType::kInt32, DType::kInt64, DType::kUInt8, DType::kBool);
inline constexpr auto kWithoutDouble =
    contract::AndBFloat16(DType::kFloat32, DType::kFloat16, DType::kInt8, DType::kInt16,
                          DType::kInt32, DType::kInt64, DType::kUInt8, DType::kBool);
inline constexpr auto kTruthValues = contract::OnAll(contract::DTypes(DType::kBool, DType::kUInt8));

constexpr const char* kFixDims = "name dimensions of self, each once; none means all";
constexpr const char* kFixDType = "pass the dtype of the output";
constexpr const char* kFixOutput =
    "allocate the output with a floating dtype if the input's is one";

// What is largest or smallest has to be there.
template <int kDimensions>
std::optional<std::string> Nothing(const contract::Arguments& arguments) {
  const TensorDescriptor& self = arguments.Tensor(kSelf);
  const auto reduced = contract::ReducedDimensions(arguments, kSelf, kDimensions);
  for (int d = 0; d < self.rank(); ++d) {
    if (!contract::Has(reduced, d) || self.shape[static_cast<size_t>(d)] != 0) continue;
    std::string text = Cat("self.shape is ", ShapeText(self.shape.data(), self.shape.size()));
    if (kDimensions >= 0) {
      const bool one = arguments.At(kDims).kind == contract::Kind::kInteger;
      text += Cat(" and dim is ",
                  one ? Cat(arguments.Integer(kDims)) : contract::IntsText(arguments.Ints(kDims)));
    }
    return Cat(text, "; expected at least one element in what is reduced.");
  }
  return std::nullopt;
}
constexpr const char* kFixNothing = "leave out tensors without elements";

inline constexpr contract::Rule kDimsInRange =
    contract::InRange("range/dim", kDims, contract::DistinctDimensionsOf(kSelf), kFixDims);
inline constexpr contract::Rule kReduced =
    contract::Reduces("shape/out", kOut, kSelf, kDims, kKeep);
inline constexpr std::array kShapes = {kDimsInRange, kReduced};
inline constexpr std::array kCastShapes = {
    contract::ConvertsTo("converts/out", kSelf, kOut, kFixOutput), kDimsInRange, kReduced};
inline constexpr std::array kSomeAndSame = {
    contract::SameDType("same-dtype/out", kOut, kSelf,
                        "allocate the output with the dtype of the input"),
    kDimsInRange, kReduced,
    contract::Custom("some/self", &Nothing<kDims>, "self has elements to choose from",
                     kFixNothing)};
inline constexpr std::array kSomeOfAll = {
    contract::ConvertsTo("converts/out", kSelf, kOutOfAll, kFixOutput),
    contract::Reduces("shape/out", kOutOfAll, kSelf, -1, -1),
    contract::Custom("some/self", &Nothing<-1>, "self has elements to choose from", kFixNothing)};
inline constexpr std::array kOfProduct = {
    contract::ConvertsTo("converts/out", kSelf, kOutOfProduct, kFixOutput),
    contract::NamesDType("dtype/dtype", kDTypeOfAll, kOutOfProduct, kFixDType),
    contract::Reduces("shape/out", kOutOfProduct, kSelf, -1, -1)};
inline constexpr std::array kOfProductDim = {
    contract::ConvertsTo("converts/out", kSelf, kOutAfterAttribute, kFixOutput),
    contract::NamesDType("dtype/dtype", kAttribute, kOutAfterAttribute, kFixDType),
    contract::InRange("range/dim", kDims, contract::DimensionOf(kSelf), "name a dimension of self"),
    contract::Reduces("shape/out", kOutAfterAttribute, kSelf, kDims, kKeep)};

// Without dimensions, and if the program wants so, nothing is reduced.
inline std::optional<std::string> OtherThanMeans(const contract::Arguments& arguments) {
  const TensorDescriptor& self = arguments.Tensor(kSelf);
  const TensorDescriptor& out = arguments.Tensor(kOutAfterAttribute);
  const IntArrayValue& dims = arguments.Ints(kDims);
  const bool none = dims.empty() && arguments.Bool(kAttribute);
  const auto reduced = none ? 0 : contract::ReducedDimensions(arguments, kSelf, kDims);
  const auto shape = contract::ReducedShape(self.shape, reduced, arguments.Bool(kKeep));
  if (out.shape == shape) return std::nullopt;
  const auto text = [](const std::vector<int64_t>& of) { return ShapeText(of.data(), of.size()); };
  return Cat("out.shape is ", text(out.shape), " but self.shape is ", text(self.shape), ", dim is ",
             text(dims), ", keepDim is ", arguments.Bool(kKeep) ? "true" : "false",
             " and noopWithEmptyAxes is ", arguments.Bool(kAttribute) ? "true" : "false",
             "; expected ", text(shape), ".");
}
inline constexpr std::array kOfMeanV2 = {
    contract::SameDType("same-dtype/out", kOutAfterAttribute, kSelf,
                        "allocate the output with the dtype of the input"),
    kDimsInRange,
    contract::Custom("shape/out", &OtherThanMeans,
                     "out has the shape of self without the dimensions in dim, or with 1 in their "
                     "place when keepDim is true, or all of it when dim has no entry and "
                     "noopWithEmptyAxes is true",
                     contract::kReducedFix)};

// Parameters that several have.
inline constexpr contract::Parameter KeepOf(const char* name) {
  return contract::Attribute(name, contract::Kind::kBool,
                             "whether the reduced dimensions are kept, as 1");
}
inline constexpr contract::Parameter DimsOf(const char* name) {
  return contract::Attribute(name, contract::Kind::kIntArray,
                             "the dimensions that are reduced; none means all");
}
inline constexpr contract::Parameter DTypeAs(const char* doc) {
  return contract::Attribute("dtype", contract::Kind::kInteger, doc);
}
inline constexpr contract::Parameter OutputOf(contract::ProductDTypes dtypes) {
  return contract::Output("out", dtypes, "what is left of self");
}
inline constexpr contract::Parameter SelfOf(contract::ProductDTypes dtypes) {
  return contract::Input("self", dtypes, "any shape");
}

#define ACLIMB_REDUCE_CONTRACT(name, Name, on, rule_set, sentence)                            \
  inline constexpr contract::Contract k##Name##Contract = {.function = "aclnn" #Name,         \
                                                           .folder = #name,                   \
                                                           .summary = sentence,               \
                                                           .products = on,                    \
                                                           .parameters = k##Name##Parameters, \
                                                           .rules = rule_set};                \
  static_assert(contract::Matches<decltype(aclnn##Name##GetWorkspaceSize)>(k##Name##Contract));

#define ACLIMB_REDUCE_AS(name, Name, header, dims, keep, fold, finish, dtypes, sentence)         \
  inline constexpr std::array k##Name##Parameters = {                                            \
      SelfOf(dtypes), DimsOf(#dims), KeepOf(#keep),                                              \
      DTypeAs("what elements are converted to first"), OutputOf(dtypes)};                        \
  inline constexpr std::array k##Name##Rules = {                                                 \
      contract::NamesDTypeBetween("dtype/dtype", kAttribute, kSelf, kOutAfterAttribute,          \
                                  kFixDType),                                                    \
      contract::InRange("range/" #dims, kDims, contract::DistinctDimensionsOf(kSelf), kFixDims), \
      contract::Reduces("shape/out", kOutAfterAttribute, kSelf, kDims, kKeep)};                  \
  ACLIMB_REDUCE_CONTRACT(name, Name, kAllProducts, k##Name##Rules, sentence)
#define ACLIMB_REDUCE(name, Name, header, keep, Keep, fold, finish, inputs, outputs, rule,         \
                      sentence)                                                                    \
  inline constexpr std::array k##Name##Parameters = {SelfOf(inputs), DimsOf("dim"), KeepOf(#keep), \
                                                     OutputOf(outputs)};                           \
  ACLIMB_REDUCE_CONTRACT(name, Name, kAllProducts, rule, sentence)
#define ACLIMB_REDUCE_ALL(name, Name, header, fold, sentence)                        \
  inline constexpr std::array k##Name##Parameters = {                                \
      SelfOf(kNumbersAndBool), contract::WithRank(OutputOf(kNumbersAndBool), 0, 1)}; \
  ACLIMB_REDUCE_CONTRACT(name, Name, kAllProducts, kSomeOfAll, sentence)
#define ACLIMB_PRODUCT(name, Name, header, sentence)        \
  inline constexpr std::array k##Name##Parameters = {       \
      SelfOf(kNumbersAndBool), DTypeAs("the dtype of out"), \
      contract::WithRank(OutputOf(kNumbersAndBool), 0, 1)}; \
  ACLIMB_REDUCE_CONTRACT(name, Name, kAllProducts, kOfProduct, sentence)
#define ACLIMB_PRODUCT_DIM(name, Name, header, sentence)                                     \
  inline constexpr std::array k##Name##Parameters = {                                        \
      SelfOf(kNumbersAndBool),                                                               \
      contract::Attribute("dim", contract::Kind::kInteger, "the dimension that is reduced"), \
      KeepOf("keepDim"), DTypeAs("the dtype of out"), OutputOf(kNumbersAndBool)};            \
  ACLIMB_REDUCE_CONTRACT(name, Name, kAllProducts, kOfProductDim, sentence)
#define ACLIMB_REDUCE_OR_NOT(name, Name, header, sentence)                                    \
  inline constexpr std::array k##Name##Parameters = {                                         \
      SelfOf(kNumbers), DimsOf("dim"), KeepOf("keepDim"),                                     \
      contract::Attribute("noopWithEmptyAxes", contract::Kind::kBool,                         \
                          "whether no dimension means none instead of all"),                  \
      OutputOf(kNumbers)};                                                                    \
  ACLIMB_REDUCE_CONTRACT(name, Name, kAllProducts & ~Bit(Product::kInference310P), kOfMeanV2, \
                         sentence)
#include "aclimb/ops/reduce/rows.inc"
#undef ACLIMB_REDUCE_AS
#undef ACLIMB_REDUCE
#undef ACLIMB_REDUCE_ALL
#undef ACLIMB_PRODUCT
#undef ACLIMB_PRODUCT_DIM
#undef ACLIMB_REDUCE_OR_NOT
#undef ACLIMB_REDUCE_CONTRACT

}  // namespace aclimb::reduce
