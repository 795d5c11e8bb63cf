#pragma once

#include <hwy/cache_control.h>

#include <algorithm>
#include <atomic>
#include <type_traits>

#include "aclimb/copy/cast.h"
#include "aclimb/copy/convert.h"
#include "aclimb/core/divide.h"
#include "aclimb/core/half.h"
#include "aclimb/ops/indexing/entries.h"
#include "aclimb/ops/indexing/runs.h"
#include "aclimb/ops/indexing/update.h"
#include "aclimb/simd/parallel.h"
#include "aclimb/simd/slots.h"

// Apply() by numbers in double, one for each place of a line. Where the elements of all places lie
// beside each other, all of them go through their totals; else those alone that entries name.
namespace aclimb::indexing {

// `rounded`, or the element before if that is a NaN. Without branches, so that the compiler makes
// vectors of a loop.
template <typename Bits>
Bits UnlessNaN(Bits element, Bits infinity, Bits rounded) {
  const bool is_nan =
      static_cast<Bits>(element & static_cast<Bits>(static_cast<Bits>(~Bits{0}) >> 1)) > infinity;
  const auto keep = static_cast<Bits>(0 - static_cast<Bits>(is_nan));
  return static_cast<Bits>((element & keep) | (rounded & ~keep));
}
inline float UnlessNaN(float element, float rounded) {
  return FloatOfBits(UnlessNaN<uint32_t>(BitsOf(element), 0x7F800000u, BitsOf(rounded)));
}
inline Float16 UnlessNaN(Float16 element, Float16 rounded) {
  return {UnlessNaN<uint16_t>(element.bits, 0x7C00u, rounded.bits)};
}
inline BFloat16 UnlessNaN(BFloat16 element, BFloat16 rounded) {
  return {UnlessNaN<uint16_t>(element.bits, 0x7F80u, rounded.bits)};
}

// What a total begins with, what an entry does to it, and what becomes of it.
template <typename T>
inline constexpr auto Begin = [](double& total, const T& element, const T&) {
  total = static_cast<double>(ToFloat(element));
};
template <typename T, bool kMultiplies>
struct Step {
  double alpha;
  void operator()(double& total, const T&, const T& source) const {
    (*this)(total, ToFloat(source));
  }
  void operator()(double& total, float source) const {
    const auto x = static_cast<double>(source);
    kMultiplies ? total *= x : total += alpha * x;
  }
};
template <typename T>
inline constexpr auto End =
    [](const double& total, T& element, const T&) { element = RoundedOnce<T>(total); };

// Between elements, float32 and totals.
struct Conversions {
  copy::Converter to_total, to_float, to_element;

  explicit Conversions(DType dtype)
      : to_total(dtype, DType::kFloat64),
        to_float(dtype, DType::kFloat32),
        to_element(DType::kFloat64, dtype) {}
};

// `width` lines side by side: the total of a place is totals[place * width + line].
struct LineTotals {
  EntryPlaces places;
  EntrySources sources;
  int64_t count;
  void* out;
  int64_t out_step;
  const void* source;
  int64_t inner[3];  // from line to line, as UpdateShape::lines
  int64_t width;
  double* totals;
  const Conversions* conversions;
  bool is_whole;  // whether all of the extent are places

  static constexpr int64_t kBlock = 256;

  // body(total, element, source) for each entry that goes to a share of the places. Returns whether
  // all entries go somewhere. By value: what is written may then be none of it.
  template <typename T, bool kAlone, typename Body>
  static bool Each(const LineTotals own, const Share share, const Body body) {
    T* const out = static_cast<T*>(own.out);
    const T* const source = static_cast<const T*>(own.source);
    if constexpr (kAlone) {
      return EachEntry(own.places, 0, own.count, share, [=](int64_t place, int64_t s) {
        body(own.totals[place], out[place * own.out_step], source[own.sources.Of(s)]);
      });
    }
    const int64_t width = own.width;
    bool all_known = true;
    for (int64_t s = 0; s < own.count; ++s) {
      const T* const from = source + own.sources.Of(s);
      for (int64_t j = 0; j < width; ++j) {
        const int64_t place = own.places.Of(j * own.inner[2], s);
        if (place < 0) [[unlikely]] {
          all_known = false;
        } else if (share.Has(place)) {
          body(own.totals[place * width + j], out[place * own.out_step + j * own.inner[0]],
               from[j * own.inner[1]]);
        }
      }
    }
    return all_known;
  }

