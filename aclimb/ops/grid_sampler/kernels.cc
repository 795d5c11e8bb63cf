#include "aclimb/ops/grid_sampler/kernels.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "aclimb/core/divide.h"
#include "aclimb/simd/parallel.h"

// Targets whose vectors have no constant size cannot keep them in arrays.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "aclimb/ops/grid_sampler/kernels.cc"
#include <hwy/foreach_target.h>
// foreach_target.h first: the -inl headers are included once per target.
#include "aclimb/ops/grid_sampler/pair_gradients-inl.h"
#include "aclimb/ops/grid_sampler/pairs-inl.h"
#include "aclimb/ops/grid_sampler/planes-inl.h"
#include "aclimb/ops/grid_sampler/products-inl.h"
#include "aclimb/ops/grid_sampler/taps-inl.h"
#include "aclimb/simd/float-inl.h"
#include "aclimb/simd/transpose-inl.h"
#include "aclimb/simd/weighted-inl.h"

#ifndef ACLIMB_GRID_SAMPLER_KERNELS_ONCE
#define ACLIMB_GRID_SAMPLER_KERNELS_ONCE
namespace aclimb::grid_sampler {

// From so many on, vectors of places are worth it for more channels than kQuad.
inline constexpr int64_t kManyPlaces = 32;
// Planes that are sampled one after the other at the same places.
inline constexpr int64_t kPlanes = 16;

struct Kernels {
  bool (*sample)(const Args& args);
  bool (*input_gradient)(const Args& args);
  bool (*grid_gradient)(const Args& args);
  int64_t few_channels;  // that are sooner taken from planes
};

}  // namespace aclimb::grid_sampler
#endif

HWY_BEFORE_NAMESPACE();
namespace aclimb::grid_sampler {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using namespace aclimb::HWY_NAMESPACE;  // NOLINT: Transpose, AddWeighted

template <typename T>
void StoreRounded(const double* from, int64_t count, T* to) {
  const hn::ScalableTag<double> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) StoreAs(d, hn::LoadU(d, from + i), false, to + i);
  for (; i < count; ++i) to[i] = static_cast<T>(from[i]);
}

// to[c * to_step + r] = from[r * step + c]
template <typename T>
void Turn(const T* from, int64_t step, int64_t rows, int64_t columns, T* to, int64_t to_step) {
  if constexpr (sizeof(T) == sizeof(float)) {
    Transpose(from, step, rows, columns, to, to_step);
  } else {
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t c = 0; c < columns; ++c) to[c * to_step + r] = from[r * step + c];
    }
  }
}

// Some channels of images, [first, first + count) of image n; places are elements too.
template <typename T>
struct Channels {
  Channels(const Images& of, int64_t image_size, int64_t all, int64_t n, int64_t first_channel,
           int64_t channel_count)
      : last(of.channels_last),
        size(image_size),
        step(last ? all : 1),
        count(channel_count),
        data(static_cast<T*>(of.data) + n * all * size + first_channel * (last ? 1 : size)) {}

  // Elements [begin, begin + n) with the channels last, step `row` apart: in place, or in scratch.
  const T* Load(int64_t begin, int64_t n, T* scratch, int64_t* row) const {
    *row = last ? step : count;
    if (last) return data + begin * step;
    Turn(data + begin, size, count, n, scratch, count);
    return scratch;
  }
  // Where to make them, and then to put them.
  T* Place(int64_t begin, T* scratch, int64_t* row) const {
    *row = last ? step : count;
    return last ? data + begin * step : scratch;
  }
  void Store(int64_t begin, int64_t n, const T* made) const {
    if (!last) Turn(made, count, n, count, data + begin, size);
  }

  bool last;
  int64_t size, step, count;
  T* data;
};

// Calls body(image, first place, how many, scratch) for the tiles of all grids.
template <typename T, class Body>
bool EachTile(const Args& args, const Body& body) {
  const int64_t places = args.Places(), tiles = CeilDivide(places, kTile);
  const int64_t grain = std::max<int64_t>(1, (1 << 15) / (kTile * (args.channels + 1)));
  return ForEachUnit(args.batch * tiles, grain, args.scratch, [&](int64_t unit, char* scratch) {
    const int64_t first = unit % tiles * kTile;
    body(unit / tiles, first, std::min(kTile, places - first), reinterpret_cast<T*>(scratch));
  });
}

