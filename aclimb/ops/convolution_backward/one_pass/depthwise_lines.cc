#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "aclimb/ops/convolution_backward/one_pass/depthwise_lines.cc"
// Sums are arrays of vectors, which scalable vectors cannot be.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#include <hwy/foreach_target.h>
// foreach_target.h first: the -inl headers are included once per target.
#include "aclimb/ops/convolution_backward/elements.h"
#include "aclimb/ops/convolution_backward/one_pass/depthwise.h"
#include "aclimb/ops/convolution_backward/pack-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclimb {
namespace convolution_backward {
namespace HWY_NAMESPACE {

using Tag = hn::ScalableTag<float>;

// Lanes [first, last) of a vector, whose others are beside a line of x.
template <typename T>
struct SomeLanes {
  int64_t first, last;
  StoredMask<T, Tag> mask;

  // The vector at element `at` of a line of `extent`.
  HWY_INLINE SomeLanes(int64_t at, int64_t extent) {
    const Tag d;
    const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
    first = std::clamp<int64_t>(-at, 0, lanes);
    last = std::clamp<int64_t>(extent - at, first, lanes);
    if constexpr (kHasMasks<T>) mask = MaskOf<T>(d, 0, first, last);
  }
  HWY_INLINE hn::Vec<Tag> Load(const T* at) const {
    const Tag d;
    if constexpr (kHasMasks<T>) {
      return LoadMasked(d, mask, at);
    } else {
      HWY_ALIGN T inside[HWY_MAX_BYTES / sizeof(float)] = {};
      for (int64_t i = first; i < last; ++i) inside[i] = at[i];
      return LoadF32(d, inside);
    }
  }
  HWY_INLINE void Store(hn::Vec<Tag> value, T* at) const {
    const Tag d;
    if constexpr (kHasMasks<T>) {
      StoreMasked(d, value, mask, at);
    } else {
      HWY_ALIGN T inside[HWY_MAX_BYTES / sizeof(float)];
      StoreF32(d, value, inside);
      for (int64_t i = first; i < last; ++i) at[i] = inside[i];
    }
  }
};
// All of them.
template <typename T>
struct AllLanes {
  HWY_INLINE hn::Vec<Tag> Load(const T* at) const { return LoadF32(Tag(), at); }
  HWY_INLINE void Store(hn::Vec<Tag> value, T* at) const { StoreF32(Tag(), value, at); }
};

// A block of lines of one channel of one image.
struct LineBlock {
  const Depthwise* plan;
  const float* y;  // packed: line l holds elements of y for taps of steps l - reach to l
  const void* x;   // line 0 of the channel
  int64_t x_stride;
  void* grad_x;
  int64_t grad_stride;
  const float* weights;  // [window]
  float* sums;           // [window], vectors
  float* partial;        // gradients of whole vectors, where windows take several passes
  int64_t first, last;   // steps down
};
using BlockFunction = void (*)(const LineBlock&);

// kLines lines of a window, from line `first` on: their sums, in registers while a block is
// computed, and the weights, if there is room for them too.
template <int kKernel, int kLines, bool kX, bool kWeight>
struct Taps {
  using Vector = hn::Vec<Tag>;
  static constexpr bool kHoldsWeights = kX && kKernel == 3;
  Vector sum[kLines][kKernel];
  Vector held[kHoldsWeights ? kLines : 1][kKernel];
  const float* weights;
  float* sums;

