// Elements of planes at the places of a grid, in vectors of places. Included once per instruction
// set by files that use hwy/foreach_target.h.
#if defined(ACLIMB_OPS_GRID_SAMPLER_PLANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACLIMB_OPS_GRID_SAMPLER_PLANES_INL_H_
#undef ACLIMB_OPS_GRID_SAMPLER_PLANES_INL_H_
#else
#define ACLIMB_OPS_GRID_SAMPLER_PLANES_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>
#include <limits>

#include "aclimb/core/divide.h"
#include "aclimb/ops/grid_sampler/taps-inl.h"
#include "aclimb/simd/float-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclimb::grid_sampler {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using aclimb::HWY_NAMESPACE::StoreFirst;

// The elements and weights of some places, which every channel reads: all products of a tap along
// each axis. Elements are `step` numbers apart.
class PlaneTable {
 public:
  PlaneTable(const Args& args, int64_t step)
      : args_(args), step_(static_cast<int32_t>(step)), along_(TapsAlong(args.interpolation)) {
    for (int d = kAxes - args.axes; d < kAxes; ++d) products_ *= along_;
    pitch_ = kEntries / products_;
  }

  // Where in a plane an element lies fits in 4 bytes.
  static bool Fits(const Args& args, int64_t step) {
    return args.Elements() > 0 && args.Elements() <= std::numeric_limits<int32_t>::max() / step;
  }

  // The most places at once.
  int64_t Capacity() const { return pitch_; }

  // For `places` places from number p of the batch's grids on.
  void Fill(int64_t p, int64_t places) {
    if (args_.interpolation == kBicubic) return FillCurves(p, places);
    const D d;
    const DI di;
    const V one = hn::Set(d, 1.0f);
    const bool is_nearest = args_.interpolation == kNearest;
    // Of every tap along an axis: how far into the plane it leads, and a sign where there is none.
    HWY_ALIGN int32_t offset[kAxes][2][kLanes] = {}, missing[kAxes][2][kLanes] = {};
    HWY_ALIGN float weight[kAxes][2][kLanes];
    hn::Store(one, d, weight[0][0]);
    for (int64_t i = 0; i < places; i += Lanes()) {
      int32_t stride = step_;
      for (int axis = kAxes - 1; axis >= kAxes - args_.axes; --axis) {
        const Axis<float> of = {args_.in[axis], args_.padding, args_.corners};
        V slope;
        const V place = PlacesOf(d, of, LoadCoordinates(d, args_, axis, p + i, places - i), &slope);
        // Far from all elements, what is no number too, a place is two elements beyond an end.
        const float extent = static_cast<float>(of.extent);
        const V at = hn::IfThenElse(hn::Ge(place, hn::Set(d, -1.0f)),
                                    hn::Min(place, hn::Set(d, extent)), hn::Set(d, -2.0f));
        const auto last = hn::Set(
            di, static_cast<int32_t>(std::min(of.extent, static_cast<int64_t>(extent)) - 1));
        const V below = is_nearest ? hn::Round(at) : hn::Floor(at);
        const V part = is_nearest ? hn::Zero(d) : hn::Sub(at, below);
        const auto steps = hn::Set(di, stride);
        const auto first = hn::ConvertTo(di, below), second = hn::Add(first, hn::Set(di, 1));
        const auto begin = hn::Mul(first, steps);
        hn::Store(begin, di, offset[axis][0]);
        hn::Store(hn::Or(first, hn::Sub(last, first)), di, missing[axis][0]);
        hn::Store(hn::Sub(one, part), d, weight[axis][0]);
        hn::Store(hn::Add(begin, steps), di, offset[axis][1]);
        hn::Store(hn::Or(second, hn::Sub(last, second)), di, missing[axis][1]);
        hn::Store(part, d, weight[axis][1]);
        stride *= static_cast<int32_t>(of.extent);
      }
      int64_t to = i;
      for (int j = 0; j < products_ / (along_ * along_); ++j) {
        for (int k = 0; k < along_; ++k) {
          const auto row = hn::Add(hn::Load(di, offset[0][j]), hn::Load(di, offset[1][k]));
          const auto no_row = hn::Or(hn::Load(di, missing[0][j]), hn::Load(di, missing[1][k]));
          const V row_weight = hn::Mul(hn::Load(d, weight[0][j]), hn::Load(d, weight[1][k]));
          for (int m = 0; m < along_; ++m, to += pitch_) {
            const auto element = hn::Add(row, hn::Load(di, offset[2][m]));
            const auto nothing = hn::Or(no_row, hn::Load(di, missing[2][m]));
            hn::Store(hn::Or(element, hn::BroadcastSignBit(nothing)), di, element_ + to);
            hn::Store(hn::Mul(row_weight, hn::Load(d, weight[2][m])), d, weight_ + to);
          }
        }
      }
    }
  }

