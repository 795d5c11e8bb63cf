#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "aclimb/ops/convolution_backward/one_pass/depthwise_channels.cc"
// Sums are arrays of vectors, which scalable vectors cannot be.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#include <hwy/foreach_target.h>
// foreach_target.h first: the -inl headers are included once per target.
#include <algorithm>
#include <type_traits>

#include "aclimb/ops/convolution_backward/elements.h"
#include "aclimb/ops/convolution_backward/one_pass/depthwise.h"
#include "aclimb/ops/convolution_backward/pack-inl.h"
#include "aclimb/simd/float-inl.h"
#include "aclimb/simd/transpose-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclimb {
namespace convolution_backward {
namespace HWY_NAMESPACE {
namespace {

using aclimb::HWY_NAMESPACE::Stored, aclimb::HWY_NAMESPACE::StoredLane;
using aclimb::HWY_NAMESPACE::Transpose;
using Tag = hn::ScalableTag<float>;
constexpr int64_t kChannels = kDepthwiseChannels;  // of a block

// Memory that is asked for while something else is computed: so many bytes an element of x.
struct Soon {
  const char* from;
  int64_t bytes;
};

// BlockPlanes of one image. An element of all channels of the block is followed by the next.
struct BlockPlanes {
  const Depthwise* plan;
  const float* y;  // with zeros around it: position 0 is that of the axes
  const float* x;
  float* grad_x;
  const float* weights;  // [window]
  float* sums;           // [window]
  Soon y_soon, x_soon, grad_soon;
};

// Elements of x in one of kStride phases are those of the steps [first, last); that of step 0 is
// element `base`, or would be.
template <int kStride>
struct Steps {
  int64_t first, last, base;

