// What is at the places of a grid is made of taps along each axis. Included once per instruction
// set by files that use hwy/foreach_target.h.
#if defined(ACLIMB_OPS_GRID_SAMPLER_TAPS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACLIMB_OPS_GRID_SAMPLER_TAPS_INL_H_
#undef ACLIMB_OPS_GRID_SAMPLER_TAPS_INL_H_
#else
#define ACLIMB_OPS_GRID_SAMPLER_TAPS_INL_H_
#endif

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>

#include "aclimb/core/cubic_curve.h"
#include "aclimb/ops/grid_sampler/kernels.h"
#include "aclimb/simd/weighted-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclimb::grid_sampler {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using aclimb::HWY_NAMESPACE::LoadAs;

// Taps along an axis.
inline int TapsAlong(Interpolation interpolation) {
  return interpolation == kNearest ? 1 : interpolation == kBilinear ? 2 : 4;
}

// Vectors of coordinates along the axes, from place number p of the batch's grids on. `places` are
// there, and behind them come zeros. Coordinates are told from the innermost axis on.
template <class D, typename T = hn::TFromD<D>>
HWY_INLINE void LoadCoordinates(D tag, const Args& args, int64_t p, int64_t places,
                                hn::Vec<D> (&along)[kAxes]) {
  const T* from = static_cast<const T*>(args.grid) + p * args.axes;
  HWY_ALIGN T copy[kAxes * hn::MaxLanes(D())];
  if (places < static_cast<int64_t>(hn::Lanes(tag))) {
    std::fill_n(std::copy_n(from, places * args.axes, copy), std::size(copy) - places * args.axes,
                T{0});
    from = copy;
  }
  if (args.axes == 2) {
    hn::LoadInterleaved2(tag, from, along[2], along[1]);
  } else {
    hn::LoadInterleaved3(tag, from, along[2], along[1], along[0]);
  }
}

// The padded places of coordinates, and their slopes.
template <class D, typename T = hn::TFromD<D>, class V = hn::Vec<D>>
HWY_INLINE V PlacesOf(D d, const Axis<T>& axis, V coordinates, V* slopes) {
  const T extent = static_cast<T>(axis.extent);
  const V one = hn::Set(d, T{1}), half = hn::Set(d, T{0.5}), last = hn::Set(d, extent - 1);
  const V from_first = hn::Add(coordinates, one);
  V at = axis.corners ? hn::Mul(hn::Mul(from_first, half), last)
                      : hn::Mul(hn::Sub(hn::Mul(from_first, hn::Set(d, extent)), one), half);
  V slope = hn::Set(d, (axis.corners ? extent - 1 : extent) / 2);
  if (axis.padding == kReflection) {
    HWY_ALIGN T ats[hn::MaxLanes(D())], moves[hn::MaxLanes(D())];
    hn::Store(at, d, ats);
    for (size_t i = 0; i < hn::Lanes(d); ++i) {
      const Place<T> place = axis.Reflected({ats[i], hn::GetLane(slope)});
      ats[i] = place.at;
      moves[i] = place.slope;
    }
    at = hn::Load(d, ats);
    slope = hn::Load(d, moves);
  }
  if (axis.padding != kZeros) {
    const auto is_inside = hn::Gt(at, hn::Zero(d));
    slope = hn::IfThenElseZero(hn::And(is_inside, hn::Lt(at, last)), slope);
    at = hn::IfThenElseZero(is_inside, hn::Min(at, last));
  }
  *slopes = slope;
  return at;
}

// The elements that coordinates along axis d are nearest to or, between two, the ones below; what
// part of the way to the next ones the places have behind them, and their slopes. Whatever is not
// within one element of the axis becomes -2 or the extent. Only of axes that FitsPlaneTable()
// accepts.
template <class D, class V = hn::Vec<D>>
HWY_INLINE hn::Vec<hn::RebindToSigned<D>> ElementsOf(D d, const Args& args, int axis, V coordinates,
                                                     V* part, V* slopes) {
  const hn::RebindToSigned<D> di;
  const Axis<float> of = {args.in[axis], args.padding, args.corners};
  const V place = PlacesOf(d, of, coordinates, slopes);
  // Also of NaN.
  const V at =
      hn::IfThenElse(hn::Ge(place, hn::Set(d, -1.0f)),
                     hn::Min(place, hn::Set(d, static_cast<float>(of.extent))), hn::Set(d, -2.0f));
  const V whole = args.interpolation == kNearest ? hn::Round(at) : hn::Floor(at);
  *part = hn::Sub(at, whole);
  // Whole numbers from -kLongestAxis to kLongestAxis are exact in a sum with it, of which the last
  // bit counts ones.
  const V large = hn::Set(d, 0x1.8p23f);
  return hn::Sub(hn::BitCast(di, hn::Add(whole, large)), hn::BitCast(di, large));
}

