#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

// Where a coordinate of a grid lies among the elements of an axis. Compile without contraction:
// places are float32 or float64 as PyTorch computes them. Truths have formulas of their own.
namespace aclimb::grid_sampler {

enum Interpolation : int { kBilinear, kNearest, kBicubic };
enum Padding : int { kZeros, kBorder, kReflection };

// In elements from the first, and how fast it moves with the coordinate.
template <typename T>
struct Place {
  T at;
  T slope;
};

template <typename T>
struct Axis {
  int64_t extent;
  Padding padding;
  bool corners;

  // -1 and 1 are the ends, whatever is beyond them.
  Place<T> Of(T coordinate) const {
    const T size = static_cast<T>(extent);
    if (corners) return {(coordinate + 1) / 2 * (size - 1), (size - 1) / 2};
    return {((coordinate + 1) * size - 1) / 2, size / 2};
  }

  // What the padding makes of a place beyond the ends.
  Place<T> Padded(Place<T> place) const {
    if (padding == kZeros) return place;
    if (padding == kReflection) place = Reflected(place);
    const T last = static_cast<T>(extent - 1);
    if (!(place.at > 0)) return {0, 0};
    return place.at < last ? place : Place<T>{last, 0};
  }

  // The element, or -1 where there is none. Without branches, which random places would mispredict.
  int64_t Index(T at) const {
    const T end = static_cast<T>(extent);
    const int is_there = static_cast<int>(at >= 0) & static_cast<int>(at < end);
    // A number that fits, also of NaN.
    return static_cast<int64_t>(std::min(std::max(T{-1}, at), end)) | (int64_t{is_there} - 1);
  }

  // At the centers of the outer elements or at their edges.
  Place<T> Reflected(const Place<T>& place) const {
    const T least = corners ? T{0} : T{-0.5};
    const T span = static_cast<T>(corners ? extent - 1 : extent);
    if (span == 0) return {0, 0};
    const T beyond = std::fabs(place.at - least);
    const T rest = std::fmod(beyond, span);
    const bool is_turned = std::fmod(std::floor(beyond / span), T{2}) != 0;
    const T slope = place.at < least ? -place.slope : place.slope;
    return is_turned ? Place<T>{span - rest + least, -slope} : Place<T>{rest + least, slope};
  }
};

}  // namespace aclimb::grid_sampler
