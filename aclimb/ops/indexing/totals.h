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
template <typename T>
struct LineTotals {
  EntryPlaces places;
  EntrySources sources;
  int64_t count;
  T* out;
  int64_t out_step;
  const T* source;
  int64_t inner[3];  // from line to line, as UpdateShape::lines
  int64_t width;
  double* totals;

  // body(total, element, source) for each entry that goes to a share of the places. Returns whether
  // all entries go somewhere. By value: what is written may then be none of it.
  template <bool kAlone, typename Body>
  static bool Each(const LineTotals own, const Share share, const Body body) {
    if constexpr (kAlone) {
      return EachEntry(own.places, 0, own.count, share, [=](int64_t place, int64_t s) {
        body(own.totals[place], own.out[place * own.out_step], own.source[own.sources.Of(s)]);
      });
    }
    const int64_t width = own.width;
    bool all_known = true;
    for (int64_t s = 0; s < own.count; ++s) {
      const T* const from = own.source + own.sources.Of(s);
      for (int64_t j = 0; j < width; ++j) {
        const int64_t place = own.places.Of(j * own.inner[2], s);
        if (place < 0) [[unlikely]] {
          all_known = false;
        } else if (share.Has(place)) {
          body(own.totals[place * width + j], own.out[place * own.out_step + j * own.inner[0]],
               from[j * own.inner[1]]);
        }
      }
    }
    return all_known;
  }

  template <bool kAlone, bool kMultiplies>
  bool Apply(const Share& share, double alpha) const {
    (void)Each<kAlone>(*this, share, Begin<T>);
    const bool all_known = Each<kAlone>(*this, share, Step<T, kMultiplies>{alpha});
    (void)Each<kAlone>(*this, share, End<T>);
    return all_known;
  }
};

template <typename T, bool kMultiplies>
bool ApplyByTotals(const UpdateShape& shape, const UpdateData& data) {
  const Walk<3>& lines = shape.lines;
  const int inner = lines.rank - 1;
  const int64_t panels = CeilDivide(lines.count, shape.width);
  std::atomic<bool> skipped = false;
  const SlotMemory memory = {data.scratch, shape.lanes,
                             shape.extent * shape.width * static_cast<int64_t>(sizeof(double))};
  const int bits = ShareBitsOfElements(panels, shape.count, memory.bytes);
  const int64_t grain = std::max<int64_t>(1, kGrain / 4 / shape.count / shape.width);
  // Shares of a panel have one scratch: their places are different.
  const auto apply = [&](int64_t panel, int64_t number, double* totals) {
    const int64_t first = panel * shape.width;
    lines.Visit(
        first, std::min(lines.count, first + shape.width),
        [&](const int64_t(&at)[3], int64_t width) {
          const LineTotals<T> own = {
              .places = {data.index + at[2], shape.index_step, shape.extent, 1},
              .sources = {data.sources, shape.source_step},
              .count = shape.count,
              .out = static_cast<T*>(data.out) + at[0],
              .out_step = shape.out_step,
              .source = static_cast<const T*>(data.source) + at[1],
              .inner = {lines.stride[0][inner], lines.stride[1][inner], lines.stride[2][inner]},
              .width = width,
              .totals = totals};
          const Share share = ShareOf(own.places, 0, shape.count, bits, number);
          const bool all_known = width == 1
                                     ? own.template Apply<true, kMultiplies>(share, data.alpha)
                                     : own.template Apply<false, kMultiplies>(share, data.alpha);
          if (!all_known) skipped.store(true, std::memory_order_relaxed);
        });
  };
  if (bits > 0) {
    bool whole = true;
    for (int64_t panel = 0; panel < panels && whole; ++panel) {
      whole = ParallelForAll(int64_t{1} << bits, 1, [&](int64_t begin, int64_t end) {
        for (int64_t k = begin; k < end; ++k) apply(panel, k, static_cast<double*>(data.scratch));
      });
    }
  } else {
    (void)ForEachUnit(panels, grain, memory, [&](int64_t panel, char* scratch) {
      apply(panel, 0, reinterpret_cast<double*>(scratch));
    });
  }
  return !skipped.load(std::memory_order_relaxed);
}

}  // namespace aclimb::indexing