// What the elements of a tile of places are made of along one axis.
template <typename T>
struct Taps {
  // Of axis d, at places from number p of the batch's grids on.
  void Fill(const Args& args, int d, int64_t p, int64_t places) {
    if (d < kAxes - args.axes) {
      for (int64_t i = 0; i < places; ++i) Set(i, 0, 0, 1, 0);
      return;
    }
    const Axis<T> axis = {args.in[d], args.padding, args.corners};
    if (args.interpolation == kBicubic) {
      const T* const coordinates = static_cast<const T*>(args.grid) + p * args.axes + kAxes - 1 - d;
      for (int64_t i = 0; i < places; ++i) SetCubic(axis, i, axis.Of(coordinates[i * args.axes]));
      return;
    }
    HWY_ALIGN T at[kTile], moves[kTile];
    EachVector(places, [&](int64_t i) HWY_ATTR {
      V move, along[kAxes];
      LoadCoordinates(D(), args, p + i, places - i, along);
      hn::Store(PlacesOf(D(), axis, along[d], &move), D(), at + i);
      hn::Store(move, D(), moves + i);
    });
    if (args.interpolation == kBilinear) {
      SetLinear(axis, places, at, moves);
    } else {
      SetNearest(axis, places, at);
    }
  }

  int64_t index[4][kTile];  // -1: there is no such element
  T weight[4][kTile];
  T slope[4][kTile];  // of the weight, with the coordinate

 private:
  HWY_INLINE void Set(int64_t i, int k, int64_t at, double of, double with_coordinate) {
    index[k][i] = at;
    weight[k][i] = static_cast<T>(of);
    slope[k][i] = static_cast<T>(with_coordinate);
  }
  // In vectors, of which the last takes what is in the room behind the places too.
  using D = hn::CappedTag<T, kTile>;
  using V = hn::Vec<D>;
  template <class F>
  static HWY_INLINE void EachVector(int64_t places, const F& body) {
    for (int64_t i = 0; i < places; i += static_cast<int64_t>(hn::Lanes(D()))) body(i);
  }
  void SetLinear(const Axis<T>& axis, int64_t places, const T* at, const T* moves) {
    const D d;
    HWY_ALIGN T first[kTile], second[kTile];
    EachVector(places, [&](int64_t i) HWY_ATTR {
      const V place = hn::Load(d, at + i), below = hn::Floor(place), part = hn::Sub(place, below);
      const V move = hn::Load(d, moves + i), one = hn::Set(d, T{1});
      hn::Store(NumberOf(axis, below), d, first + i);
      hn::Store(NumberOf(axis, hn::Add(below, one)), d, second + i);
      hn::StoreU(hn::Sub(one, part), d, weight[0] + i);
      hn::StoreU(part, d, weight[1] + i);
      hn::StoreU(hn::Neg(move), d, slope[0] + i);
      hn::StoreU(move, d, slope[1] + i);
    });
    SetIndices(first, places, index[0]);
    SetIndices(second, places, index[1]);
  }
  void SetNearest(const Axis<T>& axis, int64_t places, const T* at) {
    const D d;
    HWY_ALIGN T nearest[kTile];
    EachVector(places, [&](int64_t i) HWY_ATTR {
      hn::Store(NumberOf(axis, hn::Round(hn::Load(d, at + i))), d, nearest + i);
      hn::StoreU(hn::Set(d, T{1}), d, weight[0] + i);
      hn::StoreU(hn::Zero(d), d, slope[0] + i);
    });
    SetIndices(nearest, places, index[0]);
  }
  // What Index() makes of whole numbers.
  static HWY_INLINE V NumberOf(const Axis<T>& axis, V at) {
    const D d;
    const auto is_there =
        hn::And(hn::Ge(at, hn::Zero(d)), hn::Lt(at, hn::Set(d, static_cast<T>(axis.extent))));
    return hn::IfThenElse(is_there, at, hn::Set(d, T{-1}));
  }
  static void SetIndices(const T* numbers, int64_t places, int64_t* to) {
    const hn::CappedTag<double, kTile> d;
    const hn::RebindToSigned<decltype(d)> di;
    // The last bit of such a double is one. Few instruction sets convert to 8 bytes.
    const auto large = hn::Set(d, 0x1.8p52);
    for (int64_t i = 0; i < places; i += static_cast<int64_t>(hn::Lanes(d))) {
      const auto sum = hn::Add(LoadAs(d, numbers + i), large);
      hn::StoreU(hn::Sub(hn::BitCast(di, sum), hn::BitCast(di, large)), di, to + i);
    }
  }
  HWY_INLINE void SetCubic(const Axis<T>& axis, int64_t i, const Place<T>& place) {
    const T below = std::floor(place.at);
    const double part = static_cast<double>(place.at) - static_cast<double>(below);
    const auto set = [&](int k, double of, double with_place) {
      const Place<T> at = axis.Padded({below + static_cast<T>(k - 1), 0});
      Set(i, k, axis.Index(at.at), of, with_place * static_cast<double>(place.slope));
    };
    set(0, CubicCurve::Far(1 + part), CubicCurve::FarSlope(1 + part));
    set(1, CubicCurve::Near(part), CubicCurve::NearSlope(part));
    set(2, CubicCurve::Near(1 - part), -CubicCurve::NearSlope(1 - part));
    set(3, CubicCurve::Far(2 - part), -CubicCurve::FarSlope(2 - part));
  }
};