// Vectors of places take their elements from planes.
template <class Table>
bool SamplePlanes(const Args& args) {
  using D = hn::CappedTag<float, kTile>;
  constexpr int64_t lanes = hn::MaxLanes(D());
  const int64_t elements = args.Elements(), places = args.Places(), channels = args.channels;
  const int64_t plane = args.input.channels_last ? 1 : elements;
  const int64_t block = std::min(channels, kPlanes), blocks = CeilDivide(channels, block);
  const int64_t tile = std::min(places, Table(args).Capacity()), tiles = CeilDivide(places, tile);
  const int64_t grain = std::max<int64_t>(1, (1 << 15) / (tile * (block + 1)));
  return ForEachUnit(args.batch * blocks * tiles, grain, {}, [&](int64_t unit, char*) {
    // All tiles of a block of planes, which then are in a cache, follow each other.
    const int64_t first = unit % tiles * tile, count = std::min(tile, places - first);
    const int64_t n = unit / tiles / blocks, channel = unit / tiles % blocks * block;
    const auto* const image = static_cast<const float*>(args.input.data) + n * channels * elements;
    auto* const made = static_cast<float*>(args.result.data) + n * channels * places + first;
    Table table(args);
    table.Fill(n * places + first, count);
    for (int64_t c = channel; c < std::min(channels, channel + block); ++c) {
      float* const to = made + c * places;
      for (int64_t p = 0; p < count; p += lanes) {
        const auto sum = table.Sum(image + c * plane, p);
        if (p + lanes <= count) {
          hn::StoreU(sum, D(), to + p);
        } else {
          StoreFirst(D(), sum, to + p, count - p);
        }
      }
    }
  });
}

template <typename T>
bool SampleTyped(const Args& args) {
  const int64_t channels = args.channels, elements = args.Elements(), places = args.Places();
  if constexpr (sizeof(T) == sizeof(float)) {
    if (TakesPlanes(args)) {
      if (args.Step() > 1 || !TakesPairs(args)) return SamplePlanes<PlaneTable>(args);
      return args.axes == kAxes ? SamplePlanes<PairTable<true>>(args)
                                : SamplePlanes<PairTable<false>>(args);
    }
  }
  return EachTile<T>(args, [&](int64_t n, int64_t first, int64_t count, T* scratch) {
    const Channels<T> input(args.input, elements, channels, n, 0, channels);
    const Channels<T> result(args.result, places, channels, n, 0, channels);
    int64_t row;
    T* const made = result.Place(first, scratch, &row);
    const TileTaps<T> taps(args, n * places + first, count);
    for (int64_t i = 0; i < count; ++i) {
      const Terms<T> terms(taps, i);
      T* const to = made + i * row;
      if (input.last) {
        const auto each = [&](const auto& use) HWY_ATTR {
          for (int k = 0; k < terms.count; ++k) {
            use(input.data + terms.element[k] * channels, terms.weight[k]);
          }
        };
        AddWeighted(hn::ScalableTag<T>(), each, channels, false, to);
        continue;
      }
      for (int64_t c = 0; c < channels; ++c) {
        const T* const plane = input.data + c * elements;
        T sum = 0;
        for (int k = 0; k < terms.count; ++k) sum += terms.weight[k] * plane[terms.element[k]];
        to[c] = sum;
      }
    }
    SetWithoutCurve(taps, count, channels, made, row);
    result.Store(first, count, made);
  });
}

// Adds what a plane gets from `count` places of a gradient, `step` apart. What has no element goes
// to kSpare sums behind those of the plane, in turn: an addition to one sum waits for the last one.
void AddToPlane(const TileTaps<float>& taps, const float* gradient, int64_t step, int64_t count,
                int64_t elements, double* sums) {
  Product product;
  double terms[kTile];
  const auto spare = static_cast<int32_t>(elements);
  EachProduct(taps, [&](int i, int j, int k) HWY_ATTR {
    product.Fill(taps, i, j, k, count);
    for (int64_t p = 0; p < count; ++p) {
      product.element[p] += (spare + static_cast<int32_t>(p % kSpare)) & ~product.kept[p];
      const auto of_kept = std::bit_cast<int32_t>(gradient[p * step]) & product.kept[p];
      terms[p] = static_cast<double>(product.weight[p]) *
                 static_cast<double>(std::bit_cast<float>(of_kept));
    }
    for (int64_t p = 0; p < count; ++p) sums[product.element[p]] += terms[p];
  });
}

