#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "aclimb/copy/cast.h"
#include "aclimb/copy/convert.h"
#include "aclimb/core/divide.h"
#include "aclimb/core/half.h"
#include "aclimb/ops/indexing/add_rows.h"
#include "aclimb/ops/indexing/runs.h"
#include "aclimb/simd/digit_sort.h"
#include "aclimb/simd/parallel.h"
#include "aclimb/simd/slots.h"

// Apply() by entries that are sorted by where they go, in double.
namespace aclimb::indexing {

struct Entry {
  int64_t place;
  int64_t s;
  uint64_t Key() const { return static_cast<uint64_t>(place); }
};
inline constexpr int64_t kFew = 256;

// The entries of a line that go somewhere, those that go to one place after each other and in their
// order. Two buffers with room for all of them.
struct Sorted {
  const Entry* entries;
  int64_t count;
};
inline Sorted SortEntries(const EntryPlaces& places, int64_t line, int64_t count, Entry* buffer,
                          Entry* other) {
  int64_t known = 0, last = -1, most = 0;
  bool ascending = true;
  for (int64_t s = 0; s < count; ++s) {
    const int64_t place = places.Of(line, s);
    if (place < 0) continue;
    buffer[known++] = {place, s};
    ascending = ascending && place >= last;
    last = place;
    most = std::max(most, place);
  }
  if (ascending) return {buffer, known};
  if (known < kFew) {
    std::sort(buffer, buffer + known, [](const Entry& a, const Entry& b) {
      return a.place != b.place ? a.place < b.place : a.s < b.s;
    });
    return {buffer, known};
  }
  const int bits = 64 - __builtin_clzll(static_cast<uint64_t>(most) | 1);
  return {SortByDigits(buffer, other, known, bits), known};
}

// What goes to one place, for kTogether lines or less.
template <typename T, bool kMultiplies>
void ApplyGroup(const Entry* entries, int64_t count, const Entries& all, const Run& run,
                double alpha) {
  double totals[kTogether];
  const int64_t out_step = all.out_inner, source_step = all.source_inner, n = run.n;
  T* const to = static_cast<T*>(run.out) + entries->place;
  for (int64_t j = 0; j < n; ++j) totals[j] = static_cast<double>(ToFloat(to[j * out_step]));
  for (int64_t i = 0; i < count; ++i) {
    const T* const from = static_cast<const T*>(run.source) + all.sources.Of(entries[i].s);
    for (int64_t j = 0; j < n; ++j) {
      const auto x = static_cast<double>(ToFloat(from[j * source_step]));
      if constexpr (kMultiplies) {
        totals[j] *= x;
      } else {
        totals[j] += alpha * x;
      }
    }
  }
  for (int64_t j = 0; j < n; ++j) to[j * out_step] = RoundedOnce<T>(totals[j]);
}

// What ApplyGroup() does to sums whose lines lie beside each other in the output and in the source.
template <typename T>
void AddGroup(const Entry* entries, int64_t count, const Entries& all, const Run& run, DType dtype,
              double alpha, const copy::Converter& to_element) {
  constexpr int64_t kRows = 64;
  const void* rows[kRows];
  const auto find_rows = [&](int64_t begin, int64_t end) {
    std::transform(entries + begin, entries + end, rows, [&](const Entry& entry) {
      return static_cast<const T*>(run.source) + all.sources.Of(entry.s);
    });
  };
  T* const to = static_cast<T*>(run.out) + entries->place;
  if (alpha == 1 && count <= (IsHalf(dtype) ? kFewRows : 1)) {
    find_rows(0, count);
    return AddFewRows(dtype, rows, count, run.n, to);
  }
  double totals[kTogether];
  for (int64_t i = 0; i < count; i += kRows) {
    const int64_t some = std::min(kRows, count - i);
    find_rows(i, i + some);
    AddRowsToTotals(dtype, i == 0 ? to : nullptr, rows, some, alpha, run.n, totals);
  }
  to_element.Run(totals, run.n, to);
}

// Groups of equal places that begin in [begin, end), for kTogether lines or less.
template <typename T, bool kMultiplies>
void ApplyGroups(const Sorted& sorted, int64_t begin, int64_t end, const Entries& all,
                 const Run& run, const UpdateShape& shape, double alpha) {
  const bool adds_rows = !kMultiplies && run.n > 1 && all.out_inner == 1 && all.source_inner == 1;
  const copy::Converter to_element(DType::kFloat64, shape.dtype);
  const auto starts = [&](int64_t i) {
    return i == 0 || sorted.entries[i].place != sorted.entries[i - 1].place;
  };
  int64_t i = begin;
  while (i < end && !starts(i)) ++i;
  while (i < end) {
    const int64_t first = i;
    do {
      if (run.n > 1 && i + kAhead < sorted.count) {
        Prefetch(static_cast<const T*>(run.source) + all.sources.Of(sorted.entries[i + kAhead].s),
                 std::min(run.n, kMostAhead), all.source_inner);
      }
      ++i;
    } while (i < sorted.count && !starts(i));
    const Entry* const group = sorted.entries + first;
    if (adds_rows) {
      AddGroup<T>(group, i - first, all, run, shape.dtype, alpha, to_element);
    } else {
      ApplyGroup<T, kMultiplies>(group, i - first, all, run, alpha);
    }
  }
}

// `size`: bytes of an element.
inline bool ApplySorted(const UpdateShape& shape, const UpdateData& data, int64_t size,
                        decltype(&ApplyGroups<float, false>) apply) {
  const Entries all = EntriesOf(shape, data);
  const Walk<3>& lines = shape.lines;
  auto* const entries = static_cast<Entry*>(data.scratch);
  if (all.shared) {
    const Sorted sorted = SortEntries(all.places, 0, shape.count, entries, entries + shape.count);
    // By the shape alone; groups are whole wherever the entries are cut.
    const int64_t width = std::min(lines.count, kTogether);
    const int64_t chunks = CeilDivide(lines.count, width);
    const int64_t piece = std::max<int64_t>(1, kGrain / width);
    const int64_t pieces = CeilDivide(sorted.count, piece);
    ParallelFor(chunks * pieces, 1, [&](int64_t begin, int64_t end) {
      for (int64_t task = begin; task < end; ++task) {
        const int64_t first = task / pieces * width, from = task % pieces * piece;
        lines.Visit(first, std::min(lines.count, first + width),
                    [&](const int64_t(&at)[3], int64_t n) {
                      apply(sorted, from, std::min(sorted.count, from + piece), all,
                            RunAt(data, at, n, size), shape, data.alpha);
                    });
      }
    });
    return sorted.count == shape.count;
  }
  std::atomic<bool> skipped = false;
  Slots slots(shape.lanes);
  const int64_t grain = std::max<int64_t>(1, kGrain / 4 / shape.count);
  ParallelFor(lines.count, grain, [&](int64_t begin, int64_t end) {
    const Slots::Lease lease(slots);
    Entry* const buffer = entries + lease.number() * 2 * shape.count;
    lines.Visit(begin, end, [&](const int64_t(&at)[3], int64_t n) {
      for (int64_t j = 0; j < n; ++j) {
        const int64_t line[] = {at[0] + j * all.out_inner, at[1] + j * all.source_inner,
                                at[2] + j * all.index_inner};
        const Sorted sorted =
            SortEntries(all.places, line[2], shape.count, buffer, buffer + shape.count);
        if (sorted.count < shape.count) skipped.store(true, std::memory_order_relaxed);
        apply(sorted, 0, sorted.count, all, RunAt(data, line, 1, size), shape, data.alpha);
      }
    });
  });
  return !skipped.load(std::memory_order_relaxed);
}

}  // namespace aclimb::indexing
