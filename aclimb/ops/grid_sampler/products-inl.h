// Products of a tap along each axis, in vectors of places. Included once per instruction set by
// files that use hwy/foreach_target.h.
#if defined(ACLIMB_OPS_GRID_SAMPLER_PRODUCTS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACLIMB_OPS_GRID_SAMPLER_PRODUCTS_INL_H_
#undef ACLIMB_OPS_GRID_SAMPLER_PRODUCTS_INL_H_
#else
#define ACLIMB_OPS_GRID_SAMPLER_PRODUCTS_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>

#include "aclimb/core/divide.h"
#include "aclimb/ops/grid_sampler/gather-inl.h"
#include "aclimb/ops/grid_sampler/taps-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclimb::grid_sampler {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// One product of taps for all places of a tile, and for as many more as the last vector has lanes.
struct Product {
  // Numbers of elements fit, and those of spare sums behind them.
  static bool Fits(int64_t elements) {
    return elements > 0 && elements <= std::numeric_limits<int32_t>::max() - kSpare;
  }

  using D = hn::CappedTag<float, kTile>;
  // Where there is no such element, the weight is 0, and nothing of element 0 remains.
  HWY_INLINE void Fill(const TileTaps<float>& tile, int i, int j, int k, int64_t places) {
    const auto& [layers, rows, columns] = tile.taps;
    // Of 4 bytes, so that a vector has many of them.
    const auto height = static_cast<int32_t>(tile.in[1]), width = static_cast<int32_t>(tile.in[2]);
    for (int64_t p = 0; p < places; ++p) {
      const auto layer = static_cast<int32_t>(layers.index[i][p]);
      const auto row = static_cast<int32_t>(rows.index[j][p]);
      const auto at = static_cast<int32_t>(columns.index[k][p]);
      kept[p] = ~((layer | row | at) >> 31);
      element[p] = ((layer * height + row) * width + at) & kept[p];
      const float product = layers.weight[i][p] * rows.weight[j][p] * columns.weight[k][p];
      // Without a branch, which random places would mispredict.
      weight[p] = std::bit_cast<float>(std::bit_cast<int32_t>(product) & kept[p]);
    }
    const int64_t end = WholeVectors(places);
    std::fill(element + places, element + end, 0);
    std::fill(kept + places, kept + end, 0);
    std::fill(weight + places, weight + end, 0.0f);
  }

  static int64_t WholeVectors(int64_t places) {
    return RoundUp(places, static_cast<int64_t>(hn::Lanes(D())));
  }

  // Elements of a plane at places from number p on.
  HWY_INLINE hn::Vec<D> Elements(const float* plane, int64_t p) const {
    const auto of_kept = hn::LoadU(hn::RebindToSigned<D>(), kept + p);
    return hn::And(LoadEach(D(), plane, element + p), hn::BitCast(D(), of_kept));
  }

  int32_t element[kTile], kept[kTile];
  float weight[kTile];
};

// Calls use(i, j, k) for all products of taps.
template <class Use>
HWY_INLINE void EachProduct(const TileTaps<float>& taps, const Use& use) {
  for (int i = 0; i < taps.count[0]; ++i) {
    for (int j = 0; j < taps.count[1]; ++j) {
      for (int k = 0; k < taps.count[2]; ++k) use(i, j, k);
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace aclimb::grid_sampler
HWY_AFTER_NAMESPACE();

#endif
