#pragma once

#include "aclimb/contract/contract.h"
#include "aclimb/contract/planes.h"
#include "aclimb/contract/signature.h"
#include "aclimb/ops/pooling/rules.h"
#include "aclnnop/aclnn_max_pool.h"
#include "pooling_headers.h"

// Contracts of the operators that take the largest of each window: k<Name>Contract of a row.
namespace aclimb::pooling {

using contract::Kind;

inline constexpr auto kDTypes = contract::AndBFloat16(DType::kFloat32, DType::kFloat16);
inline constexpr auto kNewDTypes = contract::OnOldAndNew(0, contract::kFloatDTypes);
inline constexpr auto kPlaneFormats =
    contract::Formats(contract::kNchw, contract::kNcl, contract::kNd);
// Chips that have the operators with indices.
inline constexpr uint8_t kNewProducts =
    kAllProducts & ~(Bit(Product::kInference310P) | Bit(Product::kTraining910));

constexpr contract::Parameter Planes(contract::Parameter parameter) {
  return contract::WithFormats(contract::WithPlanes<2>(parameter), kPlaneFormats);
}

inline constexpr auto kSizes = contract::Between(1, static_cast<double>(kMost));
inline constexpr auto kFromZero = contract::Between(0, static_cast<double>(kMost));

constexpr contract::Rule KernelInRange(int at) {
  return contract::InRange("range/kernelSize", at, kSizes, "pass 1 or more");
}
constexpr contract::Rule StrideInRange(int at) {
  return contract::InRange("range/stride", at, kSizes, "pass 1 to take every window");
}
constexpr contract::Rule PaddingInRange(int at) {
  return contract::InRange("range/padding", at, kFromZero, "pass 0 for none");
}
constexpr contract::Rule DilationInRange(int at) {
  return contract::InRange("range/dilation", at, kSizes, "pass 1 for none");
}

// How the indices of maxima are told.
enum class Told { kIndices, kMask };

// Windows over any number of dimensions.
inline constexpr contract::Parameter kStrideParameter =
    contract::Attribute("stride", Kind::kIntArray,
                        "from window to window: as kernelSize, or none for that of kernelSize");
inline constexpr contract::Parameter kDilationParameter = contract::Attribute(
    "dilation", Kind::kIntArray, "from element to element of a window: as kernelSize");
inline constexpr contract::Parameter kCeilParameter =
    contract::Attribute("ceilMode", Kind::kBool,
                        "one more window for what is left over, unless it begins in the padding");

namespace forward {

enum Position : int { kSelf, kKernelSize, kStride, kPadding, kDilation, kCeilMode, kOut, kIndices };

inline constexpr Places kPlaces = {.self = {kSelf, "self"},
                                   .pooled = {kOut, "out"},
                                   .kernel = {kKernelSize, "kernelSize"},
                                   .stride = {kStride, "stride"},
                                   .padding = {kPadding, "padding"},
                                   .dilation = {kDilation, "dilation"},
                                   .ceil = {kCeilMode, "ceilMode"},
                                   .indices = {kIndices, "indices"}};

template <Told kTold>
inline constexpr auto kFloats = kTold == Told::kMask ? kDTypes : kNewDTypes;
template <Told kTold>
inline constexpr auto kIndexTypes =
    contract::OnAll(contract::DTypes(kTold == Told::kMask ? DType::kInt8 : DType::kInt32));

template <Told kTold>
inline constexpr contract::Parameter kParameters[] = {
    Planes(contract::Input("self", kFloats<kTold>, contract::kPlanesShape<2>)),
    contract::Attribute("kernelSize", Kind::kIntArray,
                        "of windows: one number for both dimensions, or two"),
    kStrideParameter,
    contract::Attribute("padding", Kind::kIntArray,
                        "what is put around planes, below all numbers: as kernelSize"),
    kDilationParameter,
    kCeilParameter,
    Planes(contract::Output("out", kFloats<kTold>, "a number for each window; dtype of self")),
    Planes(contract::Output(
        "indices", kIndexTypes<kTold>,
        kTold == Told::kIndices
            ? "shape of out: y * W + x of each maximum, -1 where a window has no element"
            : "[N, C, kH * kW, (ceil(outH * outW / 16) + 1) * 32], or without N. Aclimb's own "
              "layout: the indices y * W + x of all maxima of a plane one after the other as "
              "INT32, then zeros; zeros alone where windows have one element")),
};

template <Told kTold>
inline constexpr contract::Rule kRules[] = {
    contract::SameDType("same-dtype/out", kOut, kSelf, "allocate out with the dtype of self"),
    contract::Count("count/kernelSize", kKernelSize, contract::Between(1, 2),
                    "pass one number for both dimensions, or two"),
    contract::Count("count/stride", kStride, contract::Between(0, 2),
                    "pass one number for both dimensions, or two, or none"),
    contract::Count("count/padding", kPadding, contract::Between(1, 2),
                    "pass one number for both dimensions, or two"),
    contract::Count("count/dilation", kDilation, contract::Between(1, 2),
                    "pass one number for both dimensions, or two"),
    KernelInRange(kKernelSize),
    StrideInRange(kStride),
    PaddingInRange(kPadding),
    DilationInRange(kDilation),
    contract::SameRank("same-rank/out", kOut, kSelf, "allocate out with the rank of self"),
    contract::SameRank("same-rank/indices", kIndices, kSelf,
                       "allocate indices with the rank of self"),
    HasPlanes<kPlaces, true>(),
    HalfPadding<kPlaces>("half/padding",
                         "padding is half of a window at most, by kernelSize and dilation"),
    contract::Custom("shape/out", &OtherPooledShape<kPlaces>,
                     "out has the shape of self with windows in place of H and W: floor((in + 2 * "
                     "padding - dilation * (kernelSize - 1) - 1) / stride) + 1, with ceilMode the "
                     "quotient rounded up",
                     kPooledFix),
    kTold == Told::kIndices
        ? contract::SameShape("shape/indices", kIndices, kOut,
                              "allocate indices with the shape of out")
        : contract::Custom("shape/indices", &OtherMaskShape<kPlaces>,
                           "indices has the shape of out with kH * kW and (ceil(outH * outW / 16) "
                           "+ 1) * 32 in place of outH and outW",
                           kPooledFix),
};

}  // namespace forward

namespace backward {

enum Position : int {
  kGradOutput,
  kSelf,
  kIndices,
  kKernelSize,
  kStride,
  kPadding,
  kDilation,
  kCeilMode,
  kGradInput
};

inline constexpr Places kPlaces = {.self = {kSelf, "self"},
                                   .pooled = {kGradOutput, "gradOutput"},
                                   .kernel = {kKernelSize, "kernelSize"},
                                   .stride = {kStride, "stride"},
                                   .padding = {kPadding, "padding"},
                                   .dilation = {kDilation, "dilation"},
                                   .ceil = {kCeilMode, "ceilMode"},
                                   .indices = {kIndices, "indices"}};

template <Told kTold>
inline constexpr contract::Parameter kParameters[] = {
    Planes(contract::Input("gradOutput", forward::kFloats<kTold>,
                           "gradient of the forward output, of its shape")),
    Planes(contract::Input("self", forward::kFloats<kTold>, contract::kForwardPlanesShape<2>)),
    Planes(contract::Input("indices", forward::kIndexTypes<kTold>,
                           kTold == Told::kIndices
                               ? "that the forward call wrote; what is outside of the plane adds "
                                 "nothing"
                               : "the mask that the forward call wrote")),
    contract::Attribute("kernelSize", Kind::kIntArray, "of the forward call"),
    contract::Attribute("stride", Kind::kIntArray, "of the forward call"),
    contract::Attribute("padding", Kind::kIntArray, "of the forward call"),
    contract::Attribute("dilation", Kind::kIntArray, "of the forward call"),
    contract::Attribute("ceilMode", Kind::kBool, "of the forward call"),
    Planes(contract::Output("gradInput", forward::kFloats<kTold>, "shape and dtype of self")),
};

template <Told kTold>
inline constexpr contract::Rule kRules[] = {
    contract::SameDType("same-dtype/self", kSelf, kGradOutput,
                        "pass both in the dtype of the forward call"),
    contract::SameDType("same-dtype/gradInput", kGradInput, kSelf,
                        "allocate gradInput with the dtype of self"),
    contract::Count("count/kernelSize", kKernelSize, contract::Between(1, 2),
                    "pass one number for both dimensions, or two"),
    contract::Count("count/stride", kStride, contract::Between(0, 2),
                    "pass one number for both dimensions, or two, or none"),
    contract::Count("count/padding", kPadding, contract::Between(1, 2),
                    "pass one number for both dimensions, or two"),
    contract::Count("count/dilation", kDilation, contract::Between(1, 2),
                    "pass one number for both dimensions, or two"),
    KernelInRange(kKernelSize),
    StrideInRange(kStride),
    PaddingInRange(kPadding),
    DilationInRange(kDilation),
    contract::SameRank("same-rank/gradOutput", kGradOutput, kSelf,
                       "pass what the forward call had"),
    contract::SameRank("same-rank/indices", kIndices, kSelf, "pass what the forward call wrote"),
    HasPlanes<kPlaces, true>(),
    HalfPadding<kPlaces>("half/padding",
                         "padding is half of a window at most, by kernelSize and dilation"),
    contract::Custom("shape/gradOutput", &OtherPooledShape<kPlaces>,
                     "gradOutput has the shape of the output of the forward call on self",
                     "pass the gradient of that output"),
    kTold == Told::kIndices
        ? contract::SameShape("shape/indices", kIndices, kGradOutput,
                              "pass what the forward call wrote")
        : contract::Custom("shape/indices", &OtherMaskShape<kPlaces>,
                           "indices has the shape of the mask of the forward call on self",
                           "pass what the forward call wrote"),
    contract::SameShape("same-shape/gradInput", kGradInput, kSelf,
                        "allocate gradInput with the shape of self"),
};

}  // namespace backward

#define ACLIMB_MAX_POOL_CONTRACT(name, Name, space, told, sentence)           \
  inline constexpr contract::Contract k##Name##Contract = {                   \
      .function = "aclnn" #Name,                                              \
      .folder = #name,                                                        \
      .summary = sentence,                                                    \
      .products = Told::k##told == Told::kMask ? kAllProducts : kNewProducts, \
      .parameters = space::kParameters<Told::k##told>,                        \
      .rules = space::kRules<Told::k##told>};                                 \
  static_assert(contract::Matches<decltype(aclnn##Name##GetWorkspaceSize)>(k##Name##Contract));
#define ACLIMB_MAX_POOL(name, Name, header, told, said, sentence) \
  ACLIMB_MAX_POOL_CONTRACT(name, Name, forward, told, sentence)
#define ACLIMB_MAX_POOL_BACKWARD(name, Name, header, told, said, sentence) \
  ACLIMB_MAX_POOL_CONTRACT(name, Name, backward, told, sentence)
#include "aclimb/ops/pooling/rows.inc"
#undef ACLIMB_MAX_POOL
#undef ACLIMB_MAX_POOL_BACKWARD
#undef ACLIMB_MAX_POOL_CONTRACT

// As ONNX has it: no indices, a padding for each edge.
namespace plain {

enum : int { kSelf, kKernelShape, kStrides, kAutoPad, kPads, kDilations, kCeilMode, kOut };

inline constexpr Places kPlaces = {.self = {kSelf, "self"},
                                   .pooled = {kOut, "out"},
                                   .kernel = {kKernelShape, "kernelShape"},
                                   .stride = {kStrides, "strides"},
                                   .padding = {kPads, "pads"},
                                   .dilation = {},
                                   .ceil = {kCeilMode, "ceilMode"}};

// One number for each edge or dimension, one for both or all, or none.
inline bool IsCount(size_t count) { return count <= 4 && count != 3; }
inline Finding OtherCount(const Arguments& arguments) {
  if (IsCount(arguments.Ints(kPads).size())) return std::nullopt;
  return Cat("pads is ", contract::IntsText(arguments.Ints(kPads)), " and kernelShape is ",
             contract::IntsText(arguments.Ints(kKernelShape)),
             "; expected 0, 1, 2 or 4 entries of pads.");
}
inline Finding OtherDilations(const Arguments& arguments) {
  if (IsCount(arguments.Ints(kDilations).size())) return std::nullopt;
  return Cat("dilations is ", contract::IntsText(arguments.Ints(kDilations)),
             "; expected 0, 1, 2 or 4 entries.");
}

inline constexpr auto kFloats =
    contract::ProductDTypes{{0, contract::DTypes(DType::kFloat16), contract::kFloatDTypes,
                             contract::kFloatDTypes, contract::kFloatDTypes}};

inline constexpr contract::Parameter kParameters[] = {
    Planes(contract::Input("self", kFloats, contract::kPlanesShape<2>)),
    contract::Attribute("kernelShape", Kind::kIntArray,
                        "of windows: one number for both dimensions, or two"),
    contract::Attribute("strides", Kind::kIntArray,
                        "from window to window: as kernelShape, or none for that of kernelShape"),
    contract::Attribute("autoPad", Kind::kInteger, "0: pads says what the padding is"),
    contract::Attribute("pads", Kind::kIntArray,
                        "what is put around planes, below all numbers: as kernelShape, or none, or "
                        "four numbers for top, bottom, left and right"),
    contract::Attribute("dilations", Kind::kIntArray, "ones, four at most"),
    contract::Attribute("ceilMode", Kind::kInteger,
                        "not 0: one more window for what is left over, unless it begins in the "
                        "padding"),
    Planes(contract::Output("out", kFloats, "a number for each window; dtype of self")),
};

inline constexpr contract::Rule kRules[] = {
    contract::SameDType("same-dtype/out", kOut, kSelf, "allocate out with the dtype of self"),
    contract::Count("count/kernelShape", kKernelShape, contract::Between(1, 2),
                    "pass one number for both dimensions, or two"),
    contract::Count("count/strides", kStrides, contract::Between(0, 2),
                    "pass one number for both dimensions, or two, or none"),
    contract::Custom("count/dilations", &OtherDilations, "dilations has 0, 1, 2 or 4 entries",
                     "pass one number for both dimensions, or two"),
    contract::InRange("range/kernelShape", kKernelShape, kSizes, "pass 1 or more"),
    contract::InRange("range/strides", kStrides, kSizes, "pass 1 to take every window"),
    contract::InRange("auto-pad", kAutoPad, contract::Exactly(0), "pass 0, and pads"),
    contract::InRange("range/pads", kPads, kFromZero, "pass 0 for none"),
    contract::InRange("range/dilations", kDilations, contract::Exactly(1), "pass 1"),
    contract::Custom("count/pads", &OtherCount,
                     "pads has 0, 1, 2 or 4 entries: as kernelShape, or one for each edge",
                     "pass top, bottom, left and right"),
    contract::SameRank("same-rank/out", kOut, kSelf, "allocate out with the rank of self"),
    HasPlanes<kPlaces, false>(),
    HalfPadding<kPlaces>("half/pads", "pads are half of a window at most, by kernelShape"),
    contract::Custom("shape/out", &OtherPooledShape<kPlaces>,
                     "out has the shape of self with windows in place of H and W: floor((in + pads "
                     "- kernelShape) / strides) + 1, with ceilMode the quotient rounded up",
                     kPooledFix),
};

inline constexpr contract::Contract kContract = {
    .function = "aclnnMaxPool",
    .folder = "max_pool",
    .summary = "Max pooling in 2 dimensions: the largest element of each window.",
    .products = kAllProducts & ~Bit(Product::kInference310P),
    .parameters = kParameters,
    .rules = kRules,
};
static_assert(contract::Matches<decltype(aclnnMaxPoolGetWorkspaceSize)>(kContract));

}  // namespace plain

}  // namespace aclimb::pooling
