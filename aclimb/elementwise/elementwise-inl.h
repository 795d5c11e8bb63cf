// Formulas become run functions (elementwise.h says how). Included once per instruction set by
// files that use hwy/foreach_target.h.
#if defined(ACLIMB_ELEMENTWISE_ELEMENTWISE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACLIMB_ELEMENTWISE_ELEMENTWISE_INL_H_
#undef ACLIMB_ELEMENTWISE_ELEMENTWISE_INL_H_
#else
#define ACLIMB_ELEMENTWISE_ELEMENTWISE_INL_H_
#endif

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <utility>

#include "aclimb/elementwise/runs.h"
#include "aclimb/elementwise/types.h"
#include "aclimb/simd/float-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclimb::elementwise {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using namespace aclimb::HWY_NAMESPACE;  // NOLINT: the per-target toolbox

// The input of a formula that is a mask, or -1.
template <class F>
constexpr int MaskOf() {
  if constexpr (requires { F::kMask; }) return F::kMask;
  return -1;
}

// Half types are computed in float32, and chosen by a mask as they are.
template <class F, typename T>
using Lane = std::conditional_t<!kIsStorage<T> || sizeof(T) == sizeof(float), T,
                                std::conditional_t<MaskOf<F>() >= 0, uint16_t, float>>;

template <class D, typename T>
HWY_INLINE hn::Vec<D> LoadVector(D d, const T* from) {
  if constexpr (sizeof(T) == sizeof(hn::TFromD<D>)) {
    return hn::LoadU(d, reinterpret_cast<const hn::TFromD<D>*>(from));
  } else {
    return LoadF32(d, from);
  }
}
// The lanes whose bytes are not 0.
template <class D>
HWY_INLINE hn::Mask<D> LoadVector(D d, const Bool* from) {
  const hn::RebindToUnsigned<D> whole;
  const hn::Rebind<uint8_t, D> bytes;
  const auto lanes = hn::PromoteTo(whole, hn::LoadU(bytes, &from->byte));
  return hn::RebindMask(d, hn::Ne(lanes, hn::Zero(whole)));
}

template <bool kStream, class D, typename T>
HWY_INLINE void StoreVector(D d, hn::Vec<D> value, T* to) {
  if constexpr (sizeof(T) == sizeof(hn::TFromD<D>)) {
    auto* const lanes = reinterpret_cast<hn::TFromD<D>*>(to);
    kStream ? hn::Stream(value, d, lanes) : hn::StoreU(value, d, lanes);
  } else {
    kStream ? StreamF32(d, value, to) : StoreF32(d, value, to);
  }
}

// Input k, of elements of T or a mask.
template <class F, typename T, size_t k>
HWY_INLINE auto InputAt(const void* const* in, int64_t i) {
  using Element = std::conditional_t<k == static_cast<size_t>(MaskOf<F>()), Bool, T>;
  return static_cast<const Element*>(in[k]) + i;
}

// A copy, which no store to the output can change: by reference, attributes would be read again for
// each vector.
template <class F>
HWY_INLINE F WithAttributes(const void* attributes) {
  if constexpr (std::is_empty_v<F>) {
    (void)attributes;
    return F{};
  } else {
    return F{*static_cast<const typename F::Attributes*>(attributes)};
  }
}

template <class F, typename T, class Inputs = std::make_index_sequence<size_t{F::kInputs}>>
struct VectorRun;

template <class F, typename T, size_t... kInput>
struct VectorRun<F, T, std::index_sequence<kInput...>> {
  // One element a vector, as the baseline has, neither streams nor comes in pairs.
  static constexpr bool kStreams = HWY_TARGET != HWY_SCALAR;
  static constexpr bool kPairs =
      kStreams && std::is_same_v<T, BFloat16> && std::is_same_v<Lane<F, T>, float>;
  static constexpr int64_t kVectors = kPairs ? 2 : 1;  // of a block
  // A formula that waits for memory reads it by half a cache line, up to a tenth faster than by a
  // whole one (AMD EPYC 9004).
  static constexpr bool kWaits = std::is_same_v<T, float> && F::kCycles <= 0.5f;
  using D = std::conditional_t<kWaits, hn::CappedTag<float, 8>, hn::ScalableTag<Lane<F, T>>>;
  using V = hn::Vec<D>;

  // As many elements as one store writes, from position i.
  template <bool kStream>
  static HWY_INLINE void Block(const F& formula, const void* const* in, T* out, int64_t i) {
    const D d;
    if constexpr (kPairs) {
      V even[sizeof...(kInput)], odd[sizeof...(kInput)];
      (LoadPairs(d, InputAt<F, T, kInput>(in, i), even[kInput], odd[kInput]), ...);
      StorePairs<kStream>(d, formula.template operator()<T>(d, even[kInput]...),
                          formula.template operator()<T>(d, odd[kInput]...), out + i);
    } else {
      const V result =
          formula.template operator()<T>(d, LoadVector(d, InputAt<F, T, kInput>(in, i))...);
      StoreVector<kStream>(d, result, out + i);
    }
  }

  static constexpr int64_t kStep = kVectors * static_cast<int64_t>(hn::MaxLanes(D()));

