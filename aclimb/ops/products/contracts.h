#pragma once

#include <array>

#include "aclimb/contract/contract.h"
#include "aclimb/contract/signature.h"
#include "aclimb/ops/products/rules.h"
#include "aclnnop/aclnn_addmv.h"
#include "aclnnop/aclnn_dot.h"
#include "products_headers.h"

// The contracts of the rows: k<Name>Contract.
namespace aclimb::products {

// Parameter positions of out = self @ mat2.
enum : int { kSelf, kMat2, kOut, kCubeMathType };

// Of out = beta * self + alpha * (first @ second); a twin has no output, and its cubeMathType
// stands there.
enum : int { kAddend, kFirst, kSecond, kBeta, kAlpha, kSum, kSumMathType, kInPlaceMathType = kSum };

// Of aclnnAddmv, where alpha stands before beta.
enum : int { kAddmvSelf, kMat, kVec, kAddmvAlpha, kAddmvBeta, kAddmvOut, kAddmvMathType };

inline constexpr auto kHalves = contract::OnAll(contract::kHalfDTypes);
inline constexpr auto kFloats =
    contract::OnOldAndNew(contract::kHalfDTypes, contract::kFloatDTypes);

// A weight that was prepared for the chip's matrix unit carries this format. Nothing here brings
// data into another order, so that it is one of the plain ones in all but its name.
inline constexpr int kFractalNz = 29;
inline constexpr contract::FormatMask kWeightFormats =
    contract::kPlainFormats | contract::Formats(kFractalNz);

// Patterns, or null where a rule tells the shapes, and ranks.
struct Shape {
  const char* pattern;
  int least_rank, most_rank;
};
struct Shapes {
  Shape first, second, out;
  Shape self = {nullptr, 0, 0};  // of sums
};
inline constexpr Shapes kMatrices = {{"M K", 2, 2}, {"K N", 2, 2}, {"M N", 2, 2}};
inline constexpr Shapes kBatches = {{"*B M K", 3, 3}, {"*B K N", 3, 3}, {"*B M N", 3, 3}};
inline constexpr Shapes kMatrixAndVector = {{"M K", 2, 2}, {"K", 1, 1}, {"M", 1, 1}};
inline constexpr Shapes kSumOfMatrices = {
    {"M K", 2, 2}, {"K N", 2, 2}, {"M N", 2, 2}, {nullptr, 0, 2}};
inline constexpr Shapes kMatricesInPlace = {
    {"M K", 2, 2}, {"K N", 2, 2}, {nullptr, 0, 0}, {"M N", 2, 2}};
inline constexpr Shapes kSumOfBatches = {
    {"*B M K", 3, 3}, {"*B K N", 3, 3}, {nullptr, 3, 3}, {nullptr, 0, 3}};
inline constexpr Shapes kBatchesInPlace = {
    {"B M K", 3, 3}, {"B K N", 3, 3}, {nullptr, 0, 0}, {"B M N", 3, 3}};
inline constexpr Shapes kSumOverBatches = {
    {"B M K", 3, 3}, {"B K N", 3, 3}, {"M N", 2, 2}, {nullptr, 0, 2}};
inline constexpr Shapes kOverBatchesInPlace = {
    {"B M K", 3, 3}, {"B K N", 3, 3}, {nullptr, 0, 0}, {"M N", 2, 2}};
inline constexpr Shapes kAnyRank = {{nullptr, 1, 6}, {nullptr, 1, 6}, {nullptr, 0, 6}};

constexpr contract::Parameter WithShape(contract::Parameter parameter, Shape shape) {
  parameter.shape = shape.pattern;
  return contract::WithRank(parameter, shape.least_rank, shape.most_rank);
}

inline constexpr contract::Parameter kCubeMathTypeParameter = contract::Attribute(
    "cubeMathType", contract::Kind::kInteger,
    "0 keep the dtype; 1, 2, 3 allow less precision, which is not used: FLOAT is computed in "
    "float32");

constexpr std::array<contract::Parameter, 4> ProductParameters(const char* first,
                                                               const char* second, Shapes shapes,
                                                               contract::ProductDTypes dtypes) {
  return {WithShape(contract::Input(first, dtypes, "the left factor"), shapes.first),
          contract::WithFormats(
              WithShape(contract::Input(second, dtypes,
                                        "the right factor; the format FRACTAL_NZ counts as ND"),
                        shapes.second),
              kWeightFormats),
          WithShape(contract::Output("out", dtypes, "the product"), shapes.out),
          kCubeMathTypeParameter};
}

inline constexpr contract::Parameter kBetaParameter = contract::Attribute(
    "beta", contract::Kind::kScalar, "scale of the addend, which is not read if it is 0");
inline constexpr contract::Parameter kAlphaParameter =
    contract::Attribute("alpha", contract::Kind::kScalar,
                        "scale of the product, whose factors are not read if it is 0");

constexpr std::array<contract::Parameter, 7> SumParameters(const char* addend, const char* first,
                                                           const char* second, Shapes shapes) {
  const std::array<contract::Parameter, 4> of_product =
      ProductParameters(first, second, shapes, kFloats);
  return {WithShape(contract::Input(addend, kFloats, "what is added; broadcasts"), shapes.self),
          of_product[kSelf],
          of_product[kMat2],
          kBetaParameter,
          kAlphaParameter,
          contract::MayBe(of_product[kOut], kAddend),
          kCubeMathTypeParameter};
}
constexpr std::array<contract::Parameter, 6> InPlaceParameters(const char* addend,
                                                               const char* first,
                                                               const char* second, Shapes shapes) {
  const std::array<contract::Parameter, 7> of_sum = SumParameters(addend, first, second, shapes);
  return {
      WithShape(contract::InOut(addend, kFloats, "what is added, and then the sum"), shapes.self),
      of_sum[kFirst],
      of_sum[kSecond],
      kBetaParameter,
      kAlphaParameter,
      kCubeMathTypeParameter};
}

// ---- Rules

inline constexpr NamedTensor kFactors[3] = {{kSelf, "self"}, {kMat2, "mat2"}, {-1, nullptr}};

inline Finding WrongProductDType(const contract::Arguments& arguments) {
  return WrongResultDType(arguments, kFactors, {kOut, "out"});
}
inline Finding WrongProductMathType(const contract::Arguments& arguments) {
  return CubeMathTypeOfAnotherProduct(arguments, kFactors, kCubeMathType);
}

constexpr contract::Rule ResultDType(contract::Predicate violated) {
  return contract::Custom(
      "result-dtype/out", violated,
      "out.dtype is the one to which the inputs are promoted, or FLOAT where "
      "that is FLOAT16",
      "allocate out with the promoted dtype, or pass inputs of the dtype of out");
}
constexpr contract::Rule MathType(int cube_math_type) {
  return contract::InRange("cube-math-type", cube_math_type, contract::Between(0, 3),
                           "pass 0 to keep the dtype");
}
constexpr contract::Rule MathTypeOfProduct(contract::Predicate violated) {
  return contract::Custom("cube-math-type-of-product", violated,
                          "cubeMathType is 1 or 2 for FLOAT on Ascend310P and Ascend910", "pass 1");
}

inline constexpr contract::Rule kRules[] = {
    MathType(kCubeMathType),
    ResultDType(&WrongProductDType),
    MathTypeOfProduct(&WrongProductMathType),
};
inline constexpr contract::Rule kMatmulRules[] = {
    MathType(kCubeMathType),
    ResultDType(&WrongProductDType),
    MathTypeOfProduct(&WrongProductMathType),
    contract::Custom("matmul-factors", &WrongMatmulFactors,
                     "the factors are [..., M, K] and [..., K, N], where a vector is a row on the "
                     "left and a column on the right, and what stands before the matrices "
                     "broadcasts",
                     "transpose or reshape a factor, so that the two dimensions that are named go "
                     "together"),
    contract::Custom("matmul-shapes", &WrongMatmulShapes,
                     "out is [..., M, N], without the dimension of a factor that is a vector",
                     "allocate out with the shape that is expected"),
};

inline Finding WrongVectorMathType(const contract::Arguments& arguments) {
  constexpr NamedTensor kTensors[3] = {{kSelf, "self"}, {kMat2, "vec"}, {-1, nullptr}};
  return CubeMathTypeOfAnotherProduct(arguments, kTensors, kCubeMathType);
}
inline constexpr contract::Rule kVectorRules[] = {
    contract::SameDType("same-dtype/vec", kMat2, kSelf, "convert the vector"),
    contract::SameDType("same-dtype/out", kOut, kSelf, "allocate out with the dtype of self"),
    MathType(kCubeMathType),
    MathTypeOfProduct(&WrongVectorMathType),
};

inline constexpr contract::Rule kSelfBroadcasts = contract::Broadcasts(
    "broadcast/self", kSum, kAddend, "pass a self whose dimensions are those of out, or 1");
inline constexpr contract::Rule kBothBroadcast = contract::Custom(
    "sum-shape", &WrongSumOfBatches, "out has the shape to which self and the products broadcast",
    "pass a self that broadcasts with the products, and an out of the shape that they give");

#define ACLIMB_PRODUCT(name, Name, header, first, second, shapes, dtypes, rule_set, sentence)     \
  inline constexpr auto k##Name##Parameters = ProductParameters(#first, #second, shapes, dtypes); \
  inline constexpr contract::Contract k##Name##Contract = {.function = "aclnn" #Name,             \
                                                           .folder = #name,                       \
                                                           .summary = sentence,                   \
                                                           .parameters = k##Name##Parameters,     \
                                                           .rules = rule_set};                    \
  static_assert(contract::Matches<decltype(aclnn##Name##GetWorkspaceSize)>(k##Name##Contract));
#define ACLIMB_SUM(name, Name, header, addend, first, second, shapes, shape_rule, adds_batch,  \
                   sentence)                                                                   \
  ACLIMB_RULES_OF_SUM(Name, addend, first, second, kSum, "out", kSumMathType)                  \
  inline constexpr contract::Rule k##Name##Rules[] = {ACLIMB_COMMON_RULES(Name, kSumMathType), \
                                                      shape_rule};                             \
  inline constexpr auto k##Name##Parameters = SumParameters(#addend, #first, #second, shapes); \
  inline constexpr contract::Contract k##Name##Contract = {.function = "aclnn" #Name,          \
                                                           .folder = #name,                    \
                                                           .summary = sentence,                \
                                                           .parameters = k##Name##Parameters,  \
                                                           .rules = k##Name##Rules};           \
  static_assert(contract::Matches<decltype(aclnn##Name##GetWorkspaceSize)>(k##Name##Contract));
#define ACLIMB_SUM_IN_PLACE(name, Name, header, addend, Addend, first, second, shapes, adds_batch, \
                            sentence)                                                              \
  ACLIMB_RULES_OF_SUM(Inplace##Name, addend, first, second, kAddend, #addend, kInPlaceMathType)    \
  inline constexpr contract::Rule kInplace##Name##Rules[] = {                                      \
      ACLIMB_COMMON_RULES(Inplace##Name, kInPlaceMathType)};                                       \
  inline constexpr auto kInplace##Name##Parameters =                                               \
      InPlaceParameters(#addend, #first, #second, shapes);                                         \
  inline constexpr contract::Contract kInplace##Name##Contract = {                                 \
      .function = "aclnnInplace" #Name,                                                            \
      .folder = "inplace_" #name,                                                                  \
      .summary = sentence,                                                                         \
      .parameters = kInplace##Name##Parameters,                                                    \
      .rules = kInplace##Name##Rules};                                                             \
  static_assert(contract::Matches<decltype(aclnnInplace##Name##GetWorkspaceSize)>(                 \
      kInplace##Name##Contract));
// What is wrong with the dtypes, in the names of the row's parameters.
#define ACLIMB_RULES_OF_SUM(Name, addend, first, second, out, out_name, math_type) \
  inline constexpr NamedTensor k##Name##Tensors[3] = {                             \
      {kAddend, #addend}, {kFirst, #first}, {kSecond, #second}};                   \
  inline Finding Wrong##Name##DType(const contract::Arguments& arguments) {        \
    return WrongResultDType(arguments, k##Name##Tensors, {out, out_name});         \
  }                                                                                \
  inline Finding Wrong##Name##MathType(const contract::Arguments& arguments) {     \
    return CubeMathTypeOfAnotherProduct(arguments, k##Name##Tensors, math_type);   \
  }
#define ACLIMB_COMMON_RULES(Name, math_type)                                                      \
  contract::ConvertsToFloat("real/beta", kBeta, "pass a real scalar"),                            \
      contract::ConvertsToFloat("real/alpha", kAlpha, "pass a real scalar"), MathType(math_type), \
      ResultDType(&Wrong##Name##DType), MathTypeOfProduct(&Wrong##Name##MathType)
#include "aclimb/ops/products/rows.inc"
#undef ACLIMB_PRODUCT
#undef ACLIMB_SUM
#undef ACLIMB_SUM_IN_PLACE
#undef ACLIMB_RULES_OF_SUM
#undef ACLIMB_COMMON_RULES

// aclnnDot, which has no cubeMathType.
inline constexpr auto kDotDTypes = contract::OnOldAndNew(
    contract::kHalfDTypes | contract::DTypes(DType::kInt8, DType::kInt32, DType::kUInt8),
    contract::kFloatDTypes | contract::DTypes(DType::kInt8, DType::kInt32, DType::kUInt8));
inline constexpr contract::Parameter kDotParameters[] = {
    WithShape(contract::Input("self", kDotDTypes, "a vector"), {"K", 1, 1}),
    WithShape(contract::Input("tensor", kDotDTypes, "another one"), {"K", 1, 1}),
    WithShape(contract::Output("out", kDotDTypes, "the sum of the products"), {"", 0, 0}),
};
inline constexpr contract::Rule kDotRules[] = {
    contract::SameDType("same-dtype/tensor", kMat2, kSelf, "convert one of the two"),
    contract::SameDType("same-dtype/out", kOut, kSelf, "allocate out with the dtype of self"),
};
inline constexpr contract::Contract kDotContract = {.function = "aclnnDot",
                                                    .folder = "dot",
                                                    .summary = "The dot product of two vectors.",
                                                    .parameters = kDotParameters,
                                                    .rules = kDotRules};
static_assert(contract::Matches<decltype(aclnnDotGetWorkspaceSize)>(kDotContract));

// aclnnAddmv
inline constexpr auto kAddmvDTypes =
    contract::OnAll(contract::kHalfDTypes |
                    contract::DTypes(DType::kFloat64, DType::kInt8, DType::kInt16, DType::kInt32,
                                     DType::kInt64, DType::kUInt8, DType::kBool));
inline constexpr contract::Parameter kAddmvParameters[] = {
    contract::WithRank(contract::Input("self", kAddmvDTypes, "[M] or [1], which broadcasts"), 1, 1),
    WithShape(contract::Input("mat", kAddmvDTypes, "the matrix"), {"M K", 2, 2}),
    WithShape(contract::Input("vec", kAddmvDTypes, "the vector"), {"K", 1, 1}),
    kAlphaParameter,
    kBetaParameter,
    contract::MayBe(WithShape(contract::Output("out", kAddmvDTypes, "the sum"), {"M", 1, 1}),
                    kAddmvSelf),
    kCubeMathTypeParameter,
};
inline constexpr contract::Rule kAddmvRules[] = {
    contract::ConvertsToFloat("real/alpha", kAddmvAlpha, "pass a real scalar"),
    contract::ConvertsToFloat("real/beta", kAddmvBeta, "pass a real scalar"),
    MathType(kAddmvMathType),
    contract::Custom("result-dtype/out", &WrongAddmvDType,
                     "out.dtype is the one to which the inputs and the scalars are promoted",
                     "allocate out with the promoted dtype, or pass inputs of the dtype of out"),
    MathTypeOfProduct(&WrongAddmvMathType),
    contract::Broadcasts("broadcast/self", kAddmvOut, kAddmvSelf,
                         "pass a self with the length of out, or with one element"),
    contract::Custom("no-product", &AddmvBroadcastsToNothing,
                     "self.shape is out.shape when alpha is 0",
                     "pass a self with the length of out"),
};
inline constexpr contract::Contract kAddmvContract = {
    .function = "aclnnAddmv",
    .folder = "addmv",
    .summary = "A scaled vector plus the scaled product of a matrix and a vector.",
    .parameters = kAddmvParameters,
    .rules = kAddmvRules};
static_assert(contract::Matches<decltype(aclnnAddmvGetWorkspaceSize)>(kAddmvContract));

}  // namespace aclimb::products
