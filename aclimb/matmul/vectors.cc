#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "aclimb/matmul/vectors.cc"
#include <hwy/foreach_target.h>
// foreach_target.h first: the -inl header is included once per target.
#include <algorithm>

#include "aclimb/matmul/vectors.h"
#include "aclimb/simd/float-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclimb {
namespace matmul {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using aclimb::HWY_NAMESPACE::LoadF32;
using aclimb::HWY_NAMESPACE::LoadFirst;

using Tag = hn::ScalableTag<float>;

// Terms that one lane adds in float32, about.
constexpr int64_t kBlock = 1024;

template <typename T>
HWY_INLINE double Dot(const T* a, const float* x, int64_t terms) {
  const Tag d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  double total = 0;
  for (int64_t begin = 0; begin < terms; begin += kBlock * lanes) {
    const int64_t end = std::min(terms, begin + kBlock * lanes);
    auto sum0 = hn::Zero(d), sum1 = hn::Zero(d), sum2 = hn::Zero(d), sum3 = hn::Zero(d);
    int64_t i = begin;
    for (; i + 4 * lanes <= end; i += 4 * lanes) {
      sum0 = hn::MulAdd(LoadF32(d, a + i), hn::LoadU(d, x + i), sum0);
      sum1 = hn::MulAdd(LoadF32(d, a + i + lanes), hn::LoadU(d, x + i + lanes), sum1);
      sum2 = hn::MulAdd(LoadF32(d, a + i + 2 * lanes), hn::LoadU(d, x + i + 2 * lanes), sum2);
      sum3 = hn::MulAdd(LoadF32(d, a + i + 3 * lanes), hn::LoadU(d, x + i + 3 * lanes), sum3);
    }
    for (; i + lanes <= end; i += lanes) {
      sum0 = hn::MulAdd(LoadF32(d, a + i), hn::LoadU(d, x + i), sum0);
    }
    if (i < end) {
      sum1 = hn::MulAdd(LoadFirst(d, a + i, end - i), LoadFirst(d, x + i, end - i), sum1);
    }
    const auto sum = hn::Add(hn::Add(sum0, sum1), hn::Add(sum2, sum3));
    total += static_cast<double>(hn::GetLane(hn::SumOfLanes(d, sum)));
  }
  return total;
}

template <typename T>
void AlongTerms(const void* matrix, int64_t stride, const float* x, int64_t terms, int64_t results,
                double* totals) {
  for (int64_t j = 0; j < results; ++j) {
    totals[j] = Dot(static_cast<const T*>(matrix) + j * stride, x, terms);
  }
}

HWY_INLINE void AddTo(double* totals, hn::Vec<Tag> sum, int64_t count) {
  const Tag d;
  HWY_ALIGN float lanes[HWY_MAX_BYTES / sizeof(float)];
  hn::Store(sum, d, lanes);
  for (int64_t i = 0; i < count; ++i) totals[i] += static_cast<double>(lanes[i]);
}

template <typename T>
void AlongResults(const void* matrix, int64_t stride, const float* x, int64_t terms,
                  int64_t results, double* totals) {
  constexpr int64_t kWidth = 8;
  const Tag d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  std::fill_n(totals, results, 0.0);
  for (int64_t begin = 0; begin < terms; begin += kBlock) {
    const int64_t end = std::min(terms, begin + kBlock);
    int64_t j = 0;
    for (; j + kWidth * lanes <= results; j += kWidth * lanes) {
      hn::Vec<Tag> sum[kWidth];
      for (int64_t v = 0; v < kWidth; ++v) sum[v] = hn::Zero(d);
      const T* row = static_cast<const T*>(matrix) + begin * stride + j;
      for (int64_t i = begin; i < end; ++i, row += stride) {
        const auto factor = hn::Set(d, x[i]);
        for (int64_t v = 0; v < kWidth; ++v) {
          sum[v] = hn::MulAdd(LoadF32(d, row + v * lanes), factor, sum[v]);
        }
      }
      for (int64_t v = 0; v < kWidth; ++v) AddTo(totals + j + v * lanes, sum[v], lanes);
    }
    for (; j < results; j += lanes) {
      const int64_t count = std::min(lanes, results - j);
      auto sum = hn::Zero(d);
      const T* row = static_cast<const T*>(matrix) + begin * stride + j;
      for (int64_t i = begin; i < end; ++i, row += stride) {
        const auto values = count == lanes ? LoadF32(d, row) : LoadFirst(d, row, count);
        sum = hn::MulAdd(values, hn::Set(d, x[i]), sum);
      }
      AddTo(totals + j, sum, count);
    }
  }
}

VectorSums AlongTermsOf(DType matrix) {
  return matrix == DType::kFloat16    ? &AlongTerms<Float16>
         : matrix == DType::kBFloat16 ? &AlongTerms<BFloat16>
                                      : &AlongTerms<float>;
}
VectorSums AlongResultsOf(DType matrix) {
  return matrix == DType::kFloat16    ? &AlongResults<Float16>
         : matrix == DType::kBFloat16 ? &AlongResults<BFloat16>
                                      : &AlongResults<float>;
}

}  // namespace HWY_NAMESPACE
}  // namespace matmul
}  // namespace aclimb
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclimb::matmul {

HWY_EXPORT(AlongTermsOf);
HWY_EXPORT(AlongResultsOf);

VectorSums SumsAlongTerms(DType matrix) { return HWY_DYNAMIC_DISPATCH(AlongTermsOf)(matrix); }
VectorSums SumsAlongResults(DType matrix) { return HWY_DYNAMIC_DISPATCH(AlongResultsOf)(matrix); }

}  // namespace aclimb::matmul
#endif