// The sum of a[c] * b[c].
template <typename T>
HWY_INLINE double Dot(const T* a, const T* b, int64_t count) {
  const hn::ScalableTag<double> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  auto sum = hn::Zero(d), other = sum;
  int64_t c = 0;
  for (; c + 2 * lanes <= count; c += 2 * lanes) {
    sum = hn::MulAdd(LoadAs(d, a + c), LoadAs(d, b + c), sum);
    other = hn::MulAdd(LoadAs(d, a + c + lanes), LoadAs(d, b + c + lanes), other);
  }
  double rest = 0;
  for (; c < count; ++c) rest += static_cast<double>(a[c]) * static_cast<double>(b[c]);
  return hn::GetLane(hn::SumOfLanes(d, hn::Add(sum, other))) + rest;
}

// sums[axis][i] += the gradient with the place i, whose own gradient is at from[i * row].
template <typename T>
void AddSlopes(const TileTaps<T>& taps, const Channels<T>& input, const T* from, int64_t row,
               int64_t count, double (*sums)[kTile]) {
  for (int64_t i = 0; i < count; ++i) {
    const Terms<T, true> terms(taps, i);
    const T* const g = from + i * row;
    double of_place[kAxes] = {};
    for (int k = 0; k < terms.count; ++k) {
      double dot = 0;
      if (input.last) {
        dot = Dot(g, input.data + terms.element[k] * input.step, input.count);
      } else {
        const T* element = input.data + terms.element[k];
        for (int64_t c = 0; c < input.count; ++c, element += input.size) {
          dot += static_cast<double>(g[c]) * static_cast<double>(*element);
        }
      }
      for (int d = 0; d < kAxes; ++d) of_place[d] += dot * terms.slope[d][k];
    }
    for (int d = 0; d < kAxes; ++d) sums[d][i] += of_place[d];
  }
}
// What AddSlopes() adds for planes, in vectors of places. Their own gradients begin at `from`, for
// the next plane `next` further.
void AddSlopesOfPlanes(const TileTaps<float>& taps, const Channels<float>& input, const float* from,
                       int64_t next, int64_t count, double (*sums)[kTile]) {
  const hn::CappedTag<double, kTile> d;
  const hn::RebindToSigned<decltype(d)> di;
  const hn::Rebind<int32_t, decltype(d)> di32;
  // Along the axis of layers, one has the weight 1.
  const int first = taps.count[0] == 1 ? 1 : 0;
  Product product;
  EachProduct(taps, [&](int i, int j, int k) HWY_ATTR {
    product.Fill(taps, i, j, k, count);
    const int tap[] = {i, j, k};
    float elements[kQuad][kTile];
    for (int64_t c = 0; c < input.count; ++c) {
      for (int64_t p = 0; p < count; p += static_cast<int64_t>(hn::Lanes(Product::D()))) {
        const auto of_plane = product.Elements(input.data + c * input.size, p);
        hn::StoreU(of_plane, Product::D(), elements[c] + p);
      }
    }
    for (int64_t p = 0; p < count; p += static_cast<int64_t>(hn::Lanes(d))) {
      auto term = hn::Zero(d);
      for (int64_t c = 0; c < input.count; ++c) {
        term = hn::MulAdd(LoadAs(d, from + c * next + p), LoadAs(d, elements[c] + p), term);
      }
      const auto kept = hn::BitCast(d, hn::PromoteTo(di, hn::LoadU(di32, product.kept + p)));
      for (int along = first; along < kAxes; ++along) {
        auto with = term;
        for (int axis = first; axis < kAxes; ++axis) {
          const auto& of = axis == along ? taps.taps[axis].slope : taps.taps[axis].weight;
          with = hn::Mul(with, LoadAs(d, of[tap[axis]] + p));
        }
        double* const sum = sums[along] + p;
        hn::StoreU(hn::Add(hn::LoadU(d, sum), hn::And(with, kept)), d, sum);
      }
    }
  });
}

// The gradient of a grid at `count` places of image n, of which those of the result are at
// from[i * row].
template <typename T>
void SetGridGradient(const Args& args, const TileTaps<T>& taps, int64_t n, int64_t first,
                     int64_t count, const T* from, int64_t row) {
  const int64_t channels = args.channels, elements = args.Elements();
  const Channels<T> input(args.input, elements, channels, n, 0, channels);
  double sums[kAxes][kTile] = {};
  const auto add_slopes = [&] {
    if constexpr (sizeof(T) == sizeof(float)) {
      const bool is_few = channels <= kQuad && !input.last && Product::Fits(elements);
      // A tile that is not whole vectors has room behind it in scratch only.
      if (is_few && channels == 1) return AddSlopesOfPlanes(taps, input, from, 0, count, sums);
      if (is_few && !args.gradient.channels_last && count == kTile) {
        const int64_t places = args.Places();
        const auto* const own = static_cast<const T*>(args.gradient.data) + n * channels * places;
        return AddSlopesOfPlanes(taps, input, own + first, places, count, sums);
      }
    }
    if (input.last) taps.Prefetch(input.data, channels, count);
    AddSlopes(taps, input, from, row, count, sums);
  };
  add_slopes();
  T* const made = static_cast<T*>(args.grid_gradient) + (n * args.Places() + first) * args.axes;
  for (int64_t i = 0; i < count; ++i) {
    for (int d = 0; d < args.axes; ++d) {
      made[i * args.axes + d] = static_cast<T>(sums[kAxes - 1 - d][i]);
    }
  }
  SetWithoutCurve(taps, count, args.axes, made, args.axes);
}

