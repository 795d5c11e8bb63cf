#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "aclimb/ops/convolution_backward/bias.cc"
#include <hwy/foreach_target.h>
// foreach_target.h first: the -inl header is included once per target.
#include <algorithm>

#include "aclimb/core/divide.h"
#include "aclimb/ops/convolution_backward/bias.h"
#include "aclimb/ops/convolution_backward/elements.h"
#include "aclimb/ops/convolution_backward/for_each.h"
#include "aclimb/simd/float-inl.h"
#include "aclimb/simd/walk.h"

HWY_BEFORE_NAMESPACE();
namespace aclimb {
namespace convolution_backward {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using aclimb::HWY_NAMESPACE::GatherF32;
using aclimb::HWY_NAMESPACE::LoadF32;

// Four accumulators hide the latency of the additions.
template <typename T>
HWY_INLINE double SumRun(const T* from, int64_t count) {
  const hn::ScalableTag<float> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  auto sum0 = hn::Zero(d), sum1 = hn::Zero(d), sum2 = hn::Zero(d), sum3 = hn::Zero(d);
  int64_t i = 0;
  for (; i + 4 * lanes <= count; i += 4 * lanes) {
    sum0 = hn::Add(sum0, LoadF32(d, from + i));
    sum1 = hn::Add(sum1, LoadF32(d, from + i + lanes));
    sum2 = hn::Add(sum2, LoadF32(d, from + i + 2 * lanes));
    sum3 = hn::Add(sum3, LoadF32(d, from + i + 3 * lanes));
  }
  for (; i + lanes <= count; i += lanes) sum0 = hn::Add(sum0, LoadF32(d, from + i));
  const auto sum = hn::Add(hn::Add(sum0, sum1), hn::Add(sum2, sum3));
  double total = static_cast<double>(hn::GetLane(hn::SumOfLanes(d, sum)));
  for (; i < count; ++i) total += static_cast<double>(ToFloat(from[i]));
  return total;
}

template <typename T>
double SumRange(const Walk<1>& walk, const T* from, int64_t begin, int64_t end) {
  const int64_t stride = walk.stride[0][walk.rank - 1];
  double total = 0;
  walk.Visit(begin, end, [&](const int64_t(&offset)[1], int64_t count) HWY_ATTR {
    if (stride == 1) {
      total += SumRun(from + offset[0], count);
      return;
    }
    constexpr int64_t kChunk = 256;
    HWY_ALIGN float chunk[kChunk];
    for (int64_t i = 0; i < count; i += kChunk) {
      const int64_t n = std::min(kChunk, count - i);
      GatherF32(from + offset[0] + i * stride, stride, n, chunk);
      total += SumRun(chunk, n);
    }
  });
  return total;
}

double SumBlock(const Walk<1>& walk, DType dtype, const void* from, int64_t begin, int64_t end) {
  switch (dtype) {
    case DType::kFloat16:
      return SumRange(walk, static_cast<const Float16*>(from), begin, end);
    case DType::kBFloat16:
      return SumRange(walk, static_cast<const BFloat16*>(from), begin, end);
    default:
      return SumRange(walk, static_cast<const float*>(from), begin, end);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace convolution_backward
}  // namespace aclimb
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclimb::convolution_backward {
namespace {

HWY_EXPORT(SumBlock);

// Short enough that float32 sums in lanes stay accurate.
constexpr int64_t kBlock = 16 * 1024;

int64_t PlaneSize(const TensorView& view) { return view.shape[2] * view.shape[3] * view.shape[4]; }
int64_t BlocksOf(const TensorView& view) { return CeilDivide(PlaneSize(view), kBlock); }

}  // namespace

int64_t BiasScratchBytes(const TensorView& grad_output) {
  int64_t bytes;
  return __builtin_mul_overflow(grad_output.shape[1] * grad_output.shape[0],
                                BlocksOf(grad_output) * 8, &bytes)
             ? -1
             : bytes;
}

void SumBias(const TensorView& grad_output, const TensorView& grad_bias, void* scratch,
             bool parallel) {
  const int64_t batch = grad_output.shape[0], channels = grad_output.shape[1];
  const int64_t plane = PlaneSize(grad_output), blocks = BlocksOf(grad_output);
  TensorView spatial = grad_output;
  spatial.rank = kMaxRank;
  for (int d = 0; d < kMaxRank; ++d) {
    spatial.shape[d] = d < 3 ? grad_output.shape[2 + d] : 1;
    spatial.stride[d] = d < 3 ? grad_output.stride[2 + d] : 1;
  }
  const TensorView* const views[] = {&spatial};
  const Walk<1> walk = Walk<1>::Make(views);
  const int64_t element = static_cast<int64_t>(SizeOf(grad_output.dtype));
  // partial[channel][image][block]
  double* const partial = static_cast<double*>(scratch);
  const auto sum = [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t block = i % blocks, image = i / blocks % batch, channel = i / blocks / batch;
      const char* from =
          grad_output.As<char>() +
          (image * grad_output.stride[0] + channel * grad_output.stride[1]) * element;
      partial[i] = HWY_DYNAMIC_DISPATCH(SumBlock)(walk, grad_output.dtype, from, block * kBlock,
                                                  std::min(plane, (block + 1) * kBlock));
    }
  };
  const int64_t pieces = channels * batch * blocks;
  ForRange(pieces, std::max<int64_t>(1, kBlock / plane), parallel, sum);
  for (int64_t c = 0; c < channels; ++c) {
    double total = 0;
    for (int64_t i = 0; i < batch * blocks; ++i) total += partial[c * batch * blocks + i];
    WriteElement(grad_bias, c * grad_bias.stride[0], total);
  }
}

}  // namespace aclimb::convolution_backward
#endif
