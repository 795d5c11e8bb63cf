// Gradients of linear places of a grid in planes, of whose rows neighbours are taken as pairs.
// Included once per instruction set by files that use hwy/foreach_target.h.
#if defined(ACLIMB_OPS_GRID_SAMPLER_PAIR_GRADIENTS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACLIMB_OPS_GRID_SAMPLER_PAIR_GRADIENTS_INL_H_
#undef ACLIMB_OPS_GRID_SAMPLER_PAIR_GRADIENTS_INL_H_
#else
#define ACLIMB_OPS_GRID_SAMPLER_PAIR_GRADIENTS_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>

#include "aclimb/ops/grid_sampler/pairs-inl.h"
#include "aclimb/simd/float-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclimb::grid_sampler {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using namespace aclimb::HWY_NAMESPACE;  // NOLINT: LoadAs, LoadFirst

// A tile of places. Only of what TakesPairs() accepts.
template <bool kVolume>
class PairTile {
  using Taps = PairTaps<kVolume>;
  using D = typename Taps::D;
  using DI = typename Taps::DI;
  using V = typename Taps::V;
  static constexpr int64_t kLanes = Taps::kLanes;

 public:
  // Of `places` places from number p of the batch's grids on.
  PairTile(const Args& args, int64_t p, int64_t places) : places_(places) {
    for (int64_t i = 0; i < places; i += kLanes) {
      Entry& entry = entries_[i / kLanes];
      entry.taps.Set(args, p + i, places - i);
      for (int r = 0; r < Taps::kRows; ++r) {
        hn::Store(entry.taps.Element(r), DI(), entry.element[r]);
      }
    }
  }

  // Adds the weighted gradients of the places, `step` apart, to the sums of their elements, of
  // which each has kPitch for as many channels. What has no element goes to kSpare elements' sums
  // behind the others, in turn: an addition to one sum waits for the last one.
  template <int kPitch>
  void AddTo(const float* gradient, int64_t step, int64_t elements, double* sums) const {
    HWY_ALIGN int32_t element[kProducts][kTile];
    HWY_ALIGN float weight[kProducts][kTile];
    const D d;
    const DI di;
    for (int64_t i = 0; i < places_; i += kLanes) {
      const Entry& entry = entries_[i / kLanes];
      const auto turn = hn::And(hn::Iota(di, static_cast<int32_t>(i)), hn::Set(di, kSpare - 1));
      const auto spare = hn::Add(turn, hn::Set(di, static_cast<int32_t>(elements)));
      for (int n = 0; n < kProducts; ++n) {
        const int row = n / 2, column = n % 2;
        const auto own = hn::Add(hn::Load(di, entry.element[row]), hn::Set(di, column));
        const auto is_kept = hn::MaskFromVec(hn::BitCast(di, entry.taps.Kept(row, column)));
        hn::Store(hn::IfThenElse(is_kept, own, spare), di, element[n] + i);
        hn::Store(entry.taps.Weight(row, column), d, weight[n] + i);
      }
    }
    if constexpr (kPitch == 1) {
      double terms[kTile];
      for (int n = 0; n < kProducts; ++n) {
        for (int64_t p = 0; p < places_; ++p) {
          terms[p] = static_cast<double>(weight[n][p]) * static_cast<double>(gradient[p * step]);
        }
        for (int64_t p = 0; p < places_; ++p) sums[element[n][p]] += terms[p];
      }
      return;
    }
    const hn::CappedTag<double, kPitch> wide;
    constexpr int kWide = hn::MaxLanes(wide);
    for (int64_t p = 0; p < places_; ++p) {
      for (int c = 0; c < kPitch; c += kWide) {
        const auto of_place = LoadAs(wide, gradient + p * step + c);
        for (int n = 0; n < kProducts; ++n) {
          double* const to = sums + int64_t{element[n][p]} * kPitch + c;
          const auto times = hn::Set(wide, static_cast<double>(weight[n][p]));
          hn::StoreU(hn::MulAdd(times, of_place, hn::LoadU(wide, to)), wide, to);
        }
      }
    }
  }

  // The gradient of the places' coordinates, which lie beside each other in `made`. Planes of the
  // gradient begin `next` numbers apart, and those of the input so many elements.
  void SetSlopes(const float* gradient, int64_t next, const float* input, int64_t elements,
                 int64_t channels, float* made) const {
    const D d;
    for (int64_t i = 0; i < places_; i += kLanes) {
      const Entry& entry = entries_[i / kLanes];
      const Taps& taps = entry.taps;
      V along[kAxes] = {hn::Zero(d), hn::Zero(d), hn::Zero(d)};
      for (int r = 0; r < Taps::kRows; ++r) {
        V left = hn::Zero(d), right = left;
        for (int64_t c = 0; c < channels; ++c) {
          const float* const from = gradient + c * next + i;
          const V g = i + kLanes <= places_ ? hn::LoadU(d, from) : LoadFirst(d, from, places_ - i);
          V first, second;
          LoadEachPair(d, input + c * elements, entry.element[r], first, second);
          left = hn::MulAdd(g, first, left);
          right = hn::MulAdd(g, second, right);
        }
        left = hn::And(left, taps.Kept(r, 0));
        right = hn::And(right, taps.Kept(r, 1));
        const V sum =
            hn::MulAdd(taps.column_weight[1], right, hn::Mul(taps.column_weight[0], left));
        const V slope =
            hn::MulAdd(taps.column_slope[1], right, hn::Mul(taps.column_slope[0], left));
        along[2] = hn::MulAdd(taps.row_weight[r], slope, along[2]);
        along[1] = hn::MulAdd(taps.row_slope[r], sum, along[1]);
        if constexpr (kVolume) along[0] = hn::MulAdd(taps.layer_slope[r], sum, along[0]);
      }
      HWY_ALIGN float coordinates[kAxes * kLanes];
      constexpr int64_t kAlong = kVolume ? 3 : 2;
      if constexpr (kVolume) {
        hn::StoreInterleaved3(along[2], along[1], along[0], d, coordinates);
      } else {
        hn::StoreInterleaved2(along[2], along[1], d, coordinates);
      }
      std::copy_n(coordinates, kAlong * std::min(kLanes, places_ - i), made + kAlong * i);
    }
  }

 private:
  static constexpr int kProducts = 2 * Taps::kRows;

  struct Entry {
    Taps taps;
    HWY_ALIGN int32_t element[Taps::kRows][kLanes];
  };

  const int64_t places_;
  Entry entries_[kTile / kLanes];
};

}  // namespace HWY_NAMESPACE
}  // namespace aclimb::grid_sampler
HWY_AFTER_NAMESPACE();

#endif
