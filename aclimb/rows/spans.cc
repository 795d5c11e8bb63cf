#include "aclimb/rows/spans.h"

#include <algorithm>
#include <limits>
#include <type_traits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "aclimb/rows/spans.cc"
#include <hwy/foreach_target.h>
// foreach_target.h first: the rest is compiled once per instruction set.
#include "aclimb/simd/exp-inl.h"
#include "aclimb/simd/extremes-inl.h"
#include "aclimb/simd/float-inl.h"
#include "aclimb/simd/totals-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclimb::rows {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using namespace aclimb::HWY_NAMESPACE;  // NOLINT: the per-target toolbox

using F32 = hn::ScalableTag<float>;
using VF = hn::Vec<F32>;

// How the lanes from element `at` on are read: all of them, or those that are there.
struct Whole {
  int64_t at;
  template <typename T>
  HWY_INLINE VF operator()(const T* from) const {
    return LoadF32(F32(), from + at);
  }
};
struct Part {
  int64_t at;
  int64_t count;
  template <typename T>
  HWY_INLINE VF operator()(const T* from) const {
    return LoadFirst(F32(), from + at, count);
  }
  // Lanes beyond the end are those of `other`.
  HWY_INLINE VF Keep(VF value, VF other) const {
    return hn::IfThenElse(hn::FirstN(F32(), static_cast<size_t>(count)), value, other);
  }
};

// A parameter of either kind.
struct Flat {
  VF value;
  HWY_INLINE explicit Flat(const float* from) : value(hn::Set(F32(), *from)) {}
  template <class L>
  HWY_INLINE VF operator()(const L&) const {
    return value;
  }
};
struct Each {
  const float* from;
  HWY_INLINE explicit Each(const float* all) : from(all) {}
  template <class L>
  HWY_INLINE VF operator()(const L& load) const {
    return load(from);
  }
};

HWY_INLINE int64_t LaneCount() { return static_cast<int64_t>(hn::Lanes(F32())); }

// Two vectors of elements, as operands of T are read best: of bfloat16, the even and the odd ones.
template <typename T>
constexpr bool kPairs = (HWY_TARGET != HWY_SCALAR) && std::is_same_v<T, BFloat16>;
#if HWY_TARGET != HWY_SCALAR
template <bool kOdd>
struct Alternate {
  int64_t at;
  HWY_INLINE VF operator()(const BFloat16* from) const {
    VF even, odd;
    LoadPairs(F32(), from + at, even, odd);
    return kOdd ? odd : even;
  }
};
#endif
template <typename T>
HWY_INLINE auto First(int64_t at) {
#if HWY_TARGET != HWY_SCALAR
  if constexpr (kPairs<T>) return Alternate</*kOdd=*/false>{at};
#endif
  if constexpr (!kPairs<T>) return Whole{at};
}
template <typename T>
HWY_INLINE auto Second(int64_t at) {
#if HWY_TARGET != HWY_SCALAR
  if constexpr (kPairs<T>) return Alternate</*kOdd=*/true>{at};
#endif
  if constexpr (!kPairs<T>) return Whole{at + LaneCount()};
}

// out[i] = f(load), where load(p) reads p[i], for as many elements as make vectors; returns where
// the rest begins.
template <typename T, bool kStream, typename Out, class F>
HWY_INLINE int64_t MapVectors(int64_t n, Out* out, const F& f) {
  const F32 d;
  const int64_t lanes = LaneCount();
  int64_t i = 0;
#if HWY_TARGET != HWY_SCALAR
  if constexpr (kPairs<Out>) {
    for (; i + 2 * lanes <= n; i += 2 * lanes) {
      const VF first = f(First<T>(i)), second = f(Second<T>(i));
      if constexpr (kPairs<T>) {
        StorePairs<kStream, /*kShortNaNs=*/true>(d, first, second, out + i);
      } else {
        StoreTwo<kStream>(d, first, second, out + i);
      }
    }
  }
#endif
  for (; i + lanes <= n; i += lanes) {
    kStream ? StreamF32(d, f(Whole{i}), out + i) : StoreF32(d, f(Whole{i}), out + i);
  }
  return i;
}
// All elements. T: what f reads.
template <typename T = float, typename Out, class F>
HWY_INLINE void MapSpan(int64_t n, Out* out, const F& f, bool stream = false) {
  const int64_t i = stream ? MapVectors<T, true>(n, out, f) : MapVectors<T, false>(n, out, f);
  if (i < n) StoreFirst(F32(), f(Part{i, n - i}), out + i, n - i);
}

