// Linear places of a grid in planes: neighbours of a row are taken as pairs, in vectors of places.
// Included once per instruction set by files that use hwy/foreach_target.h.
#if defined(ACLIMB_OPS_GRID_SAMPLER_PAIRS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACLIMB_OPS_GRID_SAMPLER_PAIRS_INL_H_
#undef ACLIMB_OPS_GRID_SAMPLER_PAIRS_INL_H_
#else
#define ACLIMB_OPS_GRID_SAMPLER_PAIRS_INL_H_
#endif

#include <hwy/highway.h>

#include <cstdint>

#include "aclimb/ops/grid_sampler/gather-inl.h"
#include "aclimb/ops/grid_sampler/taps-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclimb::grid_sampler {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// What a vector of places takes: pairs of columns of some rows. Offsets are of elements that exist,
// whatever the place; all bits of kept are set where they are what the place takes, and none where
// it takes nothing.
template <bool kVolume>
struct PairTaps {
  using D = hn::CappedTag<float, kTile>;
  using DI = hn::RebindToSigned<D>;
  using V = hn::Vec<D>;
  using VI = hn::Vec<DI>;
  static constexpr int64_t kLanes = hn::MaxLanes(D());
  // Of a volume, two in each of two layers.
  static constexpr int kRows = kVolume ? 4 : 2;

  // From place number p of the batch's grids on, of which `places` are there.
  HWY_INLINE void Set(const Args& args, int64_t p, int64_t places) {
    V along[kAxes];
    LoadCoordinates(D(), args, p, places, along);
    SetColumns(args, along[2]);
    SetRows(args, 1, along[1], row_offset, row_kept, row_weight, row_slope);
    if constexpr (kVolume) {
      VI offset[2];
      V kept[2], weight[2], slope[2];
      SetRows(args, 0, along[0], offset, kept, weight, slope);
      for (int r = kRows - 1; r >= 0; --r) {
        const int layer = r / 2, row = r % 2;
        layer_slope[r] = hn::Mul(slope[layer], row_weight[row]);
        row_slope[r] = hn::Mul(weight[layer], row_slope[row]);
        row_weight[r] = hn::Mul(weight[layer], row_weight[row]);
        row_kept[r] = hn::And(kept[layer], row_kept[row]);
        row_offset[r] = hn::Add(offset[layer], row_offset[row]);
      }
    }
  }

  // The first elements of the pairs of a row.
  HWY_INLINE VI Element(int row) const { return hn::Add(row_offset[row], pair_offset); }
  HWY_INLINE V Kept(int row, int column) const {
    return hn::And(row_kept[row], column_kept[column]);
  }
  HWY_INLINE V Weight(int row, int column) const {
    return hn::Mul(row_weight[row], column_weight[column]);
  }

  VI pair_offset, row_offset[kRows];
  V column_kept[2], column_weight[2], column_slope[2];
  V row_kept[kRows], row_weight[kRows], row_slope[kRows];
  // Of a row's weight, with the coordinate of the layer.
  V layer_slope[kRows];

 private:
  static HWY_INLINE V Bits(hn::Mask<DI> mask) {
    return hn::BitCast(D(), hn::VecFromMask(DI(), mask));
  }

