#pragma once

#include <optional>
#include <string>

#include "aclimb/contract/contract.h"
#include "aclimb/contract/expected_shape.h"
#include "aclimb/ops/pooling/windows.h"

// Rules about windows that the operators of this folder share. Each says where its parameters stand
// and how they are called.
namespace aclimb::pooling {

using contract::Arguments;
using Finding = std::optional<std::string>;

struct Place {
  int at = -1;  // -1: the operator has no such parameter
  const char* name = "";
};

inline constexpr char kPooledFix[] = "allocate it with the shape that is expected";
inline constexpr char kPooledGradientFix[] = "pass the gradient of the forward output";

struct Places {
  Place self = {};
  Place pooled = {};  // a number for each window
  Place kernel = {};
  Place stride = {};
  Place padding = {};
  Place dilation = {};
  Place ceil = {};
  Place indices = {};  // of shape `pooled`, or a mask
  size_t dims = 2;     // how many of the last dimensions have windows
};

inline WindowSizes SizesOf(const Arguments& arguments, const Places& places) {
  return {.kernel = arguments.Ints(places.kernel.at),
          .stride = arguments.Ints(places.stride.at),
          .padding = arguments.Ints(places.padding.at),
          .dilation = places.dilation.at < 0 ? nullptr : &arguments.Ints(places.dilation.at),
          .ceil = arguments.Integer(places.ceil.at) != 0};
}
inline Windows WindowsOf(const Arguments& arguments, const Places& places) {
  return WindowsOf(arguments.Tensor(places.self.at).shape, places.dims, SizesOf(arguments, places));
}

// "self.shape [1, 2, 3], kernelSize [2, 2], ..."
inline std::string WindowsText(const Arguments& arguments, const Places& places) {
  std::string text =
      Cat(places.self.name, ".shape ", contract::ShapeText(arguments.Tensor(places.self.at)));
  for (const Place& place : {places.kernel, places.stride, places.padding, places.dilation}) {
    if (place.at < 0) continue;
    text += Cat(", ", place.name, " ", contract::IntsText(arguments.Ints(place.at)));
  }
  const bool is_flag = arguments.At(places.ceil.at).kind == contract::Kind::kBool;
  text += Cat(" and ", places.ceil.name, " ");
  return text +
         (is_flag ? Cat(arguments.Bool(places.ceil.at)) : Cat(arguments.Integer(places.ceil.at)));
}

// Planes have elements, and where there are indices, or three dimensions, not more of them than an
// index can tell.
template <const Places& kPlaces, bool kIndexed>
Finding WrongPlane(const Arguments& arguments) {
  const TensorDescriptor& self = arguments.Tensor(kPlaces.self.at);
  constexpr bool kTogether = kIndexed || kPlaces.dims == 3;
  int64_t room = kMost;
  for (size_t d = self.shape.size() - kPlaces.dims; d < self.shape.size() && room > 0; ++d) {
    const int64_t in = self.shape[d];
    room = in < 1 || in > room ? 0 : kTogether ? room / in : room;
  }
  if (room > 0) return std::nullopt;
  return Cat(kPlaces.self.name, ".shape is ", contract::ShapeText(self),
             "; expected last dimensions of 1 to ", kMost,
             kTogether ? ", their product included." : ".");
}
template <const Places& kPlaces, bool kIndexed>
constexpr contract::Rule HasPlanes() {
  if (kPlaces.dims == 3) {
    return contract::Custom(
        "volumes/self", &WrongPlane<kPlaces, kIndexed>,
        "the last three dimensions of self have elements, and fewer than 2^31 together",
        "pass volumes that have elements, in parts if they are larger");
  }
  return contract::Custom(
      "planes/self", &WrongPlane<kPlaces, kIndexed>,
      kIndexed ? "the last two dimensions of self have elements, and fewer than 2^31 together"
               : "the last two dimensions of self have elements",
      "pass planes that have elements, in parts if they are larger");
}

template <const Places& kPlaces>
Finding WidePadding(const Arguments& arguments) {
  const Windows windows = WindowsOf(arguments, kPlaces);
  for (const Axis& axis : {windows.depth, windows.height, windows.width}) {
    if (std::max(axis.pad_begin, axis.pad_end) <= axis.Span() / 2) continue;
    std::string dilation;
    if (kPlaces.dilation.at >= 0) {
      dilation = Cat(", ", kPlaces.dilation.name, " is ",
                     contract::IntsText(arguments.Ints(kPlaces.dilation.at)));
    }
    return Cat(kPlaces.padding.name, " is ", contract::IntsText(arguments.Ints(kPlaces.padding.at)),
               dilation, " and ", kPlaces.kernel.name, " is ",
               contract::IntsText(arguments.Ints(kPlaces.kernel.at)),
               "; expected half of a window at most, which is ", axis.Span(), " long.");
  }
  return std::nullopt;
}
template <const Places& kPlaces>
constexpr contract::Rule HalfPadding(const char* id, const char* said) {
  return contract::Custom(id, &WidePadding<kPlaces>, said, "pass half of the window or less");
}

template <const Places& kPlaces>
Finding OtherPooledShape(const Arguments& arguments) {
  const Windows windows = WindowsOf(arguments, kPlaces);
  const TensorDescriptor& pooled = arguments.Tensor(kPlaces.pooled.at);
  const std::string reason = WindowsText(arguments, kPlaces);
  if (std::min({windows.depth.out, windows.height.out, windows.width.out}) < 1) {
    return Cat(kPlaces.pooled.name, ".shape is ", contract::ShapeText(pooled),
               "; expected windows that fit into the ", kPlaces.dims == 2 ? "planes" : "volumes",
               ", but there are none with ", reason, ".");
  }
  return contract::OtherShape(
      kPlaces.pooled.name, pooled,
      PooledShape(arguments.Tensor(kPlaces.self.at).shape, kPlaces.dims, windows), reason);
}

template <const Places& kPlaces>
Finding OtherMaskShape(const Arguments& arguments) {
  const Windows windows = WindowsOf(arguments, kPlaces);
  return contract::OtherShape(kPlaces.indices.name, arguments.Tensor(kPlaces.indices.at),
                              MaskShape(arguments.Tensor(kPlaces.self.at).shape, windows),
                              WindowsText(arguments, kPlaces));
}

}  // namespace aclimb::pooling
