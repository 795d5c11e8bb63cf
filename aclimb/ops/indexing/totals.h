#pragma once

#include <algorithm>
#include <atomic>
#include <cstring>

#include "aclimb/copy/cast.h"
#include "aclimb/core/half.h"
#include "aclimb/ops/indexing/entries.h"
#include "aclimb/ops/indexing/update.h"
#include "aclimb/simd/parallel.h"
#include "aclimb/simd/slots.h"

// Apply() by numbers in double, one for each element of a line.
namespace aclimb::indexing {

// One line, whose elements are in `totals` in between.
template <typename T>
class LineTotals {
 public:
  LineTotals(const UpdateShape& shape, const UpdateData& data, const int64_t (&line)[3],
             double* totals)
      : places_{data.index + line[2], shape.index_step, shape.extent, 1},
        sources_{data.sources, shape.source_step},
        count_(shape.count),
        out_(static_cast<T*>(data.out) + line[0]),
        out_step_(shape.out_step),
        source_(static_cast<const T*>(data.source) + line[1]),
        alpha_(data.alpha),
        totals_(totals) {}

  void Load(int64_t begin, int64_t end) const {
    for (int64_t i = begin; i < end; ++i) totals_[i] = Element(i);
  }
  // The entries that go to a share of the places. Returns whether all entries go somewhere.
  template <bool kMultiplies>
  bool Apply(int bits, int64_t share) const {
    bool all_known = true;
    for (int64_t s = 0; s < count_; ++s) {
      const int64_t place = places_.Of(0, s);
      if (place < 0) [[unlikely]] {
        all_known = false;
      } else if (IsOfShare(place, bits, share)) {
        const auto x = static_cast<double>(ToFloat(source_[sources_.Of(s)]));
        kMultiplies ? totals_[place] *= x : totals_[place] += alpha_ * x;
      }
    }
    return all_known;
  }
  // What is as it was is not touched.
  void Store(int64_t begin, int64_t end) const {
    for (int64_t i = begin; i < end; ++i) {
      const double before = Element(i);
      if (std::memcmp(&totals_[i], &before, sizeof(before)) == 0) continue;
      out_[i * out_step_] = RoundedOnce<T>(totals_[i]);
    }
  }

 private:
  double Element(int64_t i) const { return static_cast<double>(ToFloat(out_[i * out_step_])); }

  const EntryPlaces places_;
  const EntrySources sources_;
  const int64_t count_;
  T* const out_;
  const int64_t out_step_;
  const T* const source_;
  const double alpha_;
  double* const totals_;
};

template <typename T, bool kMultiplies>
bool ApplyByTotals(const UpdateShape& shape, const UpdateData& data) {
  const Walk<3>& lines = shape.lines;
  auto* const totals = static_cast<double*>(data.scratch);
  std::atomic<bool> skipped = false;
  const auto line_of = [&](int64_t number, double* own, auto body) {
    lines.Visit(number, number + 1,
                [&](const int64_t(&at)[3], int64_t) { body(LineTotals<T>(shape, data, at, own)); });
  };
  const auto apply = [&](const LineTotals<T>& line, int bits, int64_t share) {
    if (!line.template Apply<kMultiplies>(bits, share)) {
      skipped.store(true, std::memory_order_relaxed);
    }
  };
  if (const int bits = ShareBits(lines.count, shape.count); bits > 0) {
    bool whole = true;
    for (int64_t number = 0; number < lines.count && whole; ++number) {
      line_of(number, totals, [&](const LineTotals<T>& line) {
        whole = ParallelForAll(shape.extent, kGrain,
                               [&](int64_t begin, int64_t end) { line.Load(begin, end); }) &&
                ParallelForAll(int64_t{1} << bits, 1,
                               [&](int64_t begin, int64_t end) {
                                 for (int64_t k = begin; k < end; ++k) apply(line, bits, k);
                               }) &&
                ParallelForAll(shape.extent, kGrain,
                               [&](int64_t begin, int64_t end) { line.Store(begin, end); });
      });
    }
  } else {
    const SlotMemory memory = {totals, shape.lanes,
                               shape.extent * static_cast<int64_t>(sizeof(double))};
    const int64_t grain = std::max<int64_t>(1, kGrain / 4 / shape.count);
    (void)ForEachUnit(lines.count, grain, memory, [&](int64_t number, char* scratch) {
      line_of(number, reinterpret_cast<double*>(scratch), [&](const LineTotals<T>& line) {
        line.Load(0, shape.extent);
        apply(line, 0, 0);
        line.Store(0, shape.extent);
      });
    });
  }
  return !skipped.load(std::memory_order_relaxed);
}

}  // namespace aclimb::indexing
