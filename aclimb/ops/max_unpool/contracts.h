#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "aclimb/contract/contract.h"
#include "aclimb/contract/expected_shape.h"
#include "aclimb/contract/planes.h"
#include "aclimb/contract/shapes.h"
#include "aclimb/contract/signature.h"
#include "aclnnop/aclnn_max_unpool2d.h"
#include "aclnnop/aclnn_max_unpool2d_backward.h"
#include "aclnnop/aclnn_max_unpool3d.h"
#include "aclnnop/aclnn_max_unpool3d_backward.h"

// Operators that take elements back to where they were the largest of a window, of planes or of
// volumes, and their gradients.
namespace aclimb::max_unpool {

using contract::Arguments;
using contract::Kind;
using Finding = std::optional<std::string>;

inline constexpr uint8_t kProducts = kAllProducts & ~Bit(Product::kInference310P);
inline constexpr auto kNumbers = contract::OnAll(
    contract::DTypes(DType::kFloat32, DType::kFloat16, DType::kFloat64, DType::kInt16,
                     DType::kInt32, DType::kInt64, DType::kInt8, DType::kUInt8));
// Of the gradient in planes.
inline constexpr auto kPlaneNumbers =
    contract::OnAll(contract::DTypes(DType::kFloat32, DType::kFloat16, DType::kInt32, DType::kInt64,
                                     DType::kInt16, DType::kInt8, DType::kUInt8, DType::kBool));
inline constexpr auto kIndexTypes = contract::OnAll(contract::DTypes(DType::kInt64, DType::kInt32));

// Where the parameters of an operator stand.
struct Places {
  int small = 0;  // what was pooled, or its gradient
  int large = 0;  // where the indices lead to
  int indices = 0;
  int size = 0;     // outputSize; stride and padding stand behind it
  size_t dims = 2;  // of planes, 3 of volumes
};

template <int kSelf, int kOutputSize>
Finding TooFew(const Arguments& arguments) {
  const TensorDescriptor& self = arguments.Tensor(kSelf);
  const IntArrayValue& size = arguments.Ints(kOutputSize);
  const int64_t from =
      contract::ExtentProduct(self.shape[self.shape.size() - 2], self.shape.back());
  if (contract::ExtentProduct(size[0], size[1]) >= from) return std::nullopt;
  return Cat("outputSize is ", contract::IntsText(size), " and self.shape is ",
             contract::ShapeText(self), "; expected ", from, " elements or more.");
}

// No index leads anywhere where there is nothing.
template <int kSelf, int kOutputSize>
Finding NoRoom(const Arguments& arguments) {
  const TensorDescriptor& self = arguments.Tensor(kSelf);
  const IntArrayValue& size = arguments.Ints(kOutputSize);
  if (std::ranges::count(self.shape, 0) > 0 || std::ranges::count(size, 0) == 0) {
    return std::nullopt;
  }
  return Cat("outputSize is ", contract::IntsText(size), " and self.shape is ",
             contract::ShapeText(self), "; expected numbers from 1 on.");
}
template <int kSelf, int kOutputSize>
constexpr contract::Rule HasRoom(const char* fix) {
  return contract::Custom("room/outputSize", &NoRoom<kSelf, kOutputSize>,
                          "outputSize has no 0 unless self has no elements", fix);
}

template <size_t kDims, int kOutputSize>
inline constexpr contract::Rule kSizeRules[] = {
    contract::Count("count/outputSize", kOutputSize, contract::Exactly(kDims),
                    kDims == 2 ? "pass height and width" : "pass depth, height and width"),
    contract::InRange("range/outputSize", kOutputSize, contract::AtLeast(0), "pass 0 or more"),
};
template <int kStride, int kPadding>
inline constexpr contract::Rule kWindowRules[] = {
    contract::Count("count/stride", kStride, contract::Exactly(3), "pass three numbers"),
    contract::Count("count/padding", kPadding, contract::Exactly(3), "pass three numbers"),
    contract::InRange("range/stride", kStride, contract::AtLeast(1), "pass 1 or more"),
};
inline constexpr contract::Parameter kStrideParameter =
    contract::Attribute("stride", Kind::kIntArray, "of the pooling; changes nothing");
inline constexpr contract::Parameter kPaddingParameter =
    contract::Attribute("padding", Kind::kIntArray, "of the pooling; changes nothing");

// What was pooled, and where the indices lead.
template <size_t kDims>
constexpr contract::Parameter Small(contract::Parameter parameter) {
  if constexpr (kDims == 2) {
    return contract::WithPlanes<kDims>(contract::WithShape(parameter, "P... H W"));
  } else {
    return contract::WithPlanes<kDims>(contract::WithShape(parameter, "P... D H W"));
  }
}
template <size_t kDims>
constexpr contract::Parameter Large(contract::Parameter parameter) {
  return contract::WithPlanes<kDims>(contract::WithShape(parameter, "P... outputSize..."));
}

namespace planes {

enum : int { kSelf, kIndices, kOutputSize, kOut };

inline constexpr Places kPlaces = {
    .small = kSelf, .large = kOut, .indices = kIndices, .size = kOutputSize};

inline constexpr contract::Parameter kParameters[] = {
    Small<2>(contract::Input("self", kNumbers, contract::kPlanesShape<2>)),
    contract::WithPlanes<2>(contract::Input(
        "indices", kIndexTypes, "shape of self: where its elements go in a plane of out")),
    contract::Attribute("outputSize", Kind::kIntArray, "height and width of out"),
    Large<2>(contract::Output("out", kNumbers, "dtype of self")),
};
inline constexpr contract::Rule kRules[] = {
    contract::SameDType("same-dtype/out", kOut, kSelf, "allocate out with the dtype of self"),
    kSizeRules<2, kOutputSize>[0],
    kSizeRules<2, kOutputSize>[1],
    contract::SameShape("same-shape/indices", kIndices, kSelf, "pass an index for each element"),
    contract::Custom("room/outputSize", &TooFew<kSelf, kOutputSize>,
                     "outputSize has as many elements as a plane of self at least",
                     "pass the size of what was pooled"),
};
inline constexpr contract::Contract kContract = {
    .function = "aclnnMaxUnpool2d",
    .folder = "max_unpool2d",
    .summary = "Max unpooling in 2 dimensions: elements at their indices in planes of zeros.",
    .products = kProducts,
    .parameters = kParameters,
    .rules = kRules,
};
static_assert(contract::Matches<decltype(aclnnMaxUnpool2dGetWorkspaceSize)>(kContract));

}  // namespace planes

namespace volumes {

enum : int { kSelf, kIndices, kOutputSize, kStride, kPadding, kOutRef };

inline constexpr Places kPlaces = {
    .small = kSelf, .large = kOutRef, .indices = kIndices, .size = kOutputSize, .dims = 3};

inline constexpr contract::Parameter kParameters[] = {
    Small<3>(contract::Input("self", kNumbers, contract::kPlanesShape<3>)),
    contract::WithPlanes<3>(contract::Input(
        "indices", kIndexTypes, "shape of self: where its elements go in a volume of outRef")),
    contract::Attribute("outputSize", Kind::kIntArray, "depth, height and width of outRef"),
    kStrideParameter,
    kPaddingParameter,
    Large<3>(contract::Output("outRef", kNumbers, "dtype of self")),
};
inline constexpr contract::Rule kRules[] = {
    contract::SameDType("same-dtype/outRef", kOutRef, kSelf,
                        "allocate outRef with the dtype of self"),
    kSizeRules<3, kOutputSize>[0],
    kSizeRules<3, kOutputSize>[1],
    kWindowRules<kStride, kPadding>[0],
    kWindowRules<kStride, kPadding>[1],
    kWindowRules<kStride, kPadding>[2],
    contract::SameShape("same-shape/indices", kIndices, kSelf, "pass an index for each element"),
    HasRoom<kSelf, kOutputSize>("pass the size of what was pooled"),
};
inline constexpr contract::Contract kContract = {
    .function = "aclnnMaxUnpool3d",
    .folder = "max_unpool3d",
    .summary = "Max unpooling in 3 dimensions: elements at their indices in volumes of zeros.",
    .products = kProducts,
    .parameters = kParameters,
    .rules = kRules,
};
static_assert(contract::Matches<decltype(aclnnMaxUnpool3dGetWorkspaceSize)>(kContract));

}  // namespace volumes

inline constexpr const char* kGradientDoc =
    "gradient of the forward output: shape of self, with outputSize for its last extents";

// Not by a pattern, which would name self where the leading dimensions differ.
template <int kGradOutput, int kSelf, int kOutputSize>
Finding OtherGradient(const Arguments& arguments) {
  const TensorDescriptor& self = arguments.Tensor(kSelf);
  const IntArrayValue& size = arguments.Ints(kOutputSize);
  std::vector<int64_t> expected = self.shape;
  std::ranges::copy(size, expected.end() - static_cast<std::ptrdiff_t>(size.size()));
  return contract::OtherShape(
      "gradOutput", arguments.Tensor(kGradOutput), expected,
      Cat("self.shape ", contract::ShapeText(self), " and outputSize ", contract::IntsText(size)));
}
template <int kGradOutput, int kSelf, int kOutputSize>
constexpr contract::Rule GradientFits() {
  return contract::Custom("shape/gradOutput", &OtherGradient<kGradOutput, kSelf, kOutputSize>,
                          "gradOutput has the shape of self, with outputSize for its last extents",
                          "pass the gradient of the forward output");
}

namespace planes_backward {

enum : int { kGradOutput, kSelf, kIndices, kOutputSize, kOut };

inline constexpr Places kPlaces = {
    .small = kOut, .large = kGradOutput, .indices = kIndices, .size = kOutputSize};

inline constexpr contract::Parameter kParameters[] = {
    contract::WithPlanes<2>(contract::Input("gradOutput", kPlaneNumbers, kGradientDoc)),
    Small<2>(contract::Input("self", kPlaneNumbers, contract::kForwardPlanesShape<2>)),
    contract::WithPlanes<2>(contract::Input("indices", kIndexTypes, "of the forward call")),
    contract::Attribute("outputSize", Kind::kIntArray, "of the forward call"),
    contract::WithPlanes<2>(contract::Output(
        "out", kPlaneNumbers, "shape of self, a dtype that that of gradOutput converts to")),
};
inline constexpr contract::Rule kRules[] = {
    contract::SameDType("same-dtype/self", kSelf, kGradOutput,
                        "pass both in the dtype of the forward call"),
    contract::ConvertsTo("converts/gradOutput", kGradOutput, kOut,
                         "allocate out with the dtype of gradOutput"),
    kSizeRules<2, kOutputSize>[0],
    kSizeRules<2, kOutputSize>[1],
    contract::SameShape("same-shape/indices", kIndices, kSelf, "pass those of the forward call"),
    GradientFits<kGradOutput, kSelf, kOutputSize>(),
    HasRoom<kSelf, kOutputSize>("pass the outputSize of the forward call"),
    contract::SameShape("same-shape/out", kOut, kSelf, "allocate out with the shape of self"),
};
inline constexpr contract::Contract kContract = {
    .function = "aclnnMaxUnpool2dBackward",
    .folder = "max_unpool2d_backward",
    .summary = "Gradient of aclnnMaxUnpool2d with respect to its input.",
    .products = kProducts,
    .parameters = kParameters,
    .rules = kRules,
};
static_assert(contract::Matches<decltype(aclnnMaxUnpool2dBackwardGetWorkspaceSize)>(kContract));

}  // namespace planes_backward

namespace volumes_backward {

enum : int { kGradOutput, kSelf, kIndices, kOutputSize, kStride, kPadding, kOut };

inline constexpr Places kPlaces = {
    .small = kOut, .large = kGradOutput, .indices = kIndices, .size = kOutputSize, .dims = 3};

inline constexpr contract::Parameter kParameters[] = {
    contract::WithPlanes<3>(contract::Input("gradOutput", kNumbers, kGradientDoc)),
    Small<3>(contract::Input("self", kNumbers, contract::kForwardPlanesShape<3>)),
    contract::WithPlanes<3>(contract::Input("indices", kIndexTypes, "of the forward call")),
    contract::Attribute("outputSize", Kind::kIntArray, "of the forward call"),
    kStrideParameter,
    kPaddingParameter,
    contract::WithPlanes<3>(contract::Output("out", kNumbers, "shape and dtype of self")),
};
inline constexpr contract::Rule kRules[] = {
    contract::SameDType("same-dtype/self", kSelf, kGradOutput,
                        "pass both in the dtype of the forward call"),
    contract::SameDType("same-dtype/out", kOut, kSelf, "allocate out with the dtype of self"),
    kSizeRules<3, kOutputSize>[0],
    kSizeRules<3, kOutputSize>[1],
    kWindowRules<kStride, kPadding>[0],
    kWindowRules<kStride, kPadding>[1],
    kWindowRules<kStride, kPadding>[2],
    contract::SameShape("same-shape/indices", kIndices, kSelf, "pass those of the forward call"),
    GradientFits<kGradOutput, kSelf, kOutputSize>(),
    HasRoom<kSelf, kOutputSize>("pass the outputSize of the forward call"),
    contract::SameShape("same-shape/out", kOut, kSelf, "allocate out with the shape of self"),
};
inline constexpr contract::Contract kContract = {
    .function = "aclnnMaxUnpool3dBackward",
    .folder = "max_unpool3d_backward",
    .summary = "Gradient of aclnnMaxUnpool3d with respect to its input.",
    .products = kProducts,
    .parameters = kParameters,
    .rules = kRules,
};
static_assert(contract::Matches<decltype(aclnnMaxUnpool3dBackwardGetWorkspaceSize)>(kContract));

}  // namespace volumes_backward

}  // namespace aclimb::max_unpool