// The sum of term(load). kChains: vectors of sums, or an addition would wait for the one before it.
template <typename T = float, int kChains = 4, class Term>
HWY_INLINE double SumSpan(int64_t n, const Term& term) {
  // A lane adds so many terms in float32 at most.
  constexpr int64_t kTerms = 64;
  const F32 d;
  const int64_t lanes = LaneCount();
  const int64_t block = kTerms * lanes;
  HWY_ALIGN float sums[HWY_MAX_BYTES / sizeof(float)];
  HWY_ALIGN double totals[HWY_MAX_BYTES / sizeof(float)];
  for (int64_t begin = 0;; begin += block) {
    const int64_t end = std::min(n, begin + block);
    int64_t i = begin;
    VF chains[kChains];
    for (VF& chain : chains) chain = hn::Zero(d);
    for (; i + kChains * lanes <= end; i += kChains * lanes) {
      for (int k = 0; k < kChains; k += 2) {
        chains[k] = hn::Add(chains[k], term(First<T>(i + k * lanes)));
        chains[k + 1] = hn::Add(chains[k + 1], term(Second<T>(i + k * lanes)));
      }
    }
    for (; i + lanes <= end; i += lanes) chains[0] = hn::Add(chains[0], term(Whole{i}));
    if (i < end) {
      const Part part{i, end - i};
      chains[1] = hn::Add(chains[1], part.Keep(term(part), hn::Zero(d)));
    }
    for (int k = 2; k < kChains; ++k) chains[k % 2] = hn::Add(chains[k % 2], chains[k]);
    const VF all = hn::Add(chains[0], chains[1]);
    if (n <= block) return static_cast<double>(hn::GetLane(hn::SumOfLanes(d, all)));
    hn::Store(all, d, sums);
    AddToTotals(sums, lanes, begin == 0, totals);
    if (end == n) break;
  }
  double total = 0;
  for (int64_t k = 0; k < lanes; ++k) total += totals[k];
  return total;
}

// The sums of what terms(load, a, b) puts into a and b are added to sums[0] and sums[1].
template <class Terms>
HWY_INLINE void SumSpans(int64_t n, double* sums, const Terms& terms) {
  constexpr int64_t kTerms = 64;
  const F32 d;
  const int64_t lanes = LaneCount();
  const VF zero = hn::Zero(d);
  for (int64_t begin = 0; begin < n; begin += kTerms * lanes) {
    const int64_t end = std::min(n, begin + kTerms * lanes);
    int64_t i = begin;
    // Two of each, or an addition would wait for the one before it.
    VF sum_a = zero, sum_b = zero, odd_a = zero, odd_b = zero, a, b;
    for (; i + 2 * lanes <= end; i += 2 * lanes) {
      terms(Whole{i}, a, b);
      sum_a = hn::Add(sum_a, a);
      sum_b = hn::Add(sum_b, b);
      terms(Whole{i + lanes}, a, b);
      odd_a = hn::Add(odd_a, a);
      odd_b = hn::Add(odd_b, b);
    }
    if (i + lanes <= end) {
      terms(Whole{i}, a, b);
      sum_a = hn::Add(sum_a, a);
      sum_b = hn::Add(sum_b, b);
      i += lanes;
    }
    if (i < end) {
      const Part part{i, end - i};
      terms(part, a, b);
      sum_a = hn::Add(sum_a, part.Keep(a, zero));
      sum_b = hn::Add(sum_b, part.Keep(b, zero));
    }
    sums[0] += static_cast<double>(hn::GetLane(hn::SumOfLanes(d, hn::Add(sum_a, odd_a))));
    sums[1] += static_cast<double>(hn::GetLane(hn::SumOfLanes(d, hn::Add(sum_b, odd_b))));
  }
}

float Max(const float* x, int64_t n) {
  const F32 d;
  const int64_t lanes = LaneCount();
  VF max = hn::Set(d, -std::numeric_limits<float>::infinity());
  VF odd = max;
  int64_t i = 0;
  for (; i + 2 * lanes <= n; i += 2 * lanes) {
    max = hn::Max(max, hn::LoadU(d, x + i));
    odd = hn::Max(odd, hn::LoadU(d, x + i + lanes));
  }
  if (i + lanes <= n) {
    odd = hn::Max(odd, hn::LoadU(d, x + i));
    i += lanes;
  }
  max = hn::Max(max, odd);
  if (i < n) {
    const Part part{i, n - i};
    max = hn::Max(max, part.Keep(part(x), max));
  }
  return LargestLane(d, max);
}

