#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "aclimb/ops/convolution_backward/one_pass/grouped_unit.cc"
// Sums are arrays of vectors, which scalable vectors cannot be. Nothing is chosen for AVX-512.
#define HWY_DISABLED_TARGETS \
  (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV | HWY_AVX3 | HWY_AVX3_DL)
#include <hwy/foreach_target.h>
// foreach_target.h first: the -inl headers are included once per target.
#include <algorithm>
#include <type_traits>
#include <utility>

#include "aclimb/ops/convolution_backward/one_pass/elements-inl.h"
#include "aclimb/ops/convolution_backward/one_pass/grouped_unit.h"
#include "aclimb/ops/convolution_backward/pack-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclimb {
namespace convolution_backward {
namespace HWY_NAMESPACE {
namespace {

// A packed element: kC channels of kGroups groups.
template <int kC, int kGroups>
struct Element {
  static constexpr int kChannels = kC, kOutputs = kC / kGroups;
  static constexpr bool kOneGroup = kGroups == 1;
};
using Eight = Element<8, 1>;
using Sixteen = Element<16, 1>;
using TwoFours = Element<8, 2>;

// In vectors.
template <class E>
using Tag = hn::CappedTag<float, E::kChannels>;
template <class E>
using Vector = hn::Vec<Tag<E>>;
template <class E>
constexpr int kLanes = static_cast<int>(hn::MaxLanes(Tag<E>()));
template <class E>
constexpr int kVectors = E::kChannels / kLanes<E>;

// What output channel co of an element of y brings to vector v: every group has its own.
template <class E, typename Channel>
HWY_INLINE Vector<E> ValueOf(const float* y, Channel co, int v) {
  const Tag<E> d;
  if constexpr (E::kOneGroup) {
    return hn::Set(d, y[co]);
  } else if constexpr (kVectors<E> == 1) {
    // Groups of four are what vectors shuffle within.
    return hn::Broadcast<Channel::value>(hn::Load(d, y));
  } else {
    return hn::Set(d, y[v * kLanes<E> / 4 * 4 + co]);
  }
}

// Calls body(i) for constants i.
template <int... kI, class Body>
HWY_INLINE void EachConstant(std::integer_sequence<int, kI...>, const Body& body) {
  (body(std::integral_constant<int, kI>()), ...);
}
template <int kCount>
using Count = std::make_integer_sequence<int, kCount>;

constexpr int kMostSums = 12;  // of vectors, that the registers hold beside operands

// What taps side by side bring to elements of a line of x.
struct Taps {
  const float* y;        // that the last of them brings to the first element
  const float* weights;  // of the first, for the first output channel; then come the next taps'
};

// All taps of a line of x.
struct LineOfX {
  const Taps* taps;
  int64_t count;
  int64_t outputs;      // output channels
  int64_t weight_step;  // between their weights
  float* out;
  int64_t out_step;  // between elements
};

// out[p] = sum of weights times what kTaps taps bring to p, for kPixels elements from `first` on,
// which follow each other in y. An element of y that is loaded serves all taps.
template <class E, int kTaps, int kPixels>
HWY_NOINLINE void SumTaps(const LineOfX& line, int64_t first) {
  const Tag<E> d;
  constexpr int kC = E::kChannels, kV = kVectors<E>;
  Vector<E> sum[kPixels][kV];
#pragma GCC unroll 32
  for (int p = 0; p < kPixels * kV; ++p) sum[p / kV][p % kV] = hn::Zero(d);
  for (int64_t i = 0; i < line.count; ++i) {
    const float* const y = line.taps[i].y + first * kC;
    const float* weights = line.taps[i].weights;
    const auto add = [&](auto co) HWY_ATTR {
      Vector<E> weight[kTaps][kV];
#pragma GCC unroll 16
      for (int k = 0; k < kTaps; ++k) {
#pragma GCC unroll 16
        for (int v = 0; v < kV; ++v) weight[k][v] = hn::Load(d, weights + k * kC + v * kLanes<E>);
      }
#pragma GCC unroll 32
      for (int q = 0; q < kPixels + kTaps - 1; ++q) {
#pragma GCC unroll 16
        for (int v = 0; v < kV; ++v) {
          const Vector<E> value = ValueOf<E>(y + q * kC, co, v);
#pragma GCC unroll 16
          for (int k = 0; k < kTaps; ++k) {
            const int p = q + k - (kTaps - 1);
            if (p < 0 || p >= kPixels) continue;
            sum[p][v] = hn::MulAdd(weight[k][v], value, sum[p][v]);
          }
        }
      }
      weights += line.weight_step;
    };
    if constexpr (E::kOneGroup) {
#pragma GCC unroll 1
      for (int64_t co = 0; co < line.outputs; ++co) add(co);
    } else {
      EachConstant(Count<E::kOutputs>(), add);
    }
  }
  float* const out = line.out + first * line.out_step;
#pragma GCC unroll 32
  for (int p = 0; p < kPixels; ++p) {
#pragma GCC unroll 16
    for (int v = 0; v < kV; ++v) hn::Store(sum[p][v], d, out + p * line.out_step + v * kLanes<E>);
  }
}

// Taps that share what is loaded, where the registers hold their weights.
template <class E>
constexpr int kTapsTogether = kVectors<E> == 1 ? 3 : 1;
// Elements of a line that are summed at once.
template <class E>
constexpr int kMostPixels = std::max(1, kMostSums / kVectors<E>);

using SumFunction = void (*)(const LineOfX&, int64_t);
template <class E, int kTaps, typename Pixels>
struct SumFunctions;
template <class E, int kTaps, int... kPixels>
struct SumFunctions<E, kTaps, std::integer_sequence<int, kPixels...>> {
  static constexpr SumFunction kOf[] = {SumTaps<E, kTaps, kPixels + 1>...};
};
// The function for so many elements, less one.
template <class E, int kTaps>
using Sums = SumFunctions<E, kTaps, Count<kMostPixels<E>>>;

// A line of the band, of y and of the x that a line of the window meets there.
struct Lines {
  const float* y;
  const float* x;
};

// Lines of a band, and the taps of a line of the window that meets them.
struct Band {
  Lines lines[kMostGroupedLines];
  int64_t count;
  int64_t width;    // of lines of y
  int64_t x_step;   // in x, for an element of y
  int64_t gap;      // in x, between taps
  int64_t outputs;  // output channels
  double* sums;     // [outputs][.. taps ..][x channels]
  int64_t sum_step;
};

// sums[co][k] += x[o * x_step + k * gap] * y[o][co] over all elements o of the lines, for kTaps
// taps from the k-th on and kOut output channels from co on.
template <class E, int kTaps, int kOut>
HWY_NOINLINE void SumLines(const Band& band, int64_t first_tap, int64_t first_output) {
  const Tag<E> d;
  constexpr int kC = E::kChannels, kV = kVectors<E>;
  const int64_t gap = band.gap, x_step = band.x_step, width = band.width;
  Vector<E> sum[kOut][kTaps][kV];
#pragma GCC unroll 64
  for (int i = 0; i < kOut * kTaps * kV; ++i) {
    sum[i / kV / kTaps][i / kV % kTaps][i % kV] = hn::Zero(d);
  }
  for (int64_t l = 0; l < band.count; ++l) {
    const float* y = band.lines[l].y + first_output;
    const float* x = band.lines[l].x + first_tap * gap;
    for (int64_t o = 0; o < width; ++o) {
      Vector<E> value[kTaps][kV];
#pragma GCC unroll 8
      for (int k = 0; k < kTaps; ++k) {
#pragma GCC unroll 16
        for (int v = 0; v < kV; ++v) value[k][v] = hn::Load(d, x + k * gap + v * kLanes<E>);
      }
      EachConstant(Count<kOut>(), [&](auto co) HWY_ATTR {
#pragma GCC unroll 16
        for (int v = 0; v < kV; ++v) {
          const Vector<E> grad = ValueOf<E>(y, co, v);
#pragma GCC unroll 8
          for (int k = 0; k < kTaps; ++k) {
            sum[co][k][v] = hn::MulAdd(grad, value[k][v], sum[co][k][v]);
          }
        }
      });
      y += kC;
      x += x_step;
    }
  }
  HWY_ALIGN float block[kOut * kTaps * kC];
#pragma GCC unroll 64
  for (int i = 0; i < kOut * kTaps * kV; ++i) {
    hn::Store(sum[i / kV / kTaps][i / kV % kTaps][i % kV], d, block + i * kLanes<E>);
  }
  const hn::CappedTag<double, E::kChannels> wide;
  const hn::Rebind<float, decltype(wide)> narrow;
  double* to = band.sums + first_output * band.sum_step + first_tap * kC;
  for (int co = 0; co < kOut; ++co, to += band.sum_step) {
    const float* const from = block + co * kTaps * kC;
    for (size_t i = 0; i < kTaps * kC; i += hn::Lanes(wide)) {
      const auto more = hn::PromoteTo(wide, hn::Load(narrow, from + i));
      hn::Store(hn::Add(hn::Load(wide, to + i), more), wide, to + i);
    }
  }
}

// As many output channels at once as the registers hold sums, in parts of about one size.
template <class E, int kTaps>
struct Outputs {
  static constexpr int kAll = E::kOutputs, kMost = std::max(1, kMostSums / kTaps / kVectors<E>);
  static constexpr int kParts = CeilDivide(kAll, kMost);
  static constexpr int kSize = kAll / kParts, kLonger = kAll % kParts;  // parts of one more
  static_assert(E::kOneGroup || kVectors<E> > 1 || kParts == 1, "a part would begin in a vector");
};

// Calls of SumLines, about, for the lines of a band that meet a line of the window.
template <class E>
int64_t CallsOf(int64_t taps) {
  return CeilDivide(taps, kTapsTogether<E>) * Outputs<E, kTapsTogether<E>>::kParts;
}

// Sums for all taps and output channels.
template <class E>
HWY_INLINE void SumAllLines(const Band& band, int64_t taps, Ahead& ahead) {
  const auto add = [&](auto some, int64_t k) HWY_ATTR {
    constexpr int kTaps = decltype(some)::value;
    using Parts = Outputs<E, kTaps>;
    int64_t first = 0;
    if constexpr (Parts::kLonger > 0) {
      constexpr int kSize = Parts::kSize + 1;
      for (int i = 0; i < Parts::kLonger && first < band.outputs; ++i, first += kSize) {
        ahead.Ask();
        SumLines<E, kTaps, kSize>(band, k, first);
      }
    }
    for (; first < band.outputs; first += Parts::kSize) {
      ahead.Ask();
      SumLines<E, kTaps, Parts::kSize>(band, k, first);
    }
  };
  using std::integral_constant;
  int64_t some = 1;
  for (int64_t k = 0; k < taps; k += some) {
    if constexpr (kTapsTogether<E> == 3) {
      // A few sums at a time leave the arithmetic waiting: four taps are two and two.
      const int64_t left = taps - k;
      some = left == 4 ? 2 : std::min<int64_t>(left, 3);
      if (some == 3) add(integral_constant<int, 3>(), k);
      if (some == 2) add(integral_constant<int, 2>(), k);
    }
    if (some == 1) add(integral_constant<int, 1>(), k);
  }
}

struct Scratch {
  double* sums;    // [output channels of an element][taps][its channels]
  float* weights;  // the same
  float* y;        // at line 0, column 0
  float* x;        // or its gradient, in the same place
  void* stage;
};

// The gradient of one plane of x. Elements of a line that are one stride apart meet the same taps.
template <class E>
void GradX(const Grouped& plan, const Scratch& scratch, Ahead& ahead) {
  constexpr int kC = E::kChannels;
  const Geometry& g = plan.geometry;
  const int64_t width = g.in[2], stride = g.stride[2];
  constexpr int kTogether = kTapsTogether<E>;
  ahead.Begin(g.in[1] * CeilDivide(width, int64_t{kMostPixels<E>}));
  const bool together = stride == 1 && g.dilation[2] == 1 && g.kernel[2] == kTogether;
  const SumFunction* const sums = together ? Sums<E, kTogether>::kOf : Sums<E, 1>::kOf;
  for (int64_t r = 0; r < std::min(stride, width); ++r) {
    Taps of_line[kMostGroupedTaps];  // of lines at scratch.y and scratch.weights
    int64_t taps_of_line = 0;
    for (int64_t k = together ? kTogether - 1 : 0; k < g.kernel[2]; ++k) {
      const int64_t column = r + g.pad_begin[2] - k * g.dilation[2];
      if (column % stride != 0) continue;
      const float* const weights = scratch.weights + (together ? 0 : k * kC);
      of_line[taps_of_line++] = {scratch.y + column / stride * kC, weights};
    }
    // In parts of about one size: short ones leave the arithmetic waiting.
    const int64_t elements = CeilDivide(width - r, stride);
    const int64_t parts = CeilDivide(elements, int64_t{kMostPixels<E>});
    const int64_t size = elements / parts, longer = elements % parts;
    for (int64_t h = 0; h < g.in[1]; ++h) {
      Taps taps[kMostGroupedTaps];
      int64_t count = 0;
      for (int64_t k = 0; k < g.kernel[1]; ++k) {
        const int64_t line = h + g.pad_begin[1] - k * g.dilation[1], y_line = line / g.stride[1];
        if (line < 0 || y_line * g.stride[1] != line || y_line >= g.out[1]) continue;
        const int64_t y = y_line * plan.y_pitch * kC, weights = k * g.kernel[2] * kC;
        for (int64_t i = 0; i < taps_of_line; ++i) {
          taps[count++] = {of_line[i].y + y, of_line[i].weights + weights};
        }
      }
      const LineOfX line = {taps,
                            count,
                            g.y_channels,
                            g.KernelSize() * kC,
                            scratch.x + (h * plan.x_pitch + r) * kC,
                            stride * kC};
      int64_t first = 0;
      for (int64_t part = 0; part < parts; ++part) {
        const int64_t elements_of_part = size + (part < longer);
        ahead.Ask();
        sums[elements_of_part - 1](line, first);
        first += elements_of_part;
      }
    }
  }
}

// Adds to the gradient of the weight what one image brings.
template <class E>
void GradWeight(const Grouped& plan, const Scratch& scratch, Ahead& ahead) {
  constexpr int kC = E::kChannels;
  constexpr int64_t kMostColumns = 512;  // of one sum, in float32
  const Geometry& g = plan.geometry;
  ahead.Begin(CeilDivide(g.out[1], plan.band) * CeilDivide(g.out[2], kMostColumns) * g.kernel[1] *
              CallsOf<E>(g.kernel[2]));
  Band band;
  band.x_step = g.stride[2] * kC;
  band.gap = g.kernel[2] > 1 ? g.dilation[2] * kC : 0;
  band.outputs = g.y_channels;
  band.sum_step = g.KernelSize() * kC;
  const float* const x = scratch.x - g.pad_begin[2] * kC;  // that the first tap meets
  for (int64_t first = 0; first < g.out[1]; first += plan.band) {
    const int64_t last = std::min(first + plan.band, g.out[1]);
    for (int64_t column = 0; column < g.out[2]; column += kMostColumns) {
      band.width = std::min(kMostColumns, g.out[2] - column);
      for (int64_t k = 0; k < g.kernel[1]; ++k) {
        band.count = 0;
        for (int64_t o = first; o < last; ++o) {
          const int64_t line = o * g.stride[1] - g.pad_begin[1] + k * g.dilation[1];
          if (line < 0 || line >= g.in[1]) continue;
          band.lines[band.count++] = {scratch.y + (o * plan.y_pitch + column) * kC,
                                      x + line * plan.x_pitch * kC + column * band.x_step};
        }
        if (band.count == 0) continue;
        band.sums = scratch.sums + k * g.kernel[2] * kC;
        SumAllLines<E>(band, g.kernel[2], ahead);
      }
    }
  }
}

Ahead::Stretches PlanesOf(const TensorView& view, const Channels& of) {
  Window whole;
  for (int d = 0; d < kDims; ++d) {
    whole.step[d] = 1;
    whole.start[d] = 0;
    whole.limit[d] = view.shape[2 + d];
  }
  return StretchesOf(whole, view, of.image, 1, of.first, of.count);
}

// The groups of a part.
struct GroupsOfPart {
  int64_t first, count;

