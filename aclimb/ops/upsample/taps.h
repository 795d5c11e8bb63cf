#pragma once

#include <cstdint>

#include "aclimb/ops/upsample/scales.h"

// What elements of images in another size are made of, along one axis.
namespace aclimb::upsample {

enum class Way : uint8_t { kNearest, kLinear, kCubic };

// Elements of the input that one of the output is made of at most.
constexpr int64_t MostTaps(Way way) {
  return way == Way::kNearest ? 1 : way == Way::kLinear ? 2 : 4;
}

// Each element of the result is a sum of a few of the source, times their weights. A gradient's
// result is that of the input, its source that of the output.
struct AxisShape {
  int64_t in = 1, out = 1;
  double factor = 0;
  bool corners = false;
  Way way = Way::kNearest;
  bool backward = false;

  int64_t source() const { return backward ? out : in; }
  int64_t result() const { return backward ? in : out; }
  int64_t most_parts() const { return out * MostTaps(way); }
};

// Element i of the result is made of parts [begin[i], begin[i + 1]), in the order of the source.
struct Parts {
  int64_t most = 0;  // of an element
  int64_t* begin = nullptr;
  int32_t* index = nullptr;
  double* weight = nullptr;

  int64_t CountOf(int64_t i) const { return begin[i + 1] - begin[i]; }
};
int64_t PartsBytes(const AxisShape& shape);
// Places are of type T, float or double.
template <typename T>
Parts MakeParts(const AxisShape& shape, void* memory);

}  // namespace aclimb::upsample