  template <typename T, bool kAlone, typename StepOfEntry>
  bool Apply(const Share& share, const StepOfEntry& step) const {
    (void)Each<T, kAlone>(*this, share, Begin<T>);
    const bool all_known = Each<T, kAlone>(*this, share, step);
    (void)Each<T, kAlone>(*this, share, End<T>);
    return all_known;
  }

  // Whether the elements of all places lie beside each other.
  bool IsDense() const { return is_whole && (width == 1 ? out_step : inner[0]) == 1; }

  // use(totals, elements, how many), at most kBlock, for those of a share of the places.
  template <typename T, typename Use>
  void EachBlock(const Share& share, const Use& use) const {
    const int64_t end = std::min(share.end, places.extent);
    T* const to = static_cast<T*>(out);
    if (width == 1) {
      for (int64_t i = share.begin; i < end; i += kBlock) {
        use(totals + i, to + i, std::min(kBlock, end - i));
      }
      return;
    }
    for (int64_t i = share.begin; i < end; ++i) {
      if (i + kAhead < end) Prefetch(to + (i + kAhead) * out_step, width, 1);
      for (int64_t j = 0; j < width; j += kBlock) {
        use(totals + i * width + j, to + i * out_step + j, std::min(kBlock, width - j));
      }
    }
  }

  // `n` sources in float32: source[at(k)], beside each other or not.
  template <typename T, typename At>
  const float* Sources(int64_t n, bool are_beside, const At& at, T* gathered, float* buffer) const {
    const T* from = static_cast<const T*>(source) + at(0);
    if (!are_beside) {
      for (int64_t k = 0; k < n; ++k) gathered[k] = static_cast<const T*>(source)[at(k)];
      from = gathered;
    }
    if constexpr (std::is_same_v<T, float>) return from;
    conversions->to_float.Run(from, n, buffer);
    return buffer;
  }

  template <typename T, typename StepOfEntry>
  bool ApplyDense(const Share share, const StepOfEntry step) const {
    alignas(64) T gathered[kBlock];
    alignas(64) float buffer[kBlock];
    EachBlock<T>(share, [&](double* some, T* elements, int64_t n) {
      conversions->to_total.Run(elements, n, some);
    });
    bool all_known = true;
    if (width == 1) {
      const bool are_beside = sources.table == nullptr && sources.step == 1;
      const int64_t ahead = share.IsAll() ? AheadOf(places.extent * 8, count) : count;
      for (int64_t s = 0; s < count; s += kBlock) {
        const int64_t n = std::min(kBlock, count - s), later = std::min(s + ahead, count - n);
        const float* const x = Sources<T>(
            n, are_beside, [&](int64_t k) { return sources.Of(s + k); }, gathered, buffer);
        all_known &=
            EachEntry(places, s * places.step, n, share,
                      [=, count = count, places = places, some = totals](int64_t place, int64_t k) {
                        if (ahead < count) hwy::Prefetch(some + places.Of(later * places.step, k));
                        step(some[place], x[k]);
                      });
      }
    } else {
      all_known = EachRow<T>(share, step, gathered, buffer);
    }
    EachBlock<T>(share, [&](const double* some, T* elements, int64_t n) {
      conversions->to_element.Run(some, n, gathered);
      // A NaN stays as it is, with all of its bits, whether an entry names it or not.
      for (int64_t k = 0; k < n; ++k) elements[k] = UnlessNaN(elements[k], gathered[k]);
    });
    return all_known;
  }