  Steps(const Depthwise::Axis& axis, int phase, int64_t extent)
      : first(phase < axis.lead ? 1 : 0),
        last((extent - 1 - phase + axis.lead + kStride) / kStride),
        base(phase - axis.lead) {}
};

// What the taps of kLines lines from kFirst on, and of columns from kColumn on, each kStride after
// the other, add to Lanes(Tag()) channels. They all meet elements of x in one phase.
template <int kKernel, int kStride, int kFirst, int kLines, int kColumn, bool kX, bool kWeight>
HWY_INLINE void AddTaps(const BlockPlanes& planes) {
  const Tag d;
  using Vector = hn::Vec<Tag>;
  constexpr int kColumns = (kKernel - kColumn + kStride - 1) / kStride;
  constexpr int kReach = (kKernel - 1) / kStride;
  constexpr bool kHoldsWeights = kX && kLines * kColumns <= 9;
  const auto tap = [](int line, int column) {
    return ((kFirst + kStride * line) * kKernel + kColumn + kStride * column) * kChannels;
  };
  Vector sum[kLines][kColumns], held[kHoldsWeights ? kLines : 1][kColumns];
#pragma GCC unroll 32
  for (int k = 0; k < kLines * kColumns; ++k) {
    const int line = k / kColumns, column = k % kColumns;
    if constexpr (kWeight) sum[line][column] = hn::Load(d, planes.sums + tap(line, column));
    if constexpr (kHoldsWeights) {
      held[line][column] = hn::Load(d, planes.weights + tap(line, column));
    }
  }
  const Depthwise& plan = *planes.plan;
  const int64_t width = plan.geometry.in[2];
  const int64_t pitch = (plan.across.steps + kReach) * kChannels;
  const Steps<kStride> down(plan.down, kFirst % kStride, plan.geometry.in[1]);
  const Steps<kStride> across(plan.across, kColumn, width);
  const Soon y_soon = planes.y_soon, x_soon = planes.x_soon, grad_soon = planes.grad_soon;
  // Element by element of line m of a phase, by the lines [kFrom, kTo) of these.
  const auto add_line = [&](int64_t m, auto from, auto to) HWY_ATTR {
    constexpr int kFrom = decltype(from)::value, kTo = decltype(to)::value;
    const float* y = planes.y + (m + kReach - kFirst / kStride - (kTo - 1)) * pitch +
                     (across.first + kReach - (kColumns - 1)) * kChannels;
    int64_t element = (kStride * m + down.base) * width + kStride * across.first + across.base;
    for (int64_t n = across.first; n < across.last; ++n) {
      if constexpr (kFirst < kStride) {
        __builtin_prefetch(y_soon.from + element * y_soon.bytes);
        __builtin_prefetch(x_soon.from + element * x_soon.bytes);
        __builtin_prefetch(grad_soon.from + element * grad_soon.bytes);
      }
      const int64_t at = element * kChannels;
      Vector x = hn::Zero(d), grad = x;
      if constexpr (kWeight) x = hn::Load(d, planes.x + at);
      if constexpr (kX && kFirst >= kStride) grad = hn::Load(d, planes.grad_x + at);
#pragma GCC unroll 8
      for (int line = kTo - 1; line >= kFrom; --line) {
#pragma GCC unroll 8
        for (int column = kColumns - 1; column >= 0; --column) {
          Vector value =
              hn::Load(d, y + (kTo - 1 - line) * pitch + (kColumns - 1 - column) * kChannels);
          KeepInRegister(value);
          if constexpr (kHoldsWeights) {
            grad = hn::MulAdd(held[line][column], value, grad);
          } else if constexpr (kX) {
            grad = hn::MulAdd(hn::Load(d, planes.weights + tap(line, column)), value, grad);
          }
          if constexpr (kWeight) sum[line][column] = hn::MulAdd(x, value, sum[line][column]);
        }
      }
      if constexpr (kX) hn::Store(grad, d, planes.grad_x + at);
      y += kChannels;
      element += kStride;
    }
  };
  using std::integral_constant;
  for (int64_t m = down.first; m < down.last; ++m) {
    constexpr integral_constant<int, 0> kNone;
    constexpr integral_constant<int, kLines> kAll;
    if constexpr (kKernel == 3 && kStride == 1) {
      // On planes of few lines it pays to leave out the line that meets only zeros.
      const int64_t last = m + plan.down.first + kReach;
      if (last == plan.geometry.out[1]) {
        add_line(m, integral_constant<int, 1>(), kAll);
        continue;
      }
      if (last == kLines - 2) {
        add_line(m, kNone, integral_constant<int, kLines - 1>());
        continue;
      }
    }
    add_line(m, kNone, kAll);
  }
  if constexpr (kWeight) {
#pragma GCC unroll 32
    for (int k = 0; k < kLines * kColumns; ++k) {
      const int line = k / kColumns, column = k % kColumns;
      hn::Store(sum[line][column], d, planes.sums + tap(line, column));
    }
  }
}

template <int kKernel, int kStride, bool kX, bool kWeight>
HWY_INLINE void AddWindow(const BlockPlanes& planes) {
  if constexpr (kStride == 2) {
    constexpr int kEven = (kKernel + 1) / 2, kOdd = kKernel / 2;
    AddTaps<kKernel, 2, 0, kEven, 0, kX, kWeight>(planes);
    AddTaps<kKernel, 2, 0, kEven, 1, kX, kWeight>(planes);
    AddTaps<kKernel, 2, 1, kOdd, 0, kX, kWeight>(planes);
    AddTaps<kKernel, 2, 1, kOdd, 1, kX, kWeight>(planes);
  } else {
    // As many lines as the registers hold.
    AddTaps<kKernel, 1, 0, 3, 0, kX, kWeight>(planes);
    if constexpr (kKernel > 3) AddTaps<kKernel, 1, 3, 2, 0, kX, kWeight>(planes);
    if constexpr (kKernel > 5) AddTaps<kKernel, 1, 5, 2, 0, kX, kWeight>(planes);
  }
}

// Channels of an image are packed as elements of all channels of a block, lines of them `pitch`
// elements apart; channels that are none hold anything. Calls body(element of the view, packed
// place of the first, elements) for what lies side by side in both.
template <typename T, class Body>
HWY_INLINE void EachRun(const TensorView& view, const Channels& of, int64_t pitch,
                        const Body& body) {
  const int64_t height = view.shape[3], width = view.shape[4];
  T* const plane = view.As<T>() + of.image * view.stride[0] + of.first * view.stride[1];
  if (pitch == width && (height == 1 || view.stride[3] == width)) {
    return body(plane, 0, height * width);
  }
  for (int64_t h = 0; h < height; ++h) {
    body(plane + h * view.stride[3], h * pitch * kChannels, width);
  }
}

// Packs channels into float32. What is converted waits in `stage`, lines without gaps.
void Pack(const TensorView& view, const Channels& of, int64_t pitch, void* stage, float* to) {
  WithType(view.dtype, [&](auto type) HWY_ATTR {
    using T = decltype(type);
    const auto gather = [&](int64_t line, StoredLane<T>* place) HWY_ATTR {
      EachRun<T>(view, of, line, [&](const T* from, int64_t at, int64_t count) HWY_ATTR {
        Transpose(Stored(from), view.stride[1], of.Count(), count, place + at, kChannels);
      });
    };
    if constexpr (std::is_same_v<T, float>) {
      gather(pitch, to);
    } else {
      gather(view.shape[4], static_cast<StoredLane<T>*>(stage));
      const int64_t lines = pitch == view.shape[4] ? 1 : view.shape[3];
      const int64_t length = view.shape[3] / lines * view.shape[4] * kChannels;
      for (int64_t h = 0; h < lines; ++h) {
        ConvertRow(static_cast<const T*>(stage) + h * length, length, to + h * pitch * kChannels);
      }
    }
  });
}

// The inverse, of lines without gaps.
void Unpack(const float* from, void* stage, const TensorView& view, const Channels& of) {
  const int64_t width = view.shape[4];
  WithType(view.dtype, [&](auto type) HWY_ATTR {
    using T = decltype(type);
    const auto scatter = [&](const StoredLane<T>* place) HWY_ATTR {
      EachRun<T>(view, of, width, [&](T* to, int64_t at, int64_t count) HWY_ATTR {
        Transpose(place + at, kChannels, count, of.Count(), Stored(to), view.stride[1]);
      });
    };
    if constexpr (std::is_same_v<T, float>) {
      scatter(from);
    } else {
      ConvertRow(from, view.shape[3] * width * kChannels, static_cast<T*>(stage));
      scatter(static_cast<const StoredLane<T>*>(stage));
    }
  });
}

// The elements of y that taps bring, among zeros.
void LoadAmongZeros(const Depthwise& plan, const TensorView& y, const Channels& block, void* stage,
                    float* to) {
  const Geometry& g = plan.geometry;
  const auto end = [&](const Depthwise::Axis& axis, int64_t extent) {
    return std::min(extent, axis.first + axis.steps + plan.reach);
  };
  const int64_t pitch = plan.pitch;
  // Taps reach at least as far as the first element.
  TensorView met = y;
  met.shape[3] = end(plan.down, g.out[1]);
  met.shape[4] = end(plan.across, g.out[2]);
  Pack(met, block, pitch, stage, to - (plan.down.first * pitch + plan.across.first) * kChannels);
}

// Every element of x stands for its share of the planes of the block, where they lie side by side.
Soon SoonOf(const TensorView& view, const Channels& block, int64_t elements) {
  const auto size = static_cast<int64_t>(SizeOf(view.dtype));
  const int64_t plane = view.shape[3] * view.shape[4];
  const int64_t bytes = plane * kChannels * size / elements;
  const char* const from =
      view.As<char>() + (block.image * view.stride[0] + block.first * view.stride[1]) * size;
  return {from, view.stride[1] == plane ? bytes : 0};
}

}  // namespace

void DepthwiseChannels(const Depthwise& plan, int64_t unit, const Triple<TensorView>& operands,
                       const Triple<TensorView>& gradients, double* all_sums, void* slot) {
  const TensorView &x = operands.x, &y = operands.y, &grad_x = gradients.x;
  const Geometry& g = plan.geometry;
  const int64_t taps = g.KernelSize();
  const DepthwiseBounds bounds(plan, unit);
  const int64_t first_channel = bounds.channels.first, last_channel = bounds.channels.last;
  float* const y_plane = static_cast<float*>(slot);
  float* const x_plane = y_plane + plan.plane;
  float* const grad_plane = x_plane + plan.x_plane;
  // [blocks][window][channels]
  float* const windows = grad_plane + plan.x_plane;
  float* const sums = windows + plan.channels * taps;
  float* const of_block = sums + plan.channels * taps;
  std::fill(y_plane, x_plane, 0.0f);  // around y
  std::fill_n(sums, plan.channels * taps, 0.0f);
  double* const totals = all_sums + bounds.first_sum;
  if (plan.gives_weight) std::fill_n(totals, (last_channel - first_channel) * taps, 0.0);

  const auto windows_of = [&](int64_t channel) { return (channel - first_channel) * taps; };
  const auto block_at = [&](int64_t image, int64_t channel) {
    return Channels{image, 1, channel, std::min(channel + kChannels, last_channel)};
  };
  for (int64_t c = first_channel; plan.gives_x && c < last_channel; c += kChannels) {
    Transpose(operands.weight.As<float>() + c * taps, taps, block_at(0, c).Count(), taps,
              windows + windows_of(c), kChannels);
  }
  for (int64_t image = bounds.images.first; image < bounds.images.last; ++image) {
    for (int64_t channel = first_channel; channel < last_channel; channel += kChannels) {
      const Channels block = block_at(image, channel);
      // The gradient's place is free until it is computed, and then x's is.
      LoadAmongZeros(plan, y, block, grad_plane, y_plane);
      if (plan.gives_weight) Pack(x, block, g.in[2], grad_plane, x_plane);
      // The unit's last block asks for itself once more.
      Channels next = block;
      if (channel + kChannels < last_channel) {
        next = block_at(image, channel + kChannels);
      } else if (image + 1 < bounds.images.last) {
        next = block_at(image + 1, first_channel);
      }
      const Soon y_soon = SoonOf(y, next, g.InSize());
      for (int64_t lane = 0; lane < kChannels; lane += static_cast<int64_t>(hn::Lanes(Tag()))) {
        const int64_t window = windows_of(channel) + lane;
        const BlockPlanes planes = {&plan,
                                    y_plane + lane,
                                    x_plane + lane,
                                    grad_plane + lane,
                                    windows + window,
                                    sums + window,
                                    y_soon,
                                    plan.gives_weight ? SoonOf(x, next, g.InSize()) : y_soon,
                                    plan.gives_x ? SoonOf(grad_x, block, g.InSize()) : y_soon};
        WithWindow(plan, [&](auto kernel, auto stride, auto gives_x, auto gives_weight) HWY_ATTR {
          AddWindow<kernel(), stride(), gives_x(), gives_weight()>(planes);
        });
      }
      if (plan.gives_x) Unpack(grad_plane, x_plane, grad_x, block);
    }
    if (!plan.gives_weight || !bounds.EndsSums(plan, image)) continue;
    for (int64_t c = first_channel; c < last_channel; c += kChannels) {
      const int64_t count = block_at(0, c).Count();
      Transpose(sums + windows_of(c), kChannels, taps, count, of_block, taps);
      for (int64_t i = 0; i < count * taps; ++i) {
        totals[windows_of(c) + i] += static_cast<double>(of_block[i]);
      }
    }
    std::fill_n(sums, plan.channels * taps, 0.0f);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace convolution_backward
}  // namespace aclimb
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclimb::convolution_backward {

HWY_EXPORT(DepthwiseChannels);

void DepthwiseChannels(const Depthwise& plan, int64_t unit, const Triple<TensorView>& operands,
                       const Triple<TensorView>& gradients, double* all_sums, void* slot) {
  HWY_DYNAMIC_DISPATCH(DepthwiseChannels)(plan, unit, operands, gradients, all_sums, slot);
}

}  // namespace aclimb::convolution_backward
#endif
