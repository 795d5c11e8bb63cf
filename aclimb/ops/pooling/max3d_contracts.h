#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "aclimb/ops/pooling/max_contracts.h"
#include "aclnnop/aclnn_max_pool3d_with_argmax.h"
#include "aclnnop/aclnn_max_pool3d_with_argmax_backward.h"

// The largest of each window of volumes, and the gradient.
namespace aclimb::pooling::max3d {

// Windows over the last three dimensions.
struct VolumeWindows {
  int64_t volumes = 1;
  std::array<Axis, 3> axes = {};

  int64_t In() const { return axes[0].in * axes[1].in * axes[2].in; }
  int64_t Out() const { return axes[0].out * axes[1].out * axes[2].out; }
};

inline VolumeWindows VolumeWindowsOf(const std::vector<int64_t>& shape, const WindowSizes& sizes) {
  VolumeWindows windows;
  const size_t first = shape.size() - 3;
  for (size_t d = 0; d < first; ++d) windows.volumes *= shape[d];
  for (size_t d = 0; d < 3; ++d) windows.axes[d] = AxisOf(sizes, d, shape[first + d]);
  return windows;
}
inline VolumeWindows VolumeWindowsOf(const Arguments& arguments, const Places& places) {
  return VolumeWindowsOf(arguments.Tensor(places.self.at).shape, SizesOf(arguments, places));
}
inline std::vector<int64_t> PooledShape(std::vector<int64_t> shape, const VolumeWindows& windows) {
  for (size_t d = 0; d < 3; ++d) shape[shape.size() - 3 + d] = windows.axes[d].out;
  return shape;
}

template <const Places& kPlaces>
Finding OtherCounts(const Arguments& arguments) {
  for (const Place& place : {kPlaces.kernel, kPlaces.stride, kPlaces.padding, kPlaces.dilation}) {
    const size_t count = arguments.Ints(place.at).size();
    const bool may_lack = place.at == kPlaces.stride.at;
    if (count == 1 || count == 3 || (count == 0 && may_lack)) continue;
    return Cat(place.name, " is ", contract::IntsText(arguments.Ints(place.at)), " and ",
               kPlaces.self.name, ".shape is ",
               contract::ShapeText(arguments.Tensor(kPlaces.self.at)),
               "; expected one number for its last three dimensions or three",
               may_lack ? ", or none." : ".");
  }
  return std::nullopt;
}
template <const Places& kPlaces>
Finding WrongVolume(const Arguments& arguments) {
  const TensorDescriptor& self = arguments.Tensor(kPlaces.self.at);
  int64_t room = kMost;
  for (size_t d = self.shape.size() - 3; d < self.shape.size(); ++d) {
    room = self.shape[d] > 0 ? room / self.shape[d] : 0;
  }
  if (room > 0) return std::nullopt;
  return Cat(kPlaces.self.name, ".shape is ", contract::ShapeText(self),
             "; expected last dimensions of 1 to ", kMost, ", their product included.");
}
template <const Places& kPlaces>
Finding WidePadding(const Arguments& arguments) {
  for (const Axis& axis : VolumeWindowsOf(arguments, kPlaces).axes) {
    if (axis.pad_begin <= axis.Span() / 2) continue;
    return Cat(kPlaces.padding.name, " is ", contract::IntsText(arguments.Ints(kPlaces.padding.at)),
               ", ", kPlaces.dilation.name, " is ",
               contract::IntsText(arguments.Ints(kPlaces.dilation.at)), " and ",
               kPlaces.kernel.name, " is ", contract::IntsText(arguments.Ints(kPlaces.kernel.at)),
               "; expected half of a window at most, which is ", axis.Span(), " long.");
  }
  return std::nullopt;
}
template <const Places& kPlaces>
Finding OtherPooledShape(const Arguments& arguments) {
  const VolumeWindows windows = VolumeWindowsOf(arguments, kPlaces);
  const TensorDescriptor& pooled = arguments.Tensor(kPlaces.pooled.at);
  const std::string reason = WindowsText(arguments, kPlaces);
  for (const Axis& axis : windows.axes) {
    if (axis.out >= 1) continue;
    return Cat(kPlaces.pooled.name, ".shape is ", contract::ShapeText(pooled),
               "; expected windows that fit into the volumes, but there are none with ", reason,
               ".");
  }
  return contract::OtherShape(kPlaces.pooled.name, pooled,
                              PooledShape(arguments.Tensor(kPlaces.self.at).shape, windows),
                              reason);
}

constexpr contract::Parameter Volumes(contract::Parameter parameter) {
  return contract::WithRank(parameter, 4, 5);
}
inline constexpr auto kIndexTypes = contract::OnAll(contract::DTypes(DType::kInt32));

template <const Places& kPlaces>
inline constexpr contract::Rule kWindowRules[] = {
    KernelInRange(kPlaces.kernel.at),
    StrideInRange(kPlaces.stride.at),
    PaddingInRange(kPlaces.padding.at),
    DilationInRange(kPlaces.dilation.at),
    contract::Custom("counts/windows", &OtherCounts<kPlaces>,
                     "kernelSize, padding and dilation are one number or three, stride may be none",
                     "pass one number for all dimensions, or three"),
    contract::Custom(
        "volumes/self", &WrongVolume<kPlaces>,
        "the last three dimensions of self have elements, and fewer than 2^31 together",
        "pass volumes that have elements, in parts if they are larger"),
    contract::Custom("half/padding", &WidePadding<kPlaces>,
                     "padding is half of a window at most, by kernelSize and dilation",
                     kPaddingFix),
    contract::Custom("shape/pooled", &OtherPooledShape<kPlaces>,
                     "out, or its gradient, has an element for each window", kPooledFix),
};

namespace forward {

using pooling::forward::kPlaces;
using enum pooling::forward::Position;

inline constexpr contract::Parameter kParameters[] = {
    Volumes(contract::Input("self", kNewDTypes, "[N, C, D, H, W] or [C, D, H, W]")),
    contract::Attribute("kernelSize", Kind::kIntArray,
                        "of windows: one number for all dimensions, or three"),
    kStrideParameter,
    contract::Attribute("padding", Kind::kIntArray,
                        "what is put around volumes, below all numbers: as kernelSize"),
    kDilationParameter,
    kCeilParameter,
    Volumes(contract::Output("out", kNewDTypes, "a number for each window; dtype of self")),
    Volumes(contract::Output("indices", kIndexTypes,
                             "shape of out: (z * H + y) * W + x of each maximum, -1 where a window "
                             "has no element")),
};
inline constexpr contract::Rule kRules[] = {
    contract::SameDType("same-dtype/out", kOut, kSelf, "allocate out with the dtype of self"),
    kWindowRules<kPlaces>[0],
    kWindowRules<kPlaces>[1],
    kWindowRules<kPlaces>[2],
    kWindowRules<kPlaces>[3],
    contract::SameRank("same-rank/out", kOut, kSelf, "allocate out with the rank of self"),
    kWindowRules<kPlaces>[4],
    kWindowRules<kPlaces>[5],
    kWindowRules<kPlaces>[6],
    kWindowRules<kPlaces>[7],
    contract::SameShape("same-shape/indices", kIndices, kOut,
                        "allocate indices with the shape of out"),
};
inline constexpr contract::Contract kContract = {
    .function = "aclnnMaxPool3dWithArgmax",
    .folder = "max_pool3d_with_argmax",
    .summary = "The largest number of each window, and its index in the volume.",
    .products = kNewProducts,
    .parameters = kParameters,
    .rules = kRules};
static_assert(contract::Matches<decltype(aclnnMaxPool3dWithArgmaxGetWorkspaceSize)>(kContract));

}  // namespace forward

namespace backward {

using pooling::backward::kPlaces;
using enum pooling::backward::Position;

inline constexpr contract::Parameter kParameters[] = {
    Volumes(
        contract::Input("gradOutput", kNewDTypes, "gradient of the forward output, of its shape")),
    Volumes(contract::Input("self", kNewDTypes,
                            "the forward input, [N, C, D, H, W] or [C, D, H, W]: its shape alone "
                            "matters")),
    Volumes(contract::Input("indices", kIndexTypes,
                            "that the forward call wrote; what is outside of the volume adds "
                            "nothing")),
    contract::Attribute("kernelSize", Kind::kIntArray, "of the forward call"),
    contract::Attribute("stride", Kind::kIntArray, "of the forward call"),
    contract::Attribute("padding", Kind::kIntArray, "of the forward call"),
    contract::Attribute("dilation", Kind::kIntArray, "of the forward call"),
    contract::Attribute("ceilMode", Kind::kBool, "of the forward call"),
    Volumes(contract::Output("gradInput", kNewDTypes, "shape and dtype of self")),
};
inline constexpr contract::Rule kRules[] = {
    contract::SameDType("same-dtype/self", kSelf, kGradOutput,
                        "pass both in the dtype of the forward call"),
    contract::SameDType("same-dtype/gradInput", kGradInput, kSelf,
                        "allocate gradInput with the dtype of self"),
    kWindowRules<kPlaces>[0],
    kWindowRules<kPlaces>[1],
    kWindowRules<kPlaces>[2],
    kWindowRules<kPlaces>[3],
    contract::SameRank("same-rank/gradOutput", kGradOutput, kSelf,
                       "pass a gradient with the rank of self"),
    kWindowRules<kPlaces>[4],
    kWindowRules<kPlaces>[5],
    kWindowRules<kPlaces>[6],
    kWindowRules<kPlaces>[7],
    contract::SameShape("same-shape/indices", kIndices, kGradOutput,
                        "pass the indices of the forward call"),
    contract::SameShape("same-shape/gradInput", kGradInput, kSelf,
                        "allocate gradInput with the shape of self"),
};
inline constexpr contract::Contract kContract = {
    .function = "aclnnMaxPool3dWithArgmaxBackward",
    .folder = "max_pool3d_with_argmax_backward",
    .summary = "Gradient of aclnnMaxPool3dWithArgmax with respect to its input.",
    .products = kNewProducts,
    .parameters = kParameters,
    .rules = kRules};
static_assert(
    contract::Matches<decltype(aclnnMaxPool3dWithArgmaxBackwardGetWorkspaceSize)>(kContract));

}  // namespace backward

}  // namespace aclimb::pooling::max3d