  // As many blocks as elements [i, count) fill; returns where the rest begins.
  static HWY_NOINLINE int64_t Blocks(const F formula, const void* const* inputs, T* out, int64_t i,
                                     int64_t count, bool stream) {
    // Copies, which no store to the output can change.
    const void* const in[] = {inputs[kInput]...};
    const auto step = kVectors * static_cast<int64_t>(hn::Lanes(D()));
    if (kStreams && stream) {
      for (; i + step <= count; i += step) Block<kStreams>(formula, in, out, i);
    } else {
      for (; i + step <= count; i += step) Block<false>(formula, in, out, i);
    }
    return i;
  }

  // Elements [i, end), which are few: through memory that has room for a block.
  static void Rest(const F& formula, const void* const* in, T* out, int64_t i, int64_t end) {
    T given[sizeof...(kInput)][kStep] = {}, made[kStep];
    const void* const from[] = {given[kInput]...};
    for (; i < end; i += kStep) {
      const int64_t count = std::min(kStep, end - i);
      const auto take = [&](const auto* some, T* to) {
        std::memcpy(static_cast<void*>(to), some, static_cast<size_t>(count) * sizeof(*some));
      };
      (take(InputAt<F, T, kInput>(in, i), given[kInput]), ...);
      Blocks(formula, from, made, 0, kStep, false);
      std::copy_n(made, count, out + i);
    }
  }

  static void Run(const void* const* in, void* output, int64_t count, bool stream,
                  const void* attributes) {
    const F formula = WithAttributes<F>(attributes);
    T* const out = static_cast<T*>(output);
    // Elements at odd addresses have none that begins a line, as stores around the caches need it.
    stream = stream && reinterpret_cast<uintptr_t>(out) % sizeof(T) == 0;
    int64_t i = 0;
    if (kStreams && stream) {
      constexpr uintptr_t kLine = 64;
      const uintptr_t past_line = reinterpret_cast<uintptr_t>(out) % kLine;
      i = std::min<int64_t>(count, (kLine - past_line) % kLine / sizeof(T));
      Rest(formula, in, out, 0, i);
    }
    i = Blocks(formula, in, out, i, count, stream);
    Rest(formula, in, out, i, count);
  }
};

template <class F, typename T, class Inputs = std::make_index_sequence<size_t{F::kInputs}>>
struct ScalarRun;

// The compiler makes vectors of the loop.
template <class F, typename T, size_t... kInput>
struct ScalarRun<F, T, std::index_sequence<kInput...>> {
  static_assert(std::is_same_v<T, Bool> || std::is_arithmetic_v<T>);
  using Value = std::conditional_t<std::is_same_v<T, Bool>, bool, T>;
  static HWY_INLINE bool Read(Bool element) { return element.byte != 0; }
  template <typename Number>
  static HWY_INLINE Number Read(Number element) {
    return element;
  }

  using Result = decltype(std::declval<F>().Scalar(Read(*InputAt<F, T, kInput>(nullptr, 0))...));
  // What a mask chooses among is no answer of true or false.
  static constexpr bool kGivesBool = MaskOf<F>() < 0 && std::is_same_v<Result, bool>;

  static void Run(const void* const* inputs, void* output, int64_t count, bool stream,
                  const void* attributes) {
    (void)stream;
    const F formula = WithAttributes<F>(attributes);
    const void* const in[] = {inputs[kInput]...};
    auto* const out = static_cast<std::conditional_t<kGivesBool, uint8_t, Value>*>(output);
#if HWY_COMPILER_GCC_ACTUAL
    // An output that is an input is so element by element.
#pragma GCC ivdep
#endif
    for (int64_t i = 0; i < count; ++i) {
      out[i] = formula.Scalar(Read(*InputAt<F, T, kInput>(in, i))...);
    }
  }
};

template <template <class, class, class> class Kind, class F, typename... T>
constexpr void AddRuns(Runs& runs, Types<T...>) {
  using Inputs = std::make_index_sequence<size_t{F::kInputs}>;
  ((runs.of[StorageIndex(kStorageDType<T>)] = &Kind<F, T, Inputs>::Run), ...);
}

template <class F, typename... T>
constexpr bool GivesBool(Types<T...>) {
  return ((!std::is_same_v<T, Bool> && ScalarRun<F, T>::kGivesBool) || ...);
}

// Of all types that F says it computes in.
template <class F>
constexpr Runs RunsOf() {
  static_assert(F::kInputs >= 1 && F::kInputs <= kMostInputs);
  Runs runs;
  runs.inputs = F::kInputs;
  runs.mask = MaskOf<F>();
  runs.cycles = F::kCycles;
  if constexpr (requires { typename F::Vectors; }) {
    AddRuns<VectorRun, F>(runs, typename F::Vectors());
  }
  if constexpr (requires { typename F::Scalars; }) {
    AddRuns<ScalarRun, F>(runs, typename F::Scalars());
    runs.gives_bool = GivesBool<F>(typename F::Scalars());
  }
  return runs;
}

}  // namespace HWY_NAMESPACE
}  // namespace aclimb::elementwise
HWY_AFTER_NAMESPACE();

#endif