  // step(total, source) of each entry, line by line.
  template <typename T, typename StepOfEntry>
  bool EachRow(const Share share, const StepOfEntry step, T* gathered, float* buffer) const {
    bool all_known = true;
    for (int64_t s = 0; s < count; ++s) {
      for (int64_t first = 0; first < width; first += kBlock) {
        const int64_t n = std::min(kBlock, width - first);
        const int64_t from = sources.Of(s) + first * inner[1];
        // Rows lie too far apart for the processor to see the next ones coming.
        if (s + kAhead < count) {
          const T* const later = static_cast<const T*>(source) + sources.Of(s + kAhead);
          Prefetch(later + first * inner[1], n, inner[1]);
          Prefetch(places.index + (s + kAhead) * places.step + first * inner[2], n, inner[2]);
        }
        const float* const x = Sources<T>(
            n, inner[1] == 1, [&](int64_t k) { return from + k * inner[1]; }, gathered, buffer);
        double* const some = totals + first;
        for (int64_t j = 0; j < n; ++j) {
          const int64_t place = places.Of((first + j) * inner[2], s);
          all_known &= place >= 0;
          if (share.Has(place)) step(some[place * width + j], x[j]);
        }
      }
    }
    return all_known;
  }
};

// Returns whether all entries go somewhere.
template <typename T, bool kMultiplies>
bool ApplyByTotals(const LineTotals& own, const Share& share, double alpha) {
  const Step<T, kMultiplies> step = {alpha};
  if (own.IsDense()) return own.ApplyDense<T>(share, step);
  return own.width == 1 ? own.Apply<T, true>(share, step) : own.Apply<T, false>(share, step);
}

// `size`: bytes of an element.
inline bool ApplyByTotals(const UpdateShape& shape, const UpdateData& data, int64_t size,
                          bool (*apply)(const LineTotals&, const Share&, double)) {
  const Walk<3>& lines = shape.lines;
  const int inner = lines.rank - 1;
  const int64_t panels = CeilDivide(lines.count, shape.width);
  std::atomic<bool> skipped = false;
  const Conversions conversions(shape.dtype);
  const SlotMemory memory = {data.scratch, shape.lanes,
                             shape.extent * shape.width * static_cast<int64_t>(sizeof(double))};
  const int bits = ShareBitsOfElements(panels, shape.count, memory.bytes);
  const int64_t grain = std::max<int64_t>(1, kGrain / 4 / shape.count / shape.width);
  // Lines side by side, from those of the operands at `at` on.
  const auto apply_to = [&](const int64_t(&at)[3], int64_t width, int64_t number, double* totals) {
    const LineTotals own = {
        .places = {data.index + at[2], shape.index_step, shape.extent, 1},
        .sources = {data.sources, shape.source_step},
        .count = shape.count,
        .out = static_cast<char*>(data.out) + at[0] * size,
        .out_step = shape.out_step,
        .source = static_cast<const char*>(data.source) + at[1] * size,
        .inner = {lines.stride[0][inner], lines.stride[1][inner], lines.stride[2][inner]},
        .width = width,
        .totals = totals,
        .conversions = &conversions,
        .is_whole = shape.places == 0 || shape.places == shape.extent};
    const Share share = ShareOf(own.places, 0, shape.count, bits, number);
    if (!apply(own, share, data.alpha)) skipped.store(true, std::memory_order_relaxed);
  };
  // The lines of a panel, of which not all may lie side by side.
  const auto each_run = [&](int64_t panel, const auto& use) {
    const int64_t first = panel * shape.width;
    lines.Visit(first, std::min(lines.count, first + shape.width), use);
  };
  if (bits > 0) {
    // The shares of one run have one scratch, since their places are different; those of two runs
    // are not, so that one run follows the other.
    bool whole = true;
    for (int64_t panel = 0; panel < panels && whole; ++panel) {
      each_run(panel, [&](const int64_t(&at)[3], int64_t width) {
        whole = whole && ParallelForAll(int64_t{1} << bits, 1, [&](int64_t begin, int64_t end) {
                  for (int64_t k = begin; k < end; ++k) {
                    apply_to(at, width, k, static_cast<double*>(data.scratch));
                  }
                });
      });
    }
  } else {
    (void)ForEachUnit(panels, grain, memory, [&](int64_t panel, char* scratch) {
      each_run(panel, [&](const int64_t(&at)[3], int64_t width) {
        apply_to(at, width, 0, reinterpret_cast<double*>(scratch));
      });
    });
  }
  return !skipped.load(std::memory_order_relaxed);
}

}  // namespace aclimb::indexing