  // Those two elements of a row that are nearest: a place takes both, or the first alone as its
  // second, or the second alone as its first.
  HWY_INLINE void SetColumns(const Args& args, V coordinates) {
    const D d;
    const DI di;
    V part, move;
    const VI index = ElementsOf(d, args, 2, coordinates, &part, &move), one = hn::Set(di, 1);
    const VI last = hn::Set(di, static_cast<int32_t>(args.in[2]) - 2);
    pair_offset = hn::Min(hn::Max(index, hn::Zero(di)), last);
    const V both = Bits(hn::Eq(index, pair_offset));
    column_kept[0] = hn::Or(both, Bits(hn::Eq(hn::Add(index, one), pair_offset)));
    column_kept[1] = hn::Or(both, Bits(hn::Eq(hn::Sub(index, one), pair_offset)));
    const auto is_both = hn::MaskFromVec(both);
    const V rest = hn::Sub(hn::Set(d, 1.0f), part);
    column_weight[0] = hn::IfThenElse(is_both, rest, part);
    column_weight[1] = hn::IfThenElse(is_both, part, rest);
    column_slope[1] = hn::IfThenElse(is_both, move, hn::Neg(move));
    column_slope[0] = hn::Neg(column_slope[1]);
  }
  static HWY_INLINE void SetRows(const Args& args, int axis, V coordinates, VI* offset, V* kept,
                                 V* weight, V* slope) {
    const D d;
    const DI di;
    V part, move;
    VI index = ElementsOf(d, args, axis, coordinates, &part, &move);
    const int64_t stride = axis == 1 ? args.in[2] : args.in[1] * args.in[2];
    const VI last = hn::Set(di, static_cast<int32_t>(args.in[axis]) - 1);
    for (int k = 0; k < 2; ++k) {
      const VI existing = hn::Min(hn::Max(index, hn::Zero(di)), last);
      offset[k] = hn::Mul(existing, hn::Set(di, static_cast<int32_t>(stride)));
      kept[k] = Bits(hn::Eq(index, existing));
      index = hn::Add(index, hn::Set(di, 1));
    }
    weight[0] = hn::Sub(hn::Set(d, 1.0f), part);
    weight[1] = part;
    slope[0] = hn::Neg(move);
    slope[1] = move;
  }
};

// Linear places, which every plane is sampled at. Only of what TakesPairs() accepts.
template <bool kVolume>
class PairTable {
  using Taps = PairTaps<kVolume>;
  using V = typename Taps::V;
  static constexpr int64_t kLanes = Taps::kLanes;

 public:
  explicit PairTable(const Args& args) : args_(args) {}

  // The most places at once.
  static constexpr int64_t Capacity() { return kPlaces; }

  // For `places` places from number p of the batch's grids on.
  void Fill(int64_t p, int64_t places) {
    for (int64_t i = 0; i < places; i += kLanes) {
      Taps taps;
      taps.Set(args_, p + i, places - i);
      Entry& entry = entries_[i / kLanes];
      for (int r = 0; r < Taps::kRows; ++r) {
        hn::Store(taps.Element(r), typename Taps::DI(), entry.element[r]);
        for (int k = 0; k < 2; ++k) {
          hn::Store(taps.Kept(r, k), typename Taps::D(), entry.kept[r][k]);
          hn::Store(taps.Weight(r, k), typename Taps::D(), entry.weight[r][k]);
        }
      }
    }
  }

  // Those from number i on in a plane.
  HWY_INLINE V Sum(const float* plane, int64_t i) const {
    const typename Taps::D d;
    const Entry& entry = entries_[i / kLanes];
    V sum[2] = {hn::Zero(d), hn::Zero(d)};
    for (int r = 0; r < Taps::kRows; ++r) {
      V value[2];
      LoadEachPair(d, plane, entry.element[r], value[0], value[1]);
      for (int k = 0; k < 2; ++k) {
        const V kept = hn::And(value[k], hn::Load(d, entry.kept[r][k]));
        sum[k] = hn::MulAdd(hn::Load(d, entry.weight[r][k]), kept, sum[k]);
      }
    }
    return hn::Add(sum[0], sum[1]);
  }

 private:
  // A vector of places, as of PairTaps.
  struct Entry {
    HWY_ALIGN int32_t element[Taps::kRows][kLanes];
    HWY_ALIGN float kept[Taps::kRows][2][kLanes];
    HWY_ALIGN float weight[Taps::kRows][2][kLanes];
  };

  // They stay in the first-level cache beside the elements that are read.
  static constexpr int64_t kPlaces = kVolume ? 256 : 512;

  const Args& args_;
  Entry entries_[kPlaces / kLanes];
};

}  // namespace HWY_NAMESPACE
}  // namespace aclimb::grid_sampler
HWY_AFTER_NAMESPACE();

#endif