template <typename T>
struct TileTaps {
  TileTaps(const Args& args, int64_t p, int64_t places) : in(args.in) {
    const int along = TapsAlong(args.interpolation);
    for (int d = 0; d < kAxes; ++d) {
      count[d] = d < kAxes - args.axes ? 1 : along;
      taps[d].Fill(args, d, p, places);
    }
  }

  // Asks for the elements of all places, `step` apart, before the first is waited for. Those of
  // several cache lines, which processors fetch one after the other by themselves, are left alone.
  template <typename U>
  HWY_INLINE void Prefetch(const U* data, int64_t step, int64_t places) const {
    if (step * int64_t{sizeof(U)} > 64) return;
    const auto& [layers, rows, columns] = taps;
    for (int i = 0; i < count[0]; ++i) {
      for (int j = 0; j < count[1]; ++j) {
        for (int64_t p = 0; p < places; ++p) {
          const int64_t layer = std::max<int64_t>(0, layers.index[i][p]);
          const int64_t row = layer * in[1] + std::max<int64_t>(0, rows.index[j][p]);
          for (int k = 0; k < count[2]; ++k) {
            const int64_t column = std::max<int64_t>(0, columns.index[k][p]);
            hwy::Prefetch(data + (row * in[2] + column) * step);
          }
        }
      }
    }
  }

  const int64_t* in;
  int count[kAxes];
  Taps<T> taps[kAxes];
};

// NaN for places that are NaN or infinite, where no cubic curve goes whatever the padding: `length`
// of the result for each place, steps `row` and `column` apart. After the loop over places, which a
// check slows.
template <typename T>
HWY_NOINLINE void SetWithoutCurve(const TileTaps<T>& tile, int64_t places, int64_t length, T* made,
                                  int64_t row, int64_t column = 1) {
  if (tile.count[kAxes - 1] != 4) return;
  const auto& [layers, rows, columns] = tile.taps;
  for (int64_t i = 0; i < places; ++i) {
    if (!std::isnan(rows.weight[0][i] + columns.weight[0][i] + layers.weight[0][i])) continue;
    for (int64_t c = 0; c < length; ++c) {
      made[i * row + c * column] = std::numeric_limits<T>::quiet_NaN();
    }
  }
}

// The elements that what is at a place is made of: all that exist of the taps along the axes. With
// slopes, too: those of their weights with the place along each axis.
template <typename T, bool kWithSlopes = false>
struct Terms {
  static constexpr int kMost = 16;

  HWY_INLINE Terms(const TileTaps<T>& tile, int64_t place) {
    if (tile.count[0] == 2) {
      Join<2, 2>(tile, place);
    } else if (tile.count[2] == 1) {
      Join<1, 1>(tile, place);
    } else if (tile.count[2] == 2) {
      Join<1, 2>(tile, place);
    } else {
      Join<1, 4>(tile, place);
    }
  }

  int count = 0;
  int64_t element[kMost + 1];
  T weight[kMost + 1];
  double slope[kAxes][kWithSlopes ? kMost + 1 : 1];

 private:
  template <int kLayers, int kAlong>
  HWY_INLINE void Join(const TileTaps<T>& tile, int64_t p) {
    const auto& [layers, rows, columns] = tile.taps;
    for (int i = 0; i < kLayers; ++i) {
      for (int j = 0; j < kAlong; ++j) {
        const int64_t row = (layers.index[i][p] * tile.in[1] + rows.index[j][p]) * tile.in[2];
        const int64_t of_row = layers.index[i][p] | rows.index[j][p];
        const T row_weight = layers.weight[i][p] * rows.weight[j][p];
        for (int k = 0; k < kAlong; ++k) {
          element[count] = row + columns.index[k][p];
          weight[count] = row_weight * columns.weight[k][p];
          if constexpr (kWithSlopes) SetSlopes(tile, p, {i, j, k});
          // The next one takes the place of one that is not there, without a branch: random places
          // would mispredict it.
          count += 1 + static_cast<int>((of_row | columns.index[k][p]) >> 63);
        }
      }
    }
  }
  // Products of all axes' weights, with the slope of one in place of its weight.
  HWY_INLINE void SetSlopes(const TileTaps<T>& tile, int64_t p, const int (&tap)[kAxes]) {
    for (int d = 0; d < kAxes; ++d) {
      double product = 1;
      for (int e = kAxes - 1; e >= 0; --e) {
        const auto& of = e == d ? tile.taps[e].slope : tile.taps[e].weight;
        product *= static_cast<double>(of[tap[e]][p]);
      }
      slope[d][count] = product;
    }
  }
};

}  // namespace HWY_NAMESPACE
}  // namespace aclimb::grid_sampler
HWY_AFTER_NAMESPACE();

#endif