double Sum(const float* x, int64_t n) {
  return SumSpan(n, [x](const auto& load) HWY_ATTR { return load(x); });
}

template <typename T>
double Dot(const T* x, const T* y, int64_t n) {
  return SumSpan<T>(n, [x, y](const auto& load) HWY_ATTR { return hn::Mul(load(x), load(y)); });
}

template <class L, class P>
HWY_INLINE VF ExpOf(const L& load, const float* x, const P& shift) {
  return Exp<float, /*kMayBeLarge=*/false>(F32(), hn::Sub(load(x), shift(load)));
}

HWY_INLINE void StoreLanes(const Whole& load, VF value, float* out) {
  hn::StoreU(value, F32(), out + load.at);
}
HWY_INLINE void StoreLanes(const Part& load, VF value, float* out) {
  StoreFirst(F32(), value, out + load.at, load.count);
}

double SumAndWiden(const BFloat16* x, int64_t n, float* out) {
  return SumSpan(n, [x, out](const auto& load) HWY_ATTR {
    const VF value = load(x);
    StoreLanes(load, value, out);
    return value;
  });
}

double ExpSum(const float* x, int64_t n, float shift, float* out) {
  const Flat by(&shift);
  if (out == nullptr) {
    return SumSpan<float, 2>(n, [x, by](const auto& load) HWY_ATTR { return ExpOf(load, x, by); });
  }
  return SumSpan<float, 2>(n, [x, by, out](const auto& load) HWY_ATTR {
    const VF e = ExpOf(load, x, by);
    StoreLanes(load, e, out);
    return e;
  });
}

void MaxEach(const float* x, int64_t n, float* max) {
  MapSpan(n, max, [x, max](const auto& load) HWY_ATTR { return hn::Max(load(max), load(x)); });
}

void SumEach(const float* x, int64_t n, float* sums) {
  MapSpan(n, sums, [x, sums](const auto& load) HWY_ATTR { return hn::Add(load(sums), load(x)); });
}

void DotEach(const float* x, const float* y, int64_t n, float* sums) {
  MapSpan(n, sums, [x, y, sums](const auto& load) HWY_ATTR {
    return hn::MulAdd(load(x), load(y), load(sums));
  });
}

void ExpSumEach(const float* x, const float* shift, int64_t n, float* out, float* sums) {
  const Each by(shift);
  MapSpan(n, sums, [x, by, out, sums](const auto& load) HWY_ATTR {
    const VF e = ExpOf(load, x, by);
    if (out != nullptr) StoreLanes(load, e, out);
    return hn::Add(load(sums), e);
  });
}

void AddUp(float* sums, int64_t n, double* totals) {
  AddToTotals(sums, n, /*first=*/false, totals);
  std::fill_n(sums, n, 0.0f);
}

template <class P>
void Scale(const float* x, const float* a, const float*, int64_t n, float* out, bool stream) {
  const P by(a);
  MapSpan(
      n, out, [x, by](const auto& load) HWY_ATTR { return hn::Mul(load(x), by(load)); }, stream);
}

template <class P>
void ExpScale(const float* x, const float* a, const float* b, int64_t n, float* out, bool stream) {
  const P shift(a), by(b);
  MapSpan(
      n, out,
      [x, shift, by](const auto& load)
          HWY_ATTR { return hn::Mul(ExpOf(load, x, shift), by(load)); },
      stream);
}

template <class P>
void Subtract(const float* x, const float* a, const float* b, int64_t n, float* out, bool stream) {
  const P first(a), second(b);
  MapSpan(
      n, out,
      [x, first, second](const auto& load)
          HWY_ATTR { return hn::Sub(hn::Sub(load(x), first(load)), second(load)); },
      stream);
}

template <class P, typename T>
void SoftmaxGradient(const T* x, const T* y, const float* a, int64_t n, T* out, bool stream) {
  const P sum(a);
  MapSpan<T>(
      n, out,
      [x, y, sum](const auto& load)
          HWY_ATTR { return hn::Mul(hn::Sub(load(x), sum(load)), load(y)); },
      stream);
}