// Whether PairTile makes the gradient of the grid.
bool HasPairSlopes(const Args& args) {
  return args.channels <= kQuad && !args.input.channels_last && !args.gradient.channels_last &&
         TakesPairs(args);
}
template <bool kVolume>
void SetPairSlopes(const Args& args, const PairTile<kVolume>& tile, int64_t n, int64_t first) {
  const int64_t channels = args.channels, elements = args.Elements(), places = args.Places();
  const auto* const gradient =
      static_cast<const float*>(args.gradient.data) + n * channels * places;
  const auto* const input = static_cast<const float*>(args.input.data) + n * channels * elements;
  auto* const made = static_cast<float*>(args.grid_gradient) + (n * places + first) * args.axes;
  tile.SetSlopes(gradient + first, places, input, elements, channels, made);
}

template <typename T>
bool GridGradientTyped(const Args& args) {
  return EachTile<T>(args, [&](int64_t n, int64_t first, int64_t count, T* scratch) {
    if constexpr (sizeof(T) == sizeof(float)) {
      if (HasPairSlopes(args)) {
        const int64_t p = n * args.Places() + first;
        return args.axes == kAxes ? SetPairSlopes(args, PairTile<true>(args, p, count), n, first)
                                  : SetPairSlopes(args, PairTile<false>(args, p, count), n, first);
      }
    }
    const Channels<T> gradient(args.gradient, args.Places(), args.channels, n, 0, args.channels);
    int64_t row;
    const T* const from = gradient.Load(first, count, scratch, &row);
    const TileTaps<T> taps(args, n * args.Places() + first, count);
    SetGridGradient(args, taps, n, first, count, from, row);
  });
}

// Adds what elements get from a tile of places, whose own gradients are `row` apart, to their sums.
template <bool kVolume>
void AddPairs(const Args& args, int64_t n, int64_t first, int64_t count, const float* from,
              int64_t row, int64_t pitch, double* sums) {
  const PairTile<kVolume> tile(args, n * args.Places() + first, count);
  const int64_t elements = args.Elements();
  if (pitch == 1) {
    tile.template AddTo<1>(from, row, elements, sums);
  } else if (pitch == 2) {
    tile.template AddTo<2>(from, row, elements, sums);
  } else {
    tile.template AddTo<4>(from, row, elements, sums);
  }
  if (args.both_at_once) SetPairSlopes(args, tile, n, first);
}

