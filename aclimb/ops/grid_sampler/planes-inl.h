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

#include "aclimb/core/divide.h"
#include "aclimb/ops/grid_sampler/gather-inl.h"
#include "aclimb/ops/grid_sampler/taps-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclimb::grid_sampler {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The elements and weights of some places, which every plane is sampled at: all products of a tap
// along each axis. Only of what FitsPlaneTable() accepts.
class PlaneTable {
  using D = hn::CappedTag<float, kTile>;
  using DI = hn::RebindToSigned<D>;
  using V = hn::Vec<D>;
  static constexpr int64_t kLanes = hn::MaxLanes(D());

 public:
  explicit PlaneTable(const Args& args) : args_(args), along_(TapsAlong(args.interpolation)) {
    for (int d = kAxes - args.axes; d < kAxes; ++d) products_ *= along_;
    pitch_ = kEntries / products_;
    int64_t stride = args.Step();
    for (int d = kAxes - 1; d >= 0; stride *= args.in[d--]) {
      stride_[d] = static_cast<int32_t>(stride);
    }
  }

  // The most places at once.
  int64_t Capacity() const { return pitch_; }

  // For `places` places from number p of the batch's grids on.
  void Fill(int64_t p, int64_t places) {
    if (args_.interpolation == kBicubic) return FillCurves(p, places);
    const D d;
    const DI di;
    Tap taps[kAxes][2];
    hn::Store(hn::VecFromMask(di, hn::Eq(hn::Zero(di), hn::Zero(di))), di, taps[0][0].kept);
    hn::Store(hn::Set(d, 1.0f), d, taps[0][0].weight);
    const int layers = args_.axes == kAxes ? along_ : 1;
    for (int64_t i = 0; i < places; i += kLanes) {
      V along[kAxes];
      LoadCoordinates(d, args_, p + i, places - i, along);
      for (int axis = kAxes - args_.axes; axis < kAxes; ++axis) {
        SetTaps(axis, along[axis], taps[axis]);
      }
      int64_t to = i;
      for (int j = 0; j < layers; ++j) {
        for (int k = 0; k < along_; ++k) {
          for (int m = 0; m < along_; ++m, to += pitch_) {
            const Tap &layer = taps[0][j], &row = taps[1][k], &column = taps[2][m];
            const auto sum = hn::Add(hn::Load(di, layer.offset), hn::Load(di, row.offset));
            const auto kept = hn::And(hn::Load(di, layer.kept), hn::Load(di, row.kept));
            const V weight = hn::Mul(hn::Load(d, layer.weight), hn::Load(d, row.weight));
            hn::Store(hn::Add(sum, hn::Load(di, column.offset)), di, element_ + to);
            hn::Store(hn::And(kept, hn::Load(di, column.kept)), di, kept_ + to);
            hn::Store(hn::Mul(weight, hn::Load(d, column.weight)), d, weight_ + to);
          }
        }
      }
    }
  }

  // What is at the places from number p on in a plane.
  HWY_INLINE V Sum(const float* plane, int64_t p) const {
    const D d;
    V sum = hn::Zero(d);
    for (int n = 0; n < products_; ++n, p += pitch_) {
      const V kept = hn::BitCast(d, hn::Load(DI(), kept_ + p));
      const V value = hn::And(LoadEach(d, plane, element_ + p), kept);
      sum = hn::MulAdd(hn::Load(d, weight_ + p), value, sum);
    }
    return sum;
  }

 private:
  // What a vector of places takes along an axis: as in PairTaps.
  struct Tap {
    HWY_ALIGN int32_t offset[kLanes] = {};
    HWY_ALIGN int32_t kept[kLanes];
    HWY_ALIGN float weight[kLanes];
  };

  // They stay in the first-level cache beside the elements that are read.
  static constexpr int64_t kEntries = 2048;

  HWY_INLINE void SetTaps(int axis, V coordinates, Tap (&taps)[2]) const {
    const D d;
    const DI di;
    V part, slope;
    const auto first = ElementsOf(d, args_, axis, coordinates, &part, &slope);
    const auto set = [&](auto index, V weight, Tap& tap) HWY_ATTR {
      const auto last = hn::Set(di, static_cast<int32_t>(args_.in[axis]) - 1);
      const auto existing = hn::Min(hn::Max(index, hn::Zero(di)), last);
      hn::Store(hn::Mul(existing, hn::Set(di, stride_[axis])), di, tap.offset);
      hn::Store(hn::VecFromMask(di, hn::Eq(index, existing)), di, tap.kept);
      hn::Store(weight, d, tap.weight);
    };
    const V one = hn::Set(d, 1.0f);
    if (args_.interpolation == kNearest) return set(first, one, taps[0]);
    set(first, hn::Sub(one, part), taps[0]);
    set(hn::Add(first, hn::Set(di, 1)), part, taps[1]);
  }

  // A place that is NaN or infinite has NaN weights, which make its result NaN.
  void FillCurves(int64_t p, int64_t places) {
    for (int64_t i = 0; i < places; i += kTile) {
      const int64_t count = std::min(kTile, places - i), end = RoundUp(count, kLanes);
      const TileTaps<float> tile(args_, p + i, count);
      const auto& [layers, rows, columns] = tile.taps;
      int64_t to = i;
      for (int k = 0; k < along_; ++k) {
        for (int m = 0; m < along_; ++m, to += pitch_) {
          for (int64_t n = 0; n < count; ++n) {
            const auto row = static_cast<int32_t>(rows.index[k][n]);
            const auto column = static_cast<int32_t>(columns.index[m][n]);
            kept_[to + n] = ~((row | column) >> 31);
            element_[to + n] = (row * stride_[1] + column * stride_[2]) & kept_[to + n];
            weight_[to + n] = rows.weight[k][n] * columns.weight[m][n];
          }
          std::fill(element_ + to + count, element_ + to + end, 0);
          std::fill(kept_ + to + count, kept_ + to + end, 0);
          std::fill(weight_ + to + count, weight_ + to + end, 0.0f);
        }
      }
    }
  }

  const Args& args_;
  int along_;         // taps of a place along each axis
  int products_ = 1;  // of a place
  int64_t pitch_;     // from one product of a place to the next
  int32_t stride_[kAxes];
  // Of elements that exist; all bits of kept_ are set where they are what the place takes, and none
  // where it takes nothing.
  HWY_ALIGN int32_t element_[kEntries];
  HWY_ALIGN int32_t kept_[kEntries];
  HWY_ALIGN float weight_[kEntries];
};

}  // namespace HWY_NAMESPACE
}  // namespace aclimb::grid_sampler
HWY_AFTER_NAMESPACE();

#endif