template <class P>
void LogSoftmaxGradient(const float* x, const float* y, const float* a, int64_t n, float* out,
                        bool stream) {
  const P sum(a);
  MapSpan(
      n, out,
      [x, y, sum](const auto& load)
          HWY_ATTR { return hn::NegMulAdd(Exp<float>(F32(), load(y)), sum(load), load(x)); },
      stream);
}

void Deviations(const float* x, int64_t n, float about, double* sums) {
  const Flat by(&about);
  SumSpans(n, sums, [x, by](const auto& load, VF& off, VF& square) HWY_ATTR {
    off = hn::Sub(load(x), by(load));
    square = hn::Mul(off, off);
  });
}

// With a weight and sums of each element or without.
template <bool kWeighted, bool kEach>
HWY_INLINE void GradientSumsOf(const float* g, const float* x, const float* w, int64_t n,
                               float mean, float rstd, double* sums, float* biases,
                               float* weights) {
  const Flat about(&mean), by(&rstd);
  SumSpans(n, sums, [=](const auto& load, VF& a, VF& b) HWY_ATTR {
    const VF gradient = load(g);
    const VF normal = hn::Mul(hn::Sub(load(x), about(load)), by(load));
    a = kWeighted ? hn::Mul(gradient, load(w)) : gradient;
    b = hn::Mul(a, normal);
    if constexpr (kEach) {
      StoreLanes(load, hn::Add(load(biases), gradient), biases);
      StoreLanes(load, hn::MulAdd(gradient, normal, load(weights)), weights);
    }
  });
}

void GradientSums(const float* g, const float* x, const float* w, int64_t n, float mean, float rstd,
                  double* sums, float* biases, float* weights) {
  const bool each = weights != nullptr;
  if (w == nullptr) {
    each ? GradientSumsOf<false, true>(g, x, w, n, mean, rstd, sums, biases, weights)
         : GradientSumsOf<false, false>(g, x, w, n, mean, rstd, sums, biases, weights);
  } else {
    each ? GradientSumsOf<true, true>(g, x, w, n, mean, rstd, sums, biases, weights)
         : GradientSumsOf<true, false>(g, x, w, n, mean, rstd, sums, biases, weights);
  }
}

void DeviationsEach(const float* x, const float* about, int64_t n, float* sums, float* squares) {
  MapSpan(n, squares, [x, about, sums, squares](const auto& load) HWY_ATTR {
    const VF off = hn::Sub(load(x), load(about));
    StoreLanes(load, hn::Add(load(sums), off), sums);
    return hn::MulAdd(off, off, load(squares));
  });
}

void ProductsEach(const float* g, const float* x, const float* mean, int64_t n, float* sums,
                  float* products) {
  MapSpan(n, products, [g, x, mean, sums, products](const auto& load) HWY_ATTR {
    const VF gradient = load(g);
    StoreLanes(load, hn::Add(load(sums), gradient), sums);
    return hn::MulAdd(gradient, hn::Sub(load(x), load(mean)), load(products));
  });
}

void WeightSumsEach(const float* g, const float* x, int64_t n, float mean, float rstd, float* sums,
                    float* products) {
  const Flat about(&mean), by(&rstd);
  MapSpan(n, products, [=](const auto& load) HWY_ATTR {
    const VF gradient = load(g);
    if (sums != nullptr) StoreLanes(load, hn::Add(load(sums), gradient), sums);
    const VF normal = hn::Mul(hn::Sub(load(x), about(load)), by(load));
    return hn::MulAdd(gradient, normal, load(products));
  });
}

template <class P>
void Normalize(const float* x, const float* mean, const float* scale, const float* shift, int64_t n,
               float* out, bool stream) {
  const P about(mean), by(scale), then(shift);
  MapSpan(
      n, out,
      [x, about, by, then](const auto& load)
          HWY_ATTR { return hn::MulAdd(hn::Sub(load(x), about(load)), by(load), then(load)); },
      stream);
}

template <class P>
void Gradient(const float* g, const float* x, const float* mean, const float* a, const float* b,
              const float* c, int64_t n, float* out, bool stream) {
  const P about(mean), of_g(a), of_x(b), then(c);
  MapSpan(
      n, out,
      [g, x, about, of_g, of_x, then](const auto& load) HWY_ATTR {
        const VF off = hn::Sub(load(x), about(load));
        return hn::MulAdd(load(g), of_g(load), hn::MulAdd(off, of_x(load), then(load)));
      },
      stream);
}

void Add(const float* x, const float* y, int64_t n, float* out) {
  MapSpan(n, out, [x, y](const auto& load) HWY_ATTR { return hn::Add(load(x), load(y)); });
}