template <typename T>
bool InputGradientTyped(const Args& args) {
  const int64_t elements = args.Elements(), places = args.Places();
  const int64_t blocks = CeilDivide(args.channels, args.block);
  return ForEachUnit(args.batch * blocks, 1, args.scratch, [&](int64_t unit, char* scratch) {
    const int64_t n = unit / blocks, first = unit % blocks * args.block;
    const int64_t count = std::min(args.block, args.channels - first);
    const Channels<T> gradient(args.gradient, places, args.channels, n, first, count);
    const Channels<T> to(args.input_gradient, elements, args.channels, n, first, count);
    auto* const sums = reinterpret_cast<double*>(scratch);
    T* const tile = reinterpret_cast<T*>(sums + (elements + kSpare) * args.block);
    // A vector is faster than three elements, and what is beyond them is not looked at. A tile has
    // room for it and numbers there, the tensor need not.
    const int64_t pitch = std::min(args.block, RoundUp(count, kQuad));
    const int64_t width = gradient.last ? count : pitch;
    std::fill_n(tile, kTile * pitch, T{0});
    std::fill_n(sums, (elements + kSpare) * pitch, 0.0);
    bool takes_pairs = false;
    if constexpr (sizeof(T) == sizeof(float)) {
      takes_pairs = pitch <= kQuad && width == pitch && TakesPairs(args) &&
                    (!args.both_at_once || HasPairSlopes(args));
    }
    int64_t row = 1;
    for (int64_t p = 0; p < places; p += kTile) {
      const int64_t length = std::min(kTile, places - p);
      const bool is_plane = takes_pairs && pitch == 1 && !gradient.last;
      const T* const from = is_plane ? gradient.data + p : gradient.Load(p, length, tile, &row);
      if constexpr (sizeof(T) == sizeof(float)) {
        if (takes_pairs) {
          const auto add = args.axes == kAxes ? &AddPairs<true> : &AddPairs<false>;
          add(args, n, p, length, from, row, pitch, sums);
          continue;
        }
      }
      const TileTaps<T> taps(args, n * places + p, length);
      const auto add_terms = [&] {
        if constexpr (sizeof(T) == sizeof(float)) {
          if (pitch == 1 && Product::Fits(elements)) {
            return AddToPlane(taps, from, row, length, elements, sums);
          }
        }
        taps.Prefetch(sums, pitch, length);
        for (int64_t i = 0; i < length; ++i) {
          const Terms<T> terms(taps, i);
          for (int k = 0; k < terms.count; ++k) {
            AddTimes(from + i * row, static_cast<double>(terms.weight[k]), width,
                     sums + terms.element[k] * pitch);
          }
        }
      };
      add_terms();
      if (args.both_at_once) SetGridGradient(args, taps, n, p, length, from, row);
    }
    for (int64_t e = 0; e < elements; e += kTile) {
      const int64_t length = std::min(kTile, elements - e);
      if (!to.last) {
        T* const made = pitch == 1 ? to.data + e : tile;
        StoreRounded(sums + e * pitch, length * pitch, made);
        if (pitch > 1) Turn(made, pitch, length, count, to.data + e, to.size);
        continue;
      }
      for (int64_t i = 0; i < length; ++i) {
        StoreRounded(sums + (e + i) * pitch, count, to.data + (e + i) * to.step);
      }
    }
  });
}

template <typename T>
constexpr Kernels kKernels = {&SampleTyped<T>, &InputGradientTyped<T>, &GridGradientTyped<T>,
                              ACLIMB_GATHERS_FAST ? 64 : 32};
Kernels KernelsOf(bool is_double) { return is_double ? kKernels<double> : kKernels<float>; }

}  // namespace HWY_NAMESPACE
}  // namespace aclimb::grid_sampler
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclimb::grid_sampler {

HWY_EXPORT(KernelsOf);

namespace {

Kernels KernelsInUse(DType dtype) {
  return HWY_DYNAMIC_DISPATCH(KernelsOf)(dtype == DType::kFloat64);
}

}  // namespace

bool Sample(const Args& args) { return KernelsInUse(args.dtype).sample(args); }
bool InputGradient(const Args& args) { return KernelsInUse(args.dtype).input_gradient(args); }
bool GridGradient(const Args& args) {
  // Nearest elements do not move with the place, whatever it is; nor do those of no channels.
  if (args.interpolation == kNearest || args.channels == 0) {
    const int64_t count = args.batch * args.Places() * args.axes;
    std::memset(args.grid_gradient, 0, static_cast<size_t>(count) * SizeOf(args.dtype));
    return true;
  }
  return KernelsInUse(args.dtype).grid_gradient(args);
}

bool TakesPlanes(const Args& args) {
  const int64_t step = args.Step();
  const bool is_worth = args.channels <= kQuad || args.Places() >= kManyPlaces;
  return args.dtype == DType::kFloat32 && is_worth && step <= kQuad && !args.result.channels_last &&
         FitsPlaneTable(args, step);
}

bool PrefersPlanes(const Args& args) {
  const bool is_few = args.channels <= KernelsInUse(args.dtype).few_channels;
  return TakesPlanes(args) && (args.interpolation == kNearest || is_few);
}

bool FitsPlaneTable(const Args& args, int64_t step) {
  const int64_t most = std::numeric_limits<int32_t>::max() / step - kSpare;
  return args.Elements() > 0 && args.Elements() <= most &&
         *std::max_element(args.in, args.in + kAxes) <= kLongestAxis;
}

bool TakesPairs(const Args& args) {
  return args.interpolation == kBilinear && args.in[kAxes - 1] > 1 && FitsPlaneTable(args, 1);
}

int64_t ScratchBytes(const Args& args, bool of_input) {
  const int64_t channels = of_input ? args.block : args.channels;
  const int64_t sums =
      of_input ? (args.Elements() + kSpare) * channels * int64_t{sizeof(double)} : 0;
  const int64_t tile = kTile * std::max(channels, kQuad) * static_cast<int64_t>(SizeOf(args.dtype));
  return RoundUp(sums + tile, int64_t{64});
}

}  // namespace aclimb::grid_sampler
#endif
