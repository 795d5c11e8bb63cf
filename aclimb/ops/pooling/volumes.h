#pragma once

#include "aclimb/ops/pooling/max_contracts.h"

// What the contracts of operators on volumes share.
namespace aclimb::pooling {

// Chips that have means of windows of volumes.
inline constexpr uint8_t kVolumeMeanProducts = kAllProducts & ~Bit(Product::kTraining910);

constexpr contract::Parameter Volumes(contract::Parameter parameter) {
  return contract::WithPlanes<3>(parameter);
}
constexpr Places OfVolumes(Places places) {
  places.dims = 3;
  return places;
}

inline constexpr contract::Parameter kVolumeKernelParameter = contract::Attribute(
    "kernelSize", Kind::kIntArray, "of windows: one number for all dimensions, or three");

template <const Places& kPlaces>
Finding OtherCounts(const Arguments& arguments) {
  for (const Place& place : {kPlaces.kernel, kPlaces.stride, kPlaces.padding, kPlaces.dilation}) {
    if (place.at < 0) continue;
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

// `kFix` is for what has a number for each window.
template <const Places& kPlaces, const char* kFix = kPooledFix>
inline constexpr contract::Rule kVolumeRules[] = {
    KernelInRange(kPlaces.kernel.at),
    StrideInRange(kPlaces.stride.at),
    PaddingInRange(kPlaces.padding.at),
    contract::Custom("counts/windows", &OtherCounts<kPlaces>,
                     kPlaces.dilation.at < 0
                         ? "kernelSize and padding are one number or three, stride may be none"
                         : "kernelSize, padding and dilation are one number or three, stride may "
                           "be none",
                     "pass one number for all dimensions, or three"),
    HasPlanes<kPlaces, true>(),
    HalfPadding<kPlaces>("half/padding",
                         kPlaces.dilation.at < 0
                             ? "padding is half of a window at most, by kernelSize"
                             : "padding is half of a window at most, by kernelSize and dilation"),
    contract::Custom("shape/pooled", &OtherPooledShape<kPlaces>,
                     "out, or its gradient, has an element for each window", kFix),
};

}  // namespace aclimb::pooling
