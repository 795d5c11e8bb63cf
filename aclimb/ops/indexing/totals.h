#pragma once

#include <algorithm>
#include <atomic>

#include "aclimb/copy/cast.h"
#include "aclimb/core/divide.h"
#include "aclimb/core/half.h"
#include "aclimb/ops/indexing/entries.h"
#include "aclimb/ops/indexing/update.h"
#include "aclimb/simd/parallel.h"
#include "aclimb/simd/slots.h"

// Apply() by numbers in double, one for each place of a line. Only places that entries name are
// read and written.
namespace aclimb::indexing {

// What a total begins with, what an entry does to it, and what becomes of it.
template <typename T>
inline constexpr auto Begin = [](double& total, const T& element, const T&) {
  total = static_cast<double>(ToFloat(element));
};
template <typename T, bool kMultiplies>
struct Step {
  double alpha;
  void operator()(double& total, const T&, const T& source) const {
    const auto x = static_cast<double>(ToFloat(source));
    kMultiplies ? total *= x : total += alpha * x;
  }
};
template <typename T>
inline constexpr auto End =
    [](const double& total, T& element, const T&) { element = RoundedOnce<T>(total); };

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
};

// Returns whether all entries go somewhere.
template <typename T, bool kMultiplies>
bool ApplyByTotals(const LineTotals& own, const Share& share, double alpha) {
  const Step<T, kMultiplies> step = {alpha};
  return own.width == 1 ? own.Apply<T, true>(share, step) : own.Apply<T, false>(share, step);
}

// `size`: bytes of an element.
inline bool ApplyByTotals(const UpdateShape& shape, const UpdateData& data, int64_t size,
                          bool (*apply)(const LineTotals&, const Share&, double)) {
  const Walk<3>& lines = shape.lines;
  const int inner = lines.rank - 1;
  const int64_t panels = CeilDivide(lines.count, shape.width);
  std::atomic<bool> skipped = false;
  const SlotMemory memory = {data.scratch, shape.lanes,
                             shape.extent * shape.width * static_cast<int64_t>(sizeof(double))};
  const int bits = ShareBitsOfElements(panels, shape.count, memory.bytes);
  const int64_t grain = std::max<int64_t>(1, kGrain / 4 / shape.count / shape.width);
  // Shares of a panel have one scratch: their places are different.
  const auto apply_to = [&](int64_t panel, int64_t number, double* totals) {
    const int64_t first = panel * shape.width;
    lines.Visit(
        first, std::min(lines.count, first + shape.width),
        [&](const int64_t(&at)[3], int64_t width) {
          const LineTotals own = {
              .places = {data.index + at[2], shape.index_step, shape.extent, 1},
              .sources = {data.sources, shape.source_step},
              .count = shape.count,
              .out = static_cast<char*>(data.out) + at[0] * size,
              .out_step = shape.out_step,
              .source = static_cast<const char*>(data.source) + at[1] * size,
              .inner = {lines.stride[0][inner], lines.stride[1][inner], lines.stride[2][inner]},
              .width = width,
              .totals = totals};
          const Share share = ShareOf(own.places, 0, shape.count, bits, number);
          if (!apply(own, share, data.alpha)) skipped.store(true, std::memory_order_relaxed);
        });
  };
  if (bits > 0) {
    bool whole = true;
    for (int64_t panel = 0; panel < panels && whole; ++panel) {
      whole = ParallelForAll(int64_t{1} << bits, 1, [&](int64_t begin, int64_t end) {
        for (int64_t k = begin; k < end; ++k)
          apply_to(panel, k, static_cast<double*>(data.scratch));
      });
    }
  } else {
    (void)ForEachUnit(panels, grain, memory, [&](int64_t panel, char* scratch) {
      apply_to(panel, 0, reinterpret_cast<double*>(scratch));
    });
  }
  return !skipped.load(std::memory_order_relaxed);
}

}  // namespace aclimb::indexing
