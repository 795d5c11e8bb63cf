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

// Whether 8 bytes are gathered from wherever 4 may lie.
#undef ACLIMB_GATHERS_PAIRS
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
#define ACLIMB_GATHERS_PAIRS 1
#else
#define ACLIMB_GATHERS_PAIRS 0
#endif

// The elements and weights of some places, which every channel reads: all products of a tap along
// each axis. Elements are `step` numbers apart. Two neighbours of a row are one load where the
// instruction set has it. Only of what FitsPlaneTable() accepts.
class PlaneTable {
 public:
  PlaneTable(const Args& args, int64_t step)
      : args_(args), along_(TapsAlong(args.interpolation)), step_(static_cast<int32_t>(step)) {
    for (int d = kAxes - args.axes; d < kAxes; ++d) products_ *= along_;
    pitch_ = kEntries / products_;
    is_paired_ = ACLIMB_GATHERS_PAIRS && args.interpolation == kBilinear && step == 1 &&
                 args.in[2] > 1 && FitsPlaneTable(args, kBytes);
    if (is_paired_) {
      products_ /= 2;
      step_ = kBytes;
    }
    int64_t stride = step_;
    for (int d = kAxes - 1; d >= 0; --d) {
      const int64_t extent = args.in[d];
      axes_[d] = {static_cast<float>(extent), static_cast<int32_t>(extent),
                  static_cast<int32_t>(stride)};
      stride *= extent;
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
    hn::Store(hn::Set(d, 1.0f), d, taps[0][0].weight);
    const int layers = args_.axes == kAxes ? along_ : 1, columns = is_paired_ ? 1 : along_;
    for (int64_t i = 0; i < places; i += Lanes()) {
      for (int axis = kAxes - args_.axes; axis < kAxes; ++axis) {
        SetTaps(axis, p + i, places - i, taps[axis]);
      }
      int64_t to = i;
      for (int j = 0; j < layers; ++j) {
        for (int k = 0; k < along_; ++k) {
          const Tap &layer = taps[0][j], &row = taps[1][k];
          const auto begin = hn::Add(hn::Load(di, layer.offset), hn::Load(di, row.offset));
          const V row_weight = hn::Mul(hn::Load(d, layer.weight), hn::Load(d, row.weight));
          for (int m = 0; m < columns; ++m, to += pitch_) {
            const auto element = hn::Add(begin, hn::Load(di, taps[2][m].offset));
            const V weight = hn::Mul(row_weight, hn::Load(d, taps[2][m].weight));
            if (is_paired_) {
              const V other = hn::Mul(row_weight, hn::Load(d, taps[2][1].weight));
              // A negative offset is outside the plane: the first pair is read in its place, and
              // NaN weights drop it.
              hn::Store(hn::Max(element, hn::Zero(di)), di, element_ + to);
              hn::StoreInterleaved2(weight, other, d, weight_ + 2 * to);
            } else {
              const auto missing = hn::VecFromMask(d, hn::IsNaN(weight));
              hn::Store(hn::Or(element, hn::BitCast(di, missing)), di, element_ + to);
              hn::Store(hn::AndNot(missing, weight), d, weight_ + to);
            }
          }
        }
      }
    }
  }

  // What is at the places in a plane.
  void Sample(const float* plane, int64_t places, float* to) const {
    const D d;
    for (int64_t p = 0; p < places; p += Lanes()) {
      const V sum = is_paired_ ? SumOfPairs(plane, p) : Sum(plane, p);
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

  static constexpr int32_t kBytes = sizeof(float);

  // Whole numbers from -kLongestAxis to kLongestAxis are exact in a sum with it, of which the last
  // bit counts ones.
  static constexpr float kLarge = 0x1.8p23f;

  // An axis; offsets grow by `stride` from an element to the next one. In memory, from where a
  // vector is filled without shuffles.
  struct Along {
    float end;
    int32_t extent, stride;
  };
  // What a place takes along an axis. Outside the axis there is no element: the weight is NaN, and
  // the offset INT32_MIN. The sum of offsets along all axes does not tell whether the element
  // exists, for two times INT32_MIN overflows to 0, so that such a sum may lie in the plane. The
  // product of weights tells: it is NaN if one of them is.
  struct Tap {
    HWY_ALIGN int32_t offset[kLanes] = {};
    HWY_ALIGN float weight[kLanes];
  };

  // They stay in the first-level cache beside the elements that are read.
  static constexpr int64_t kEntries = 2048;

  HWY_INLINE void SetTaps(int axis, int64_t p, int64_t places, Tap (&taps)[2]) const {
    const D d;
    const DI di;
    const hn::RebindToUnsigned<D> du;
    const Along& along = axes_[axis];
    const Axis<float> of = {args_.in[axis], args_.padding, args_.corners};
    V slope;
    const V place = PlacesOf(d, of, LoadCoordinates(d, args_, axis, p, places), &slope);
    // A place below -1, or NaN, becomes -2, and one above the extent becomes the extent: there all
    // taps are outside the axis.
    const V at = hn::IfThenElse(hn::Ge(place, hn::Set(d, -1.0f)),
                                hn::Min(place, hn::Set(d, along.end)), hn::Set(d, -2.0f));
    const bool is_nearest = args_.interpolation == kNearest;
    const V below = is_nearest ? hn::Round(at) : hn::Floor(at);
    const V part = hn::Sub(at, below);
    const V weight = is_nearest ? hn::Set(d, 1.0f) : hn::Sub(hn::Set(d, 1.0f), part);
    const V large = hn::Set(d, kLarge), none = hn::NaN(d);
    const auto outside = hn::Set(di, std::numeric_limits<int32_t>::min());
    const auto steps = hn::Set(di, along.stride), one = hn::Set(di, 1);
    const auto first = hn::Sub(hn::BitCast(di, hn::Add(below, large)), hn::BitCast(di, large));
    const auto second = hn::Add(first, one);
    if (is_paired_ && axis == kAxes - 1) {
      // Those two elements of the row that are nearest.
      const auto left = hn::Max(hn::Min(first, hn::Set(di, along.extent - 2)), hn::Zero(di));
      const auto is_same = hn::RebindMask(d, hn::Eq(first, left));
      const auto is_left = hn::RebindMask(d, hn::Eq(second, left));
      const auto is_right = hn::RebindMask(d, hn::Eq(first, hn::Add(left, one)));
      const auto is_any = hn::Or(is_same, hn::Or(is_left, is_right));
      hn::Store(hn::IfThenElse(hn::RebindMask(di, is_any), hn::Mul(left, steps), outside), di,
                taps[0].offset);
      hn::Store(hn::IfThenElse(is_same, weight, hn::IfThenElse(is_left, part, none)), d,
                taps[0].weight);
      hn::Store(hn::IfThenElse(is_same, part, hn::IfThenElse(is_right, weight, none)), d,
                taps[1].weight);
      return;
    }
    const auto set = [&](auto index, V offered, Tap& tap) HWY_ATTR {
      // A negative index is a large number without its sign.
      const auto end = hn::Set(du, static_cast<uint32_t>(along.extent));
      const auto is_there = hn::Lt(hn::BitCast(du, index), end);
      const auto offset = hn::Mul(index, steps);
      hn::Store(hn::IfThenElse(hn::RebindMask(di, is_there), offset, outside), di, tap.offset);
      hn::Store(hn::IfThenElse(hn::RebindMask(d, is_there), offered, none), d, tap.weight);
    };
    set(first, weight, taps[0]);
    if (!is_nearest) set(second, part, taps[1]);
  }

  // What a vector of places takes of a plane.
  HWY_INLINE V Sum(const float* plane, int64_t p) const {
    const D d;
    const DI di;
    V sum = hn::Zero(d);
    for (int n = 0; n < products_; ++n, p += pitch_) {
      const auto element = hn::Load(di, element_ + p);
      const auto is_there = hn::RebindMask(d, hn::Gt(element, hn::Set(di, -1)));
      const V value = hn::GatherIndex(d, plane, hn::Max(element, hn::Zero(di)));
      sum = hn::MulAdd(hn::Load(d, weight_ + p), hn::IfThenElseZero(is_there, value), sum);
    }
    return sum;
  }
#if ACLIMB_GATHERS_PAIRS
  HWY_INLINE V SumOfPairs(const float* plane, int64_t p) const {
    const D d;
    const hn::RepartitionToWide<D> wide;
    const hn::RebindToSigned<decltype(wide)> wide_int;
    const hn::Rebind<int32_t, decltype(wide)> half_int;
    V low = hn::Zero(d), high = hn::Zero(d);
    const auto add = [&](int64_t place, V* sum) HWY_ATTR {
      const auto offset = hn::PromoteTo(wide_int, hn::Load(half_int, element_ + place));
      const auto pair = hn::GatherOffset(wide, reinterpret_cast<const double*>(plane), offset);
      const V weight = hn::Load(d, weight_ + 2 * place);
      const V next = hn::MulAdd(weight, hn::BitCast(d, pair), *sum);
      *sum = hn::IfThenElse(hn::IsNaN(weight), *sum, next);
    };
    for (int n = 0; n < products_; ++n, p += pitch_) {
      add(p, &low);
      add(p + Lanes() / 2, &high);
    }
    return hn::Add(hn::ConcatEven(d, high, low), hn::ConcatOdd(d, high, low));
  }
#else
  HWY_INLINE V SumOfPairs(const float* plane, int64_t p) const { return Sum(plane, p); }
#endif

  // A place that is NaN or infinite has NaN weights, which make its result NaN.
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
  int along_;  // taps of a place along each axis
  int32_t step_;
  bool is_paired_;
  int products_ = 1;  // or pairs of them, of a place
  Along axes_[kAxes];
  int64_t pitch_;  // from one product of a place to the next
  // The offsets of elements in a plane, -1 outside it. Of a pair, the offset in bytes of its first.
  HWY_ALIGN int32_t element_[kEntries];
  // Both weights of a pair lie beside each other, and are NaN for elements outside the plane.
  HWY_ALIGN float weight_[kEntries];
};

}  // namespace HWY_NAMESPACE
}  // namespace aclimb::grid_sampler
HWY_AFTER_NAMESPACE();

#endif