  HWY_INLINE explicit Taps(const LineBlock& block, int first = 0)
      : weights(block.weights + first * kKernel),
        sums(block.sums + first * kKernel * static_cast<int64_t>(hn::Lanes(Tag()))) {
    const Tag d;
#pragma GCC unroll 32
    for (int k = 0; k < kLines * kKernel; ++k) {
      const int h = k / kKernel, w = k % kKernel;
      if constexpr (kWeight) {
        sum[h][w] = hn::Load(d, sums + k * hn::Lanes(d));
      }
      if constexpr (kHoldsWeights) held[h][w] = hn::Set(d, weights[k]);
    }
  }
  static constexpr bool Has(int h) { return h >= 0 && h < kLines; }
  // Tap (h, w) of these lines brings `y` to a vector of x and its gradient.
  HWY_INLINE void Add(int h, int w, Vector y, Vector x, Vector& grad) {
    if constexpr (kHoldsWeights) {
      grad = hn::MulAdd(held[h][w], y, grad);
    } else if constexpr (kX) {
      grad = hn::MulAdd(hn::Set(Tag(), weights[h * kKernel + w]), y, grad);
    }
    if constexpr (kWeight) sum[h][w] = hn::MulAdd(x, y, sum[h][w]);
  }
  HWY_INLINE void Save() const {
    if constexpr (kWeight) {
      const Tag d;
#pragma GCC unroll 32
      for (int k = 0; k < kLines * kKernel; ++k) {
        hn::Store(sum[k / kKernel][k % kKernel], d, sums + k * hn::Lanes(d));
      }
    }
  }
};

// Without strides: a vector of each of kDown lines of x. One of y serves the windows of all lines.
//   y        packed, from where the last of these lines of the window meets the first line of x
//   partial  the gradient by the lines before these, unless kBegins; then by these too, unless
//            these lines are the last, as `ends` says
template <int kDown, bool kBegins, int kKernel, int kLines, bool kX, bool kWeight, typename T,
          class Access>
HWY_INLINE void AddLines(const float* y, int64_t pitch, const T* from, int64_t x_stride, T* to,
                         int64_t grad_stride, float* partial, int64_t partial_stride,
                         const Access& access, bool ends,
                         Taps<kKernel, kLines, kX, kWeight>& taps) {
  const Tag d;
  hn::Vec<Tag> x[kDown], grad[kDown];
#pragma GCC unroll 2
  for (int i = 0; i < kDown; ++i) {
    x[i] = grad[i] = hn::Zero(d);
    if constexpr (kWeight) x[i] = access.Load(from + i * x_stride);
    if constexpr (kX && !kBegins) grad[i] = hn::LoadU(d, partial + i * partial_stride);
  }
#pragma GCC unroll 8
  for (int row = 0; row < kLines + kDown - 1; ++row) {
    const float* line = y + row * pitch;
    KeepInRegister(line);
#pragma GCC unroll 8
    for (int column = 0; column < kKernel; ++column) {
      auto values = hn::LoadU(d, line + column);
      KeepInRegister(values);
#pragma GCC unroll 2
      for (int i = 0; i < kDown; ++i) {
        const int h = i + kLines - 1 - row;
        if (taps.Has(h)) taps.Add(h, kKernel - 1 - column, values, x[i], grad[i]);
      }
    }
  }
  if constexpr (kX) {
    if (kLines == kKernel || (!kBegins && ends)) {
#pragma GCC unroll 2
      for (int i = 0; i < kDown; ++i) access.Store(grad[i], to + i * grad_stride);
    } else {
#pragma GCC unroll 2
      for (int i = 0; i < kDown; ++i) hn::StoreU(grad[i], d, partial + i * partial_stride);
    }
  }
}

template <bool kBegins, int kKernel, int kLines, bool kX, bool kWeight, typename T>
HWY_INLINE void LinesOfWindow(const LineBlock& block, int first = 0) {
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(Tag()));
  const int64_t pitch = block.plan->pitch, width = block.plan->geometry.in[2];
  const int64_t x_stride = block.x_stride, grad_stride = block.grad_stride;
  const int64_t whole = width / lanes * lanes;
  const SomeLanes<T> rest(whole, width);
  const int before = kKernel - kLines - first;
  const bool ends = before == 0;
  const float* y = block.y + before * pitch;
  const T* x = static_cast<const T*>(block.x) + block.first * x_stride;
  T* grad = static_cast<T*>(block.grad_x) + block.first * grad_stride;
  const int64_t partial_stride = RoundUp(width, kMostDepthwiseLanes);
  float* partial = block.partial;
  Taps<kKernel, kLines, kX, kWeight> taps(block, first);
  const auto lines = [&](auto down) HWY_ATTR {
    constexpr int kDown = decltype(down)::value;
    for (int64_t v = 0; v < whole; v += lanes) {
      AddLines<kDown, kBegins>(y + v, pitch, x + v, x_stride, grad + v, grad_stride, partial + v,
                               partial_stride, AllLanes<T>(), ends, taps);
    }
    if (whole < width) {
      AddLines<kDown, kBegins>(y + whole, pitch, x + whole, x_stride, grad + whole, grad_stride,
                               partial + whole, partial_stride, rest, ends, taps);
    }
    y += kDown * pitch;
    x += kDown * x_stride;
    grad += kDown * grad_stride;
    partial += kDown * partial_stride;
  };
  int64_t left = block.last - block.first;
  for (; left >= 2; left -= 2) lines(std::integral_constant<int, 2>());
  if (left > 0) lines(std::integral_constant<int, 1>());
  taps.Save();
}

template <int kKernel, bool kX, bool kWeight, typename T>
void WithoutStride(const LineBlock& block) {
  if constexpr (kKernel < 7) {
    LinesOfWindow<true, kKernel, kKernel, kX, kWeight, T>(block);
  } else {
    // As many as the registers hold.
    LinesOfWindow<true, kKernel, 3, kX, kWeight, T>(block);
    static_assert(kKernel == 7);
    // The other two passes run the same code.
    for (const int first : {3, 5}) LinesOfWindow<false, kKernel, 2, kX, kWeight, T>(block, first);
  }
}

template <class D>
HWY_INLINE hn::Vec<D> OddLanes(D d, hn::Vec<D> low, hn::Vec<D> high) {
#if HWY_TARGET == HWY_SCALAR
  (void)d;
  (void)low;
  return high;
#else
  return hn::ConcatOdd(d, high, low);
#endif
}

// With strides of two: two vectors of a line of x, which is in phase kPhase. Its elements of both
// phases across stand side by side.
template <int kPhase, int kKernel, bool kX, bool kWeight, typename T, class Access>
HWY_INLINE void AddPairs(const float* y, int64_t pitch, const T* from, T* to, const Access& low,
                         const Access& high, Taps<kKernel, kKernel, kX, kWeight>& taps) {
  constexpr int kReach = (kKernel - 1) / 2;
  const Tag d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  hn::Vec<Tag> x[2] = {hn::Zero(d), hn::Zero(d)}, grad[2] = {x[0], x[0]};
  if constexpr (kWeight) {
    const auto first = low.Load(from), second = high.Load(from + lanes);
    x[0] = EvenLanes(d, first, second);
    x[1] = OddLanes(d, first, second);
  }
#pragma GCC unroll 4
  for (int q = 0; kPhase + 2 * q < kKernel; ++q) {
    const float* row = y + (kReach - q) * pitch;
    KeepInRegister(row);
#pragma GCC unroll 4
    for (int p = 0; p <= kReach; ++p) {
      auto values = hn::LoadU(d, row + kReach - p);
      KeepInRegister(values);
#pragma GCC unroll 2
      for (int phase = 0; phase < 2; ++phase) {
        const int h = kPhase + 2 * q, w = phase + 2 * p;
        if (w < kKernel) taps.Add(h, w, values, x[phase], grad[phase]);
      }
    }
  }
  if constexpr (kX) {
    HWY_ALIGN float pairs[2 * HWY_MAX_BYTES / sizeof(float)];
    hn::StoreInterleaved2(grad[0], grad[1], d, pairs);
    low.Store(hn::Load(d, pairs), to);
    high.Store(hn::Load(d, pairs + lanes), to + lanes);
  }
}

template <int kKernel, bool kX, bool kWeight, typename T>
void WithStrides(const LineBlock& block) {
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(Tag()));
  const Depthwise& plan = *block.plan;
  const int64_t pitch = plan.pitch, lead = plan.across.lead, width = plan.geometry.in[2];
  // The first and the last pair of vectors may reach beyond the line.
  const int64_t last = (plan.across.steps - 1) / lanes * lanes;
  const bool first_is_whole = lead == 0 && 2 * lanes <= width;
  const int64_t end = 2 * (last + lanes) - lead <= width ? last + lanes : last;
  const SomeLanes<T> first_low(-lead, width), first_high(lanes - lead, width);
  const SomeLanes<T> last_low(2 * last - lead, width);
  const SomeLanes<T> last_high(2 * last - lead + lanes, width);
  Taps<kKernel, kKernel, kX, kWeight> taps(block);
  const auto line = [&](auto phase, int64_t step) HWY_ATTR {
    constexpr int kPhase = decltype(phase)::value;
    const int64_t number = 2 * step + kPhase - plan.down.lead;
    if (number < 0 || number >= plan.geometry.in[1]) return;
    const float* const y = block.y + (step - block.first) * pitch;
    const T* const from = static_cast<const T*>(block.x) + number * block.x_stride - lead;
    T* const to = static_cast<T*>(block.grad_x) + number * block.grad_stride - lead;
    int64_t v = 0;
    if (!first_is_whole) {
      AddPairs<kPhase>(y, pitch, from, to, first_low, first_high, taps);
      v = lanes;
    }
    for (; v < end; v += lanes) {
      const AllLanes<T> whole;
      AddPairs<kPhase>(y + v, pitch, from + 2 * v, to + 2 * v, whole, whole, taps);
    }
    if (v == last) {
      AddPairs<kPhase>(y + v, pitch, from + 2 * v, to + 2 * v, last_low, last_high, taps);
    }
  };
  for (int64_t step = block.first; step < block.last; ++step) {
    line(std::integral_constant<int, 0>(), step);
    line(std::integral_constant<int, 1>(), step);
  }
  taps.Save();
}

