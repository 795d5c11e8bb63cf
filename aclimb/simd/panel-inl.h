// Sums of products of rows and a panel, in registers. Included once per instruction set by files
// that use hwy/foreach_target.h, without the targets whose vectors have no fixed length: blocks of
// registers are arrays.
#if defined(ACLIMB_SIMD_PANEL_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACLIMB_SIMD_PANEL_INL_H_
#undef ACLIMB_SIMD_PANEL_INL_H_
#else
#define ACLIMB_SIMD_PANEL_INL_H_
#endif

#include <hwy/highway.h>

#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace aclimb {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using PanelTag = hn::ScalableTag<float>;
using PanelVector = hn::Vec<PanelTag>;

// Rows whose sums the registers hold at once, beside a row of the panel.
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL || HWY_ARCH_ARM_A64
constexpr int64_t kHeldRows = 8;
#else
constexpr int64_t kHeldRows = 4;
#endif
// Vectors of a panel's row, at most.
constexpr int kMostPanelVectors = 3;

template <int kVectors>
HWY_INLINE void Clear(PanelVector (&sum)[kHeldRows][kVectors]) {
#pragma GCC unroll 8
  for (int64_t r = 0; r < kHeldRows; ++r) {
#pragma GCC unroll 3
    for (int v = 0; v < kVectors; ++v) sum[r][v] = hn::Zero(PanelTag());
  }
}

struct MultiplyFloats {
  HWY_INLINE PanelVector operator()(PanelVector a, PanelVector b, PanelVector sum) const {
    return hn::MulAdd(a, b, sum);
  }
};

struct KeepNothing {
  template <int kVectors>
  HWY_INLINE void operator()(int64_t, const PanelVector (&)[kVectors]) const {}
};

// sum += row * panel; the panel has `depth` rows of kVectors, `panel_row` elements apart.
// `multiply` says what elements of four bytes are, and `keep` is given the panel's rows. Rows may
// lie anywhere.
template <int kVectors, class Multiply = MultiplyFloats, class Keep = KeepNothing>
HWY_INLINE void AddProducts(const float* const (&row)[kHeldRows], const float* HWY_RESTRICT panel,
                            int64_t panel_row, int64_t depth,
                            PanelVector (&sum)[kHeldRows][kVectors],
                            const Multiply& multiply = Multiply(), const Keep& keep = Keep()) {
  const PanelTag d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t k = 0; k < depth; ++k, panel += panel_row) {
    PanelVector columns[kVectors];
#pragma GCC unroll 3
    for (int v = 0; v < kVectors; ++v) columns[v] = hn::LoadU(d, panel + v * lanes);
    keep(k, columns);
#pragma GCC unroll 8
    for (int64_t r = 0; r < kHeldRows; ++r) {
      float element;
      hwy::CopyBytes<sizeof(element)>(row[r] + k, &element);
      const PanelVector value = hn::Set(d, element);
#pragma GCC unroll 3
      for (int v = 0; v < kVectors; ++v) sum[r][v] = multiply(value, columns[v], sum[r][v]);
    }
  }
}

// Sums of a row of a block to memory.
template <int kVectors>
HWY_INLINE void StoreRow(const PanelVector (&sum)[kVectors], bool add, float* HWY_RESTRICT to) {
  const PanelTag d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
#pragma GCC unroll 3
  for (int v = 0; v < kVectors; ++v) {
    hn::StoreU(add ? hn::Add(sum[v], hn::LoadU(d, to + v * lanes)) : sum[v], d, to + v * lanes);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace aclimb
HWY_AFTER_NAMESPACE();

#endif
