#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "aclimb/ops/roi_align_v2_backward/pool_kernels.cc"
#include <hwy/foreach_target.h>
// foreach_target.h first: the -inl headers are included once per target.
#include <hwy/cache_control.h>

#include "aclimb/ops/roi_align_v2_backward/pool_kernels.h"
#include "aclimb/simd/float-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclimb::roi_align_v2_backward {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using aclimb::HWY_NAMESPACE::LoadFirst;

using Tag = hn::CappedTag<float, kMostPoolLanes>;
using Vector = hn::Vec<Tag>;

void AddRows(const float* plane, const RowSample* rows, int64_t count, int64_t columns,
             int64_t ahead, bool add, float* sums) {
  const Tag d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t k = 0; k < columns; k += lanes) {
    Vector sum = add ? hn::LoadU(d, sums + k) : hn::Zero(d);
    const bool whole = k + lanes <= columns;
    for (int64_t i = 0; i < count; ++i) {
      const float* const at = plane + rows[i].offset + k;
      const auto later = reinterpret_cast<uintptr_t>(at) + static_cast<uintptr_t>(ahead) * 4;
      hwy::Prefetch(reinterpret_cast<const float*>(later));
      const Vector row = whole ? hn::LoadU(d, at) : LoadFirst(d, at, columns - k);
      sum = hn::MulAdd(hn::Set(d, rows[i].weight), row, sum);
    }
    hn::StoreU(sum, d, sums + k);
  }
}

bool PoolColumns(const ColumnWeights& weights, const float* sums, float* pooled) {
  // The additions of one sum wait for each other.
  constexpr int64_t kSums = 4;
  const Tag d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  Vector zeros = hn::Zero(d);
  for (int64_t b = 0; b < weights.bins; b += lanes) {
    const ColumnRange range = weights.ranges[b / lanes];
    const float* const of_bins = weights.weights + b;
    Vector sum0 = hn::Zero(d), sum1 = sum0, sum2 = sum0, sum3 = sum0;
    const auto add = [&](int64_t k, Vector& sum) HWY_ATTR {
      sum = hn::MulAdd(hn::Set(d, sums[k]), hn::LoadU(d, of_bins + k * weights.row), sum);
    };
    int64_t k = range.first;
    for (; k + kSums <= range.last; k += kSums) {
      add(k, sum0);
      add(k + 1, sum1);
      add(k + 2, sum2);
      add(k + 3, sum3);
    }
    for (; k < range.last; ++k) add(k, sum0);
    const Vector all = hn::Add(hn::Add(sum0, sum1), hn::Add(sum2, sum3));
    hn::StoreU(all, d, pooled + b);
    // 0 times what is not finite is NaN.
    zeros = hn::MulAdd(all, hn::Zero(d), zeros);
  }
  return hn::AllTrue(d, hn::Eq(zeros, hn::Zero(d)));
}

const PoolKernels& KernelsOfTarget() {
  static const PoolKernels kKernels = {static_cast<int64_t>(hn::Lanes(Tag())), &AddRows,
                                       &PoolColumns};
  return kKernels;
}

}  // namespace HWY_NAMESPACE
}  // namespace aclimb::roi_align_v2_backward
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclimb::roi_align_v2_backward {

HWY_EXPORT(KernelsOfTarget);

const PoolKernels& PoolKernelsInUse() { return HWY_DYNAMIC_DISPATCH(KernelsOfTarget)(); }

}  // namespace aclimb::roi_align_v2_backward
#endif