BlockFunction FunctionOf(const Depthwise& plan, DType dtype) {
  return WithType(dtype, [&](auto element) {
    using T = decltype(element);
    return WithWindow(plan, [](auto kernel, auto stride, auto x, auto weight) -> BlockFunction {
      if constexpr (stride() == 2) {
        return WithStrides<kernel(), x(), weight(), T>;
      } else {
        return WithoutStride<kernel(), x(), weight(), T>;
      }
    });
  });
}

// What comes between lines; that of one line alone may be any number.
int64_t LineStride(const TensorView& view) { return view.shape[3] > 1 ? view.stride[3] : 0; }

// Lines of y for the steps [first, last).
Window LinesOf(const Depthwise& plan, int64_t first, int64_t last) {
  return {{1, 1, 1},
          {0, plan.down.first + first, plan.across.first},
          {1, last - first + plan.reach, plan.pitch}};
}

void DepthwiseLines(const Depthwise& plan, int64_t unit, const Triple<TensorView>& operands,
                    const Triple<TensorView>& gradients, double* all_sums, void* slot) {
  const TensorView &x = operands.x, &y = operands.y, &grad_x = gradients.x;
  const Geometry& g = plan.geometry;
  const Tag d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const int64_t taps = g.KernelSize();
  const DepthwiseBounds bounds(plan, unit);
  const int64_t first_channel = bounds.channels.first, channels = bounds.channels.Count();
  float* const packed[2] = {static_cast<float*>(slot), static_cast<float*>(slot) + plan.plane};
  float* const partial = packed[1] + plan.plane;
  float* const sums = partial + plan.partial;
  double* const totals = all_sums + bounds.first_sum;
  std::fill_n(sums, channels * taps * lanes, 0.0f);
  if (plan.gives_weight) std::fill_n(totals, channels * taps, 0.0);

  const TensorView& pixels = plan.gives_weight ? x : grad_x;
  const BlockFunction run = FunctionOf(plan, pixels.dtype);
  const int64_t bytes = static_cast<int64_t>(SizeOf(pixels.dtype));
  LineBlock block = {};
  block.plan = &plan;
  block.x_stride = LineStride(pixels);
  block.grad_stride = LineStride(plan.gives_x ? grad_x : pixels);
  block.partial = partial;

  // Loads of what was just stored wait for the stores: blocks are packed one ahead.
  struct BlockPlace {
    int64_t image = 0, channel = 0, first = 0;
    int buffer = 0;
  };
  const auto next_of = [&](BlockPlace place) {
    place.buffer ^= 1;
    place.first += plan.lines;
    if (place.first < plan.down.steps) return place;
    place.first = 0;
    if (++place.channel < channels) return place;
    place.channel = 0;
    ++place.image;
    return place;
  };
  const auto last_of = [&](const BlockPlace& place) {
    return std::min(place.first + plan.lines, plan.down.steps);
  };
  Window lines = LinesOf(plan, 0, plan.lines);
  Shown shown(lines, y);
  const auto zero_around = [&](float* to) HWY_ATTR {
    ZeroRun(to, 0, shown.inside[1].first * plan.pitch);
    // As far as the last vector of sums reads.
    ZeroRun(to, shown.inside[1].last * plan.pitch,
            lines.limit[1] * plan.pitch + kMostDepthwiseLanes);
  };
  // All planes that are one block leave the same zeros where they are.
  const bool whole = plan.lines == plan.down.steps;
  if (whole) std::for_each(packed, packed + 2, zero_around);
  const auto pack = [&](const BlockPlace& place) HWY_ATTR {
    float* const to = packed[place.buffer];
    if (!whole) {
      lines = LinesOf(plan, place.first, last_of(place));
      shown = Shown(lines, y);
      zero_around(to);
    }
    const int64_t from =
        place.image * y.stride[0] + (first_channel + place.channel) * y.stride[1] + shown.first;
    WithType(y.dtype, [&](auto element) HWY_ATTR {
      PackRows(y.As<decltype(element)>() + from, 1, shown.stride[1], shown.inside[1].Count(),
               shown.inside[2], plan.pitch, to + shown.inside[1].first * plan.pitch);
    });
  };
  BlockPlace place;
  place.image = bounds.images.first;
  pack(place);
  while (place.image < bounds.images.last) {
    const BlockPlace next = next_of(place);
    if (next.image < bounds.images.last) pack(next);
    const int64_t c = place.channel, channel = first_channel + c, image = place.image;
    block.y = packed[place.buffer];
    block.first = place.first;
    block.last = last_of(place);
    block.weights = operands.weight.As<float>() + channel * taps;
    block.sums = sums + c * taps * lanes;
    const auto at = [&](const TensorView& view) {
      return view.As<char>() + (image * view.stride[0] + channel * view.stride[1]) * bytes;
    };
    // What is not given is not looked at, but points to somewhere.
    block.x = at(pixels);
    block.grad_x = plan.gives_x ? at(grad_x) : at(pixels);
    run(block);
    place = next;
    if (!plan.gives_weight || !bounds.EndsSums(plan, image)) continue;
    for (int64_t k = 0; k < taps; ++k) {
      float* const sum = block.sums + k * lanes;
      totals[c * taps + k] += static_cast<double>(hn::GetLane(hn::SumOfLanes(d, hn::Load(d, sum))));
      std::fill_n(sum, lanes, 0.0f);
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace convolution_backward
}  // namespace aclimb
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclimb::convolution_backward {

HWY_EXPORT(DepthwiseLines);

void DepthwiseLines(const Depthwise& plan, int64_t unit, const Triple<TensorView>& operands,
                    const Triple<TensorView>& gradients, double* all_sums, void* slot) {
  HWY_DYNAMIC_DISPATCH(DepthwiseLines)(plan, unit, operands, gradients, all_sums, slot);
}

}  // namespace aclimb::convolution_backward
#endif