template <typename Out>
void NormalizeRow(const float* x, int64_t n, float mean, float rstd, const float* weight,
                  const float* bias, Out* out, bool stream) {
  const Flat about(&mean), by(&rstd);
  const auto normal = [x, about, by](const auto& load)
                          HWY_ATTR { return hn::Mul(hn::Sub(load(x), about(load)), by(load)); };
  if (weight != nullptr && bias != nullptr) {
    MapSpan(
        n, out,
        [&normal, weight, bias](const auto& load)
            HWY_ATTR { return hn::MulAdd(normal(load), load(weight), load(bias)); },
        stream);
  } else if (weight != nullptr) {
    MapSpan(
        n, out,
        [&normal, weight](const auto& load)
            HWY_ATTR { return hn::Mul(normal(load), load(weight)); },
        stream);
  } else if (bias != nullptr) {
    MapSpan(
        n, out,
        [&normal, bias](const auto& load) HWY_ATTR { return hn::Add(normal(load), load(bias)); },
        stream);
  } else {
    MapSpan(
        n, out, [&normal](const auto& load) HWY_ATTR { return normal(load); }, stream);
  }
}

void GradientRow(const float* g, const float* x, const float* weight, int64_t n, float mean,
                 float rstd, float c1, float c2, float* out, bool stream) {
  const Flat about(&mean), by(&rstd), first(&c1), second(&c2);
  const auto gradient = [x, about, by, first, second](const auto& load, VF weighted) HWY_ATTR {
    const VF normal = hn::Mul(hn::Sub(load(x), about(load)), by(load));
    const VF rest = hn::Sub(weighted, first(load));
    return hn::Mul(hn::NegMulAdd(normal, second(load), rest), by(load));
  };
  if (weight == nullptr) {
    MapSpan(
        n, out, [&gradient, g](const auto& load) HWY_ATTR { return gradient(load, load(g)); },
        stream);
  } else {
    MapSpan(
        n, out,
        [&gradient, g, weight](const auto& load)
            HWY_ATTR { return gradient(load, hn::Mul(load(g), load(weight))); },
        stream);
  }
}

void Stream(const void* from, int64_t bytes, void* to) {
  const hn::ScalableTag<uint8_t> d;
  const auto step = static_cast<int64_t>(hn::Lanes(d));
  const auto* const source = static_cast<const uint8_t*>(from);
  auto* const target = static_cast<uint8_t*>(to);
  for (int64_t i = 0; i < bytes; i += step) hn::Stream(hn::LoadU(d, source + i), d, target + i);
}

const Spans* Table() {
  static constexpr Spans kSpans = {
      .max = Max,
      .sum = Sum,
      .sum_and_widen = SumAndWiden,
      .dot = Dot<float>,
      .dot_bf16 = Dot<BFloat16>,
      .exp_sum = ExpSum,
      .deviations = Deviations,
      .gradient_sums = GradientSums,
      .max_each = MaxEach,
      .sum_each = SumEach,
      .dot_each = DotEach,
      .exp_sum_each = ExpSumEach,
      .add_to_totals = AddUp,
      .deviations_each = DeviationsEach,
      .products_each = ProductsEach,
      .weight_sums_each = WeightSumsEach,
      .stream = Stream,
      .scale = {Scale<Flat>, Scale<Each>},
      .exp_scale = {ExpScale<Flat>, ExpScale<Each>},
      .subtract = {Subtract<Flat>, Subtract<Each>},
      .softmax_gradient = {SoftmaxGradient<Flat, float>, SoftmaxGradient<Each, float>},
      .softmax_gradient_bf16 = SoftmaxGradient<Flat, BFloat16>,
      .log_softmax_gradient = {LogSoftmaxGradient<Flat>, LogSoftmaxGradient<Each>},
      .normalize = {Normalize<Flat>, Normalize<Each>},
      .gradient = {Gradient<Flat>, Gradient<Each>},
      .add = Add,
      .normalize_row = NormalizeRow<float>,
      .normalize_row_bf16 = NormalizeRow<BFloat16>,
      .gradient_row = GradientRow,
  };
  return &kSpans;
}

}  // namespace HWY_NAMESPACE
}  // namespace aclimb::rows
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclimb::rows {

HWY_EXPORT(Table);

const Spans& SpansInUse() { return *HWY_DYNAMIC_DISPATCH(Table)(); }

}  // namespace aclimb::rows
#endif
