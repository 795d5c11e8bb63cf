#include "aclimb/ops/grid_sampler/kernels.h"

#include <algorithm>

#include "aclimb/core/cubic_curve.h"
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
  add(-1, CubicCurve::Far(1 + part), CubicCurve::FarSlope(1 + part));
  add(0, CubicCurve::Near(part), CubicCurve::NearSlope(part));
  add(1, CubicCurve::Near(1 - part), -CubicCurve::NearSlope(1 - part));
  add(2, CubicCurve::Far(2 - part), -CubicCurve::FarSlope(2 - part));
  return taps;
}

// What the elements at a place are made of: all that exist of the taps along the axes.
template <typename T>
struct Sampler {
  explicit Sampler(const Args& of_run)
      : args(of_run), places(of_run.Places()), elements(of_run.Elements()) {}

  // Of place p of the batch's grids. Coordinates are told from the innermost axis on.
  struct Place {
    Taps taps[kAxes];
  };
  Place Of(int64_t p) const {
    Place place;
    const T* const grid = static_cast<const T*>(args.grid) + p * args.axes;
    for (int d = 0; d < kAxes; ++d) {
      if (d < kAxes - args.axes) {
        place.taps[d].Add(0, 1, 0);
        continue;
      }
      const Axis<T> axis = {args.in[d], args.padding, args.corners};
      place.taps[d] = TapsOf(axis, args.interpolation, grid[kAxes - 1 - d]);
    }
    return place;
  }
  // Calls use(first element of a row, layer's tap, row's tap) for the rows of an image that the
  // place has elements of.
  template <typename Use>
  void EachRow(const Place& place, Use use) const {
    for (int i = 0; i < place.taps[0].count; ++i) {
      for (int j = 0; j < place.taps[1].count; ++j) {
        use((place.taps[0].index[i] * args.in[1] + place.taps[1].index[j]) * args.in[2], i, j);
      }
    }
  }

  const Args& args;
  const int64_t places;    // of one grid
  const int64_t elements;  // of an image
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
          const auto place = of.Of(p);
          const Taps &layers = place.taps[0], &rows = place.taps[1], &columns = place.taps[2];
          const int64_t n = p / of.places;
          const T* image = static_cast<const T*>(args.input) + n * channels * of.elements;
          T* to = static_cast<T*>(args.result) + n * channels * of.places + p % of.places;
          for (int64_t c = 0; c < channels; ++c, image += of.elements, to += of.places) {
            double sum = 0;
            of.EachRow(place, [&](int64_t first, int i, int j) {
              double along = 0;
              for (int k = 0; k < columns.count; ++k) {
                along += columns.weight[k] * static_cast<double>(image[first + columns.index[k]]);
              }
              sum += layers.weight[i] * rows.weight[j] * along;
            });
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
      args.batch * args.channels, std::max<int64_t>(1, kPiece / (of.places + of.elements)),
      [&](int64_t begin, int64_t end) {
        const Slots::Lease lease(slots);
        double* const sums = args.sums + lease.number() * of.elements;
        for (int64_t image = begin; image < end; ++image) {
          std::fill_n(sums, of.elements, 0.0);
          const T* const from = static_cast<const T*>(args.gradient) + image * of.places;
          const int64_t first_place = image / args.channels * of.places;
          for (int64_t p = 0; p < of.places; ++p) {
            const auto place = of.Of(first_place + p);
            const Taps &layers = place.taps[0], &rows = place.taps[1], &columns = place.taps[2];
            const auto g = static_cast<double>(from[p]);
            of.EachRow(place, [&](int64_t first, int i, int j) {
              const double of_row = g * layers.weight[i] * rows.weight[j];
              for (int k = 0; k < columns.count; ++k) {
                sums[first + columns.index[k]] += of_row * columns.weight[k];
              }
            });
          }
          T* const to = static_cast<T*>(args.input_gradient) + image * of.elements;
          for (int64_t i = 0; i < of.elements; ++i) to[i] = static_cast<T>(sums[i]);
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
          const auto place = of.Of(p);
          const Taps &layers = place.taps[0], &rows = place.taps[1], &columns = place.taps[2];
          const int64_t n = p / of.places;
          const T* image = static_cast<const T*>(args.input) + n * channels * of.elements;
          const T* from =
              static_cast<const T*>(args.gradient) + n * channels * of.places + p % of.places;
          double gradient[kAxes] = {};
          for (int64_t c = 0; c < channels; ++c, image += of.elements, from += of.places) {
            const auto g = static_cast<double>(*from);
            of.EachRow(place, [&](int64_t first, int i, int j) {
              for (int k = 0; k < columns.count; ++k) {
                const double value = g * static_cast<double>(image[first + columns.index[k]]);
                gradient[0] += value * layers.slope[i] * rows.weight[j] * columns.weight[k];
                gradient[1] += value * layers.weight[i] * rows.slope[j] * columns.weight[k];
                gradient[2] += value * layers.weight[i] * rows.weight[j] * columns.slope[k];
              }
            });
          }
          T* const to = static_cast<T*>(args.grid_gradient) + p * args.axes;
          for (int d = 0; d < args.axes; ++d) to[d] = static_cast<T>(gradient[kAxes - 1 - d]);
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