  GroupsOfPart(const Grouped& plan, int64_t part)
      : first(part * plan.together), count(std::min(plan.together, plan.geometry.groups - first)) {}

  // An output channel's window in one of them.
  Channels WindowOf(const Geometry& g, int64_t group, int64_t output) const {
    return {(first + group) * g.y_channels + output, 0, g.x_channels};
  }
};

// The windows of some groups side by side.
void PackWeights(const Grouped& plan, const TensorView& weight, const GroupsOfPart& groups,
                 const Scratch& scratch) {
  const Geometry& g = plan.geometry;
  const Elements packed = {plan.channels, g.kernel[2]};
  HWY_ALIGN float window[kMostGroupedTaps * 8];
  for (int64_t group = 0; group < groups.count; ++group) {
    for (int64_t co = 0; co < g.y_channels; ++co) {
      const Channels all = groups.WindowOf(g, group, co);
      float* const to = scratch.weights + co * plan.WindowSize();
      if (group == 0) {
        Pack(weight, all, packed, scratch.stage, to);
        continue;
      }
      Pack(weight, all, packed, scratch.stage, window);
      for (int64_t at = 0; at < plan.WindowSize(); at += plan.channels) {
        std::copy_n(window + at, g.x_channels, to + at + group * g.x_channels);
      }
    }
  }
}

}  // namespace

void GroupedUnit(const Grouped& plan, int64_t unit, const TensorView& x, const TensorView& y,
                 const TensorView& weight, const TensorView& grad_x, double* sums, void* slot) {
  const Geometry& g = plan.geometry;
  const int64_t all = plan.channels;
  const GroupsOfPart groups(plan, unit / plan.chunks);
  const int64_t first_image = unit % plan.chunks * plan.images;
  const int64_t last_image = std::min(first_image + plan.images, g.batch);
  float* const weights = static_cast<float*>(slot);
  float* const y_planes = weights + plan.PackedWeights();
  float* const x_planes = y_planes + plan.YSize();
  const Scratch scratch = {sums, weights, y_planes + plan.y_left * all,
                           x_planes + g.pad_begin[2] * all, x_planes + plan.XSize()};
  const Elements y_lines = {all, plan.y_pitch}, x_lines = {all, plan.x_pitch};
  // The columns beside the planes.
  std::fill(y_planes, x_planes + plan.XSize(), 0.0f);
  if (plan.gives_x) PackWeights(plan, weight, groups, scratch);
  if (plan.gives_weight) std::fill_n(sums, plan.PackedWeights(), 0.0);

  Ahead ahead;
  const auto with_element = [&](const auto& body) HWY_ATTR {
    if (plan.together == 2) return body(TwoFours());
    all == 8 ? body(Eight()) : body(Sixteen());
  };
  for (int64_t image = first_image; image < last_image; ++image) {
    const auto channels_at = [&](int64_t of_image, int64_t of_group) {
      return Channels{of_image, groups.first * of_group, groups.count * of_group};
    };
    const Channels of_x = channels_at(image, g.x_channels);
    Pack(y, channels_at(image, g.y_channels), y_lines, scratch.stage, scratch.y);
    if (plan.gives_x) {
      ahead.Clear();
      if (plan.gives_weight) ahead.Want(PlanesOf(x, of_x));
      ahead.Want(PlanesOf(grad_x, of_x));
      with_element([&](auto of) HWY_ATTR { GradX<decltype(of)>(plan, scratch, ahead); });
      Unpack(scratch.x, x_lines, scratch.stage, grad_x, of_x);
    }
    if (plan.gives_weight) {
      Pack(x, of_x, x_lines, scratch.stage, scratch.x);
      ahead.Clear();
      if (image + 1 < last_image) ahead.Want(PlanesOf(y, channels_at(image + 1, g.y_channels)));
      with_element([&](auto of) HWY_ATTR { GradWeight<decltype(of)>(plan, scratch, ahead); });
    }
  }
}

void StoreGroupedWeights(const Grouped& plan, int64_t part, const double* sums,
                         const TensorView& grad_weight, void* slot) {
  const Geometry& g = plan.geometry;
  const int64_t size = plan.WindowSize();
  const GroupsOfPart groups(plan, part);
  float* const window = static_cast<float*>(slot);
  for (int64_t group = 0; group < groups.count; ++group) {
    const int64_t lane = group * g.x_channels;
    for (int64_t co = 0; co < g.y_channels; ++co) {
      // The lanes from the group's first on, to the front.
      const double* const from = sums + co * size + lane;
      for (int64_t i = 0; i < size - lane; ++i) window[i] = static_cast<float>(from[i]);
      Unpack(window, {plan.channels, g.kernel[2]}, window + size, grad_weight,
             groups.WindowOf(g, group, co));
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace convolution_backward
}  // namespace aclimb
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclimb::convolution_backward {

HWY_EXPORT(GroupedUnit);
HWY_EXPORT(StoreGroupedWeights);

void GroupedUnit(const Grouped& plan, int64_t unit, const TensorView& x, const TensorView& y,
                 const TensorView& weight, const TensorView& grad_x, double* sums, void* slot) {
  HWY_DYNAMIC_DISPATCH(GroupedUnit)(plan, unit, x, y, weight, grad_x, sums, slot);
}

void StoreGroupedWeights(const Grouped& plan, int64_t part, const double* sums,
                         const TensorView& grad_weight, void* slot) {
  HWY_DYNAMIC_DISPATCH(StoreGroupedWeights)(plan, part, sums, grad_weight, slot);
}

}  // namespace aclimb::convolution_backward
#endif