  // What is at the places in a plane.
  void Sample(const float* plane, int64_t places, float* to) const {
    const D d;
    const DI di;
    const auto zero = hn::Zero(di);
    for (int64_t p = 0; p < places; p += Lanes()) {
      V sum = hn::Zero(d);
      int64_t at = p;
      for (int n = 0; n < products_; ++n, at += pitch_) {
        const auto element = hn::Load(di, element_ + at);
        const auto is_there = hn::RebindMask(d, hn::Gt(element, hn::Set(di, -1)));
        const V value = hn::GatherIndex(d, plane, hn::Max(element, zero));
        sum = hn::MulAdd(hn::Load(d, weight_ + at), hn::IfThenElseZero(is_there, value), sum);
      }
      if (p + Lanes() <= places) {
        hn::StoreU(sum, d, to + p);
      } else {
        StoreFirst(d, sum, to + p, places - p);
      }
    }
  }

 private:
  using D = hn::CappedTag<float, kTile>;
  using DI = hn::RebindToSigned<D>;
  using V = hn::Vec<D>;
  static constexpr size_t kLanes = hn::MaxLanes(D());
  static int64_t Lanes() { return static_cast<int64_t>(hn::Lanes(D())); }

  // They stay in the first-level cache beside the elements that are read.
  static constexpr int64_t kEntries = 2048;

  // A weight that is NaN, of a place without a curve, stays so.
  void FillCurves(int64_t p, int64_t places) {
    for (int64_t i = 0; i < places; i += kTile) {
      const int64_t count = std::min(kTile, places - i), end = RoundUp(count, Lanes());
      const TileTaps<float> tile(args_, p + i, count);
      const auto& [layers, rows, columns] = tile.taps;
      const auto width = static_cast<int32_t>(args_.in[2]);
      int64_t to = i;
      for (int k = 0; k < along_; ++k) {
        for (int m = 0; m < along_; ++m, to += pitch_) {
          for (int64_t n = 0; n < count; ++n) {
            const auto row = static_cast<int32_t>(rows.index[k][n]);
            const auto column = static_cast<int32_t>(columns.index[m][n]);
            element_[to + n] = ((row * width + column) * step_) | ((row | column) >> 31);
            weight_[to + n] = rows.weight[k][n] * columns.weight[m][n];
          }
          std::fill(element_ + to + count, element_ + to + end, -1);
          std::fill(weight_ + to + count, weight_ + to + end, 0.0f);
        }
      }
    }
  }

  const Args& args_;
  int32_t step_;
  int along_, products_ = 1;
  int64_t pitch_;  // from one product of a place to the next
  // -1: there is no such element.
  HWY_ALIGN int32_t element_[kEntries];
  HWY_ALIGN float weight_[kEntries];
};

}  // namespace HWY_NAMESPACE
}  // namespace aclimb::grid_sampler
HWY_AFTER_NAMESPACE();

#endif
