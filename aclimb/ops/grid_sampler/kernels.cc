#include "aclimb/ops/grid_sampler/kernels.h"

#include <algorithm>

#include "aclimb/simd/parallel.h"
#include "aclimb/simd/slots.h"

namespace aclimb::grid_sampler {
namespace {

// Elements of a piece of a loop, about.
constexpr int64_t kPiece = 1 << 13;

// What an element of the result is made of along one axis.
struct Taps {
  int count = 0;
  int64_t index[4];  // elements that exist alone
  double weight[4];
  double slope[4];  // of the weight, with the coordinate

  void Add(int64_t at, double of, double with_coordinate) {
    if (at < 0) return;
    index[count] = at;
    weight[count] = of;
    slope[count++] = with_coordinate;
  }
};

// The cubic curve's weight for an element at this distance, and its derivative.
constexpr double kA = -0.75;
double CubicNear(double d) { return ((kA + 2) * d - (kA + 3)) * d * d + 1; }
double CubicFar(double d) { return ((kA * d - 5 * kA) * d + 8 * kA) * d - 4 * kA; }
double CubicNearSlope(double d) { return (3 * (kA + 2) * d - 2 * (kA + 3)) * d; }
double CubicFarSlope(double d) { return (3 * kA * d - 10 * kA) * d + 8 * kA; }

template <typename T>
Taps TapsOf(const Axis<T>& axis, Interpolation interpolation, T coordinate) {
  Taps taps;
  Place<T> place = axis.Of(coordinate);
  if (interpolation != kBicubic) place = axis.Padded(place);
  if (interpolation == kNearest) {
    taps.Add(axis.Index(std::nearbyint(place.at)), 1, 0);
    return taps;
  }
  const T below = std::floor(place.at);
  const double part = static_cast<double>(place.at) - static_cast<double>(below);
  const auto slope = static_cast<double>(place.slope);
  if (interpolation == kBilinear) {
    taps.Add(axis.Index(below), 1 - part, -slope);
    taps.Add(axis.Index(below + 1), part, slope);
    return taps;
  }
  const auto add = [&](int step, double weight, double with_place) {
    const Place<T> at = axis.Padded({below + static_cast<T>(step), 0});
    taps.Add(axis.Index(at.at), weight, with_place * slope);
  };
  add(-1, CubicFar(1 + part), CubicFarSlope(1 + part));
  add(0, CubicNear(part), CubicNearSlope(part));
  add(1, CubicNear(1 - part), -CubicNearSlope(1 - part));
  add(2, CubicFar(2 - part), -CubicFarSlope(2 - part));
  return taps;
}

template <typename T>
struct Sampler {
  explicit Sampler(const Args& of_run)
      : args(of_run),
        rows{args.height, args.padding, args.corners},
        columns{args.width, args.padding, args.corners},
        places(args.out_height * args.out_width),
        plane(args.height * args.width),
        grid(static_cast<const T*>(args.grid)) {}

  // Of place p of the batch's grids.
  Taps Rows(int64_t p) const { return TapsOf(rows, args.interpolation, grid[2 * p + 1]); }
  Taps Columns(int64_t p) const { return TapsOf(columns, args.interpolation, grid[2 * p]); }

  const Args& args;
  const Axis<T> rows, columns;
  const int64_t places;  // of one grid
  const int64_t plane;   // elements of an image
  const T* const grid;
};

}  // namespace

template <typename T>
bool Sample(const Args& args) {
  const Sampler<T> of(args);
  const int64_t channels = args.channels;
  return ParallelForAll(
      args.batch * of.places, std::max<int64_t>(1, kPiece / channels),
      [&](int64_t begin, int64_t end) {
        for (int64_t p = begin; p < end; ++p) {
          const Taps rows = of.Rows(p), columns = of.Columns(p);
          const int64_t n = p / of.places;
          const T* image = static_cast<const T*>(args.input) + n * channels * of.plane;
          T* to = static_cast<T*>(args.out) + n * channels * of.places + p % of.places;
          for (int64_t c = 0; c < channels; ++c, image += of.plane, to += of.places) {
            double sum = 0;
            for (int i = 0; i < rows.count; ++i) {
              const T* const row = image + rows.index[i] * args.width;
              double along = 0;
              for (int j = 0; j < columns.count; ++j) {
                along += columns.weight[j] * static_cast<double>(row[columns.index[j]]);
              }
              sum += rows.weight[i] * along;
            }
            *to = static_cast<T>(sum);
          }
        }
      });
}

template <typename T>
bool InputGradient(const Args& args) {
  const Sampler<T> of(args);
  Slots slots(args.slots);
  return ParallelForAll(
      args.batch * args.channels, std::max<int64_t>(1, kPiece / (of.places + of.plane)),
      [&](int64_t begin, int64_t end) {
        const Slots::Lease lease(slots);
        double* const sums = args.sums + lease.number() * of.plane;
        for (int64_t image = begin; image < end; ++image) {
          std::fill_n(sums, of.plane, 0.0);
          const T* const from = static_cast<const T*>(args.gradient) + image * of.places;
          const int64_t first = image / args.channels * of.places;
          for (int64_t p = 0; p < of.places; ++p) {
            const Taps rows = of.Rows(first + p), columns = of.Columns(first + p);
            const auto g = static_cast<double>(from[p]);
            for (int i = 0; i < rows.count; ++i) {
              double* const row = sums + rows.index[i] * args.width;
              for (int j = 0; j < columns.count; ++j) {
                row[columns.index[j]] += g * rows.weight[i] * columns.weight[j];
              }
            }
          }
          T* const to = static_cast<T*>(args.input_gradient) + image * of.plane;
          for (int64_t i = 0; i < of.plane; ++i) to[i] = static_cast<T>(sums[i]);
        }
      });
}

template <typename T>
bool GridGradient(const Args& args) {
  const Sampler<T> of(args);
  const int64_t channels = args.channels;
  return ParallelForAll(
      args.batch * of.places, std::max<int64_t>(1, kPiece / (channels + 1)),
      [&](int64_t begin, int64_t end) {
        for (int64_t p = begin; p < end; ++p) {
          const Taps rows = of.Rows(p), columns = of.Columns(p);
          const int64_t n = p / of.places;
          const T* image = static_cast<const T*>(args.input) + n * channels * of.plane;
          const T* from =
              static_cast<const T*>(args.gradient) + n * channels * of.places + p % of.places;
          double x = 0, y = 0;
          for (int64_t c = 0; c < channels; ++c, image += of.plane, from += of.places) {
            const auto g = static_cast<double>(*from);
            for (int i = 0; i < rows.count; ++i) {
              const T* const row = image + rows.index[i] * args.width;
              for (int j = 0; j < columns.count; ++j) {
                const double value = g * static_cast<double>(row[columns.index[j]]);
                x += value * rows.weight[i] * columns.slope[j];
                y += value * rows.slope[i] * columns.weight[j];
              }
            }
          }
          T* const to = static_cast<T*>(args.grid_gradient) + 2 * p;
          to[0] = static_cast<T>(x);
          to[1] = static_cast<T>(y);
        }
      });
}

template bool Sample<float>(const Args&);
template bool Sample<double>(const Args&);
template bool InputGradient<float>(const Args&);
template bool InputGradient<double>(const Args&);
template bool GridGradient<float>(const Args&);
template bool GridGradient<double>(const Args&);

}  // namespace aclimb::grid_sampler
