#include "aclimb/ops/indexing/update.h"

#include <hwy/cache_control.h>

#include <algorithm>
#include <atomic>
#include <type_traits>

#include "aclimb/copy/convert.h"
#include "aclimb/core/divide.h"
#include "aclimb/core/half.h"
#include "aclimb/ops/indexing/add_rows.h"
#include "aclimb/ops/indexing/entries.h"
#include "aclimb/ops/indexing/totals.h"
#include "aclimb/simd/digit_sort.h"
#include "aclimb/simd/parallel.h"
#include "aclimb/simd/slots.h"

namespace aclimb::indexing {
namespace {

// Lines side by side that an entry is applied to at once.
constexpr int64_t kTogether = 512;
// Lines that are taken at once if each has indices of its own: whole cache lines of places, which
// stay in the cache.
int64_t WidthOf(int64_t extent) { return std::clamp<int64_t>(32 * 1024 / extent, 16, kTogether); }

// Entries between the prefetch of an entry and its turn.
constexpr int64_t kAhead = 8;
// Lines side by side that are prefetched at most: the processor sees the rest coming.
constexpr int64_t kMostAhead = 128;

// ---- One entry after the other

// Prefetches the cache lines of `n` elements that are `step` apart.
template <typename T>
void Prefetch(const T* first, int64_t n, int64_t step) {
  constexpr int64_t kLine = 64 / sizeof(T);
  for (int64_t i = 0; i <= (n - 1) * step; i += std::max(kLine, step)) hwy::Prefetch(first + i);
}

struct Truth {
  uint8_t byte;
};
template <typename T>
struct Replaced {
  explicit Replaced(const UpdateData&) {}

  T operator()(T, T x) const { return x; }
};
// Integers wrap.
template <typename T>
struct Sum {
  explicit Sum(const UpdateData& data) {
    if constexpr (std::is_floating_point_v<T>) {
      alpha = static_cast<T>(data.alpha);
    } else {
      alpha = data.whole_alpha;
    }
  }

  std::conditional_t<std::is_floating_point_v<T>, T, int64_t> alpha;

  T operator()(T sum, T x) const {
    if constexpr (std::is_floating_point_v<T>) {
      return sum + alpha * x;
    } else {
      return static_cast<T>(static_cast<uint64_t>(sum) +
                            static_cast<uint64_t>(alpha) * static_cast<uint64_t>(x));
    }
  }
};
template <>
struct Sum<Truth> {
  explicit Sum(const UpdateData& data) : alpha(data.whole_alpha != 0) {}

  bool alpha;

  Truth operator()(Truth sum, Truth x) const {
    return {static_cast<uint8_t>(sum.byte != 0 || (alpha && x.byte != 0))};
  }
};
template <typename T>
struct Product {
  explicit Product(const UpdateData&) {}

  T operator()(T product, T x) const {
    if constexpr (std::is_floating_point_v<T>) {
      return product * x;
    } else {
      return static_cast<T>(static_cast<uint64_t>(product) * static_cast<uint64_t>(x));
    }
  }
};
template <>
struct Product<Truth> {
  explicit Product(const UpdateData&) {}

  Truth operator()(Truth product, Truth x) const {
    return {static_cast<uint8_t>(product.byte != 0 && x.byte != 0)};
  }
};

// The same step for consecutive elements is a loop of its own, which becomes vectors.
template <typename T, typename Function>
void ApplyToLines(T* out, int64_t out_step, const T* source, int64_t source_step, int64_t count,
                  Function function) {
  if (out_step == 1 && source_step == 1) {
    for (int64_t j = 0; j < count; ++j) out[j] = function(out[j], source[j]);
  } else {
    for (int64_t j = 0; j < count; ++j) {
      out[j * out_step] = function(out[j * out_step], source[j * source_step]);
    }
  }
}

// What the entries of all lines have in common.
struct Entries {
  EntryPlaces places;
  EntrySources sources;
  int64_t count;
  bool shared;  // the indices, by all lines
  // Elements from a line to the next.
  int64_t out_inner, source_inner, index_inner;
};
Entries EntriesOf(const UpdateShape& shape, const UpdateData& data) {
  const auto& stride = shape.lines.stride;
  const int inner = shape.lines.rank - 1;
  return {.places = {data.index, shape.index_step, shape.extent, shape.out_step},
          .sources = {data.sources, shape.source_step},
          .count = shape.count,
          .shared = shape.SharesIndices(),
          .out_inner = stride[0][inner],
          .source_inner = stride[1][inner],
          .index_inner = stride[2][inner]};
}
// Lines side by side.
struct Run {
  void* out;
  const void* source;
  int64_t line;  // in the indices
  int64_t n;
};
// `size`: bytes of an element.
Run RunAt(const UpdateData& data, const int64_t (&at)[3], int64_t n, int64_t size) {
  return {static_cast<char*>(data.out) + at[0] * size,
          static_cast<const char*>(data.source) + at[1] * size, at[2], n};
}

// Applies the entries that go to a share of the places; single elements are prefetched `ahead` of
// their turn. False when indices were skipped.
template <typename T, class Function>
bool ApplyToRun(const Entries& all, const Run& run, const Share& share, int64_t ahead,
                const UpdateData& data) {
  // Copies: what is written may be none of them.
  const EntryPlaces places = all.places;
  const EntrySources sources = all.sources;
  const int64_t count = all.count, line = run.line, n = run.n;
  const int64_t out_inner = all.out_inner, source_inner = all.source_inner;
  const int64_t index_inner = all.index_inner;
  const bool shared = all.shared;
  const Function function(data);
  T* const to = static_cast<T*>(run.out);
  const T* const from = static_cast<const T*>(run.source);
  if (n == 1) {
    return EachEntry(places, line, count, share, [=](int64_t place, int64_t s) {
      if (s + ahead < count) hwy::Prefetch(to + places.Of(line, s + ahead));
      to[place] = function(to[place], from[sources.Of(s)]);
    });
  }
  bool all_known = true;
  const auto goes_here = [&](int64_t place) {
    all_known &= place >= 0;
    return share.Has(place);
  };
  for (int64_t s = 0; s < count; ++s) {
    const int64_t away = sources.Of(s), next = s + kAhead;
    if (shared) {
      const int64_t place = places.Of(line, s);
      if (!goes_here(place)) continue;
      if (next < count) {
        const int64_t later = places.Of(line, next);
        if (share.Has(later)) Prefetch(to + later, std::min(n, kMostAhead), out_inner);
      }
      ApplyToLines(to + place, out_inner, from + away, source_inner, n, function);
      continue;
    }
    // Rows lie too far apart for the processor to see the next ones coming.
    if (next < count) {
      Prefetch(places.index + line + next * places.step, n, index_inner);
      Prefetch(from + sources.Of(next), n, source_inner);
    }
    for (int64_t j = 0; j < n; ++j) {
      const int64_t place = places.Of(line + j * index_inner, s);
      if (!goes_here(place)) continue;
      T& element = to[place + j * out_inner];
      element = function(element, from[away + j * source_inner]);
    }
  }
  return all_known;
}

// `size`: bytes of an element.
bool ApplyInOrder(const UpdateShape& shape, const UpdateData& data, int64_t size,
                  decltype(&ApplyToRun<float, Sum<float>>) apply) {
  const Entries all = EntriesOf(shape, data);
  const Walk<3>& lines = shape.lines;
  // Neighbouring lines at once, if entries are further from each other than lines are.
  const bool across = shape.IsAcross() || (all.shared && data.sources != nullptr);
  const int64_t width = !across ? 1 : all.shared ? kTogether : WidthOf(shape.extent);
  const int64_t chunks = CeilDivide(lines.count, width);
  const int64_t together = std::min(width, lines.count);
  const int64_t bytes = shape.extent * together * size;
  const int bits = all.shared && together > 1 ? ShareBits(chunks, shape.count)
                                              : ShareBitsOfElements(chunks, shape.count, bytes);
  const int64_t ahead = bits == 0 ? AheadOf(bytes, shape.count) : shape.count;
  const int64_t shares = int64_t{1} << bits;
  const int64_t grain = std::max<int64_t>(1, kGrain / std::max<int64_t>(1, shape.count * together));
  std::atomic<bool> skipped = false;
  ParallelFor(chunks * shares, grain, [&](int64_t begin, int64_t end) {
    for (int64_t task = begin; task < end; ++task) {
      const int64_t first = task / shares * width;
      bool all_known = true;
      lines.Visit(
          first, std::min(lines.count, first + width), [&](const int64_t(&at)[3], int64_t n) {
            const Share share = ShareOf(all.places, at[2], shape.count, bits, task % shares);
            all_known &= apply(all, RunAt(data, at, n, size), share, ahead, data);
          });
      if (!all_known) skipped.store(true, std::memory_order_relaxed);
    }
  });
  return !skipped.load(std::memory_order_relaxed);
}
template <template <typename> class Function, typename T>
bool ApplyInOrder(const UpdateShape& shape, const UpdateData& data) {
  return ApplyInOrder(shape, data, int64_t{sizeof(T)}, &ApplyToRun<T, Function<T>>);
}

// ---- Sorted by where they go

struct Entry {
  int64_t place;
  int64_t s;
  uint64_t Key() const { return static_cast<uint64_t>(place); }
};
constexpr int64_t kFew = 256;

// The entries of a line that go somewhere, those that go to one place after each other and in their
// order. Two buffers with room for all of them.
struct Sorted {
  const Entry* entries;
  int64_t count;
};
Sorted SortEntries(const EntryPlaces& places, int64_t line, int64_t count, Entry* buffer,
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

// The same of sums whose lines lie beside each other in the output and in the source.
template <typename T>
void AddGroup(const Entry* entries, int64_t count, const Entries& all, const Run& run, DType dtype,
              double alpha, const copy::Converter& to_element) {
  constexpr int64_t kRows = 64;
  const auto row_of = [&](const Entry& entry) -> const void* {
    return static_cast<const T*>(run.source) + all.sources.Of(entry.s);
  };
  T* const to = static_cast<T*>(run.out) + entries->place;
  if (count == 1 && alpha == 1) return AddRow(dtype, row_of(*entries), run.n, to);
  double totals[kTogether];
  const void* rows[kRows];
  for (int64_t i = 0; i < count; i += kRows) {
    const int64_t some = std::min(kRows, count - i);
    std::transform(entries + i, entries + i + some, rows, row_of);
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
bool ApplySorted(const UpdateShape& shape, const UpdateData& data, int64_t size,
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

template <typename T, bool kMultiplies>
bool ApplyInDouble(const UpdateShape& shape, const UpdateData& data) {
  constexpr int64_t kSize = sizeof(T);
  return shape.HasTotals() ? ApplyByTotals(shape, data, kSize, &ApplyByTotals<T, kMultiplies>)
                           : ApplySorted(shape, data, kSize, &ApplyGroups<T, kMultiplies>);
}
template <typename T>
bool ApplyInDouble(const UpdateShape& shape, const UpdateData& data) {
  return shape.operation == Operation::kMultiply ? ApplyInDouble<T, true>(shape, data)
                                                 : ApplyInDouble<T, false>(shape, data);
}
template <typename T>
bool ApplyAsStored(const UpdateShape& shape, const UpdateData& data) {
  return shape.operation == Operation::kMultiply ? ApplyInOrder<Product, T>(shape, data)
                                                 : ApplyInOrder<Sum, T>(shape, data);
}

}  // namespace

bool UpdateShape::SharesIndices() const {
  for (int d = 0; d < lines.rank; ++d) {
    if (lines.extent[d] > 1 && lines.stride[2][d] != 0) return false;
  }
  return true;
}

bool UpdateShape::IsAcross() const {
  const int inner = lines.rank - 1;
  if (SharesIndices()) return lines.stride[1][inner] <= source_step;
  return lines.stride[2][inner] != 0 && lines.stride[2][inner] < index_step;
}

Moved UpdateShape::Moves() const {
  const int64_t elements = count * lines.count;
  return {.read = operation == Operation::kReplace ? 0 : elements, .written = elements};
}

bool UpdateShape::InDouble() const {
  constexpr int64_t kManyForAPlace = 16;
  if (operation == Operation::kReplace) return false;
  if (dtype == DType::kFloat32) return count / kManyForAPlace >= (places > 0 ? places : extent);
  return dtype == DType::kFloat16 || dtype == DType::kBFloat16;
}

bool UpdateShape::HasTotals() const {
  // Many lines have one order of their entries in common.
  return extent / 4 <= count && (!SharesIndices() || lines.count < kFewLines);
}

int64_t UpdateShape::ScratchBytes() {
  if (!InDouble()) return 0;
  const bool totals = HasTotals();
  if (totals && IsAcross()) width = std::min(lines.count, WidthOf(extent));
  if (totals || !SharesIndices()) {
    lanes = std::min<int64_t>({CeilDivide(lines.count, width), TeamSize(), Slots::kMost});
  }
  const auto size = static_cast<int64_t>(totals ? sizeof(double) : 2 * sizeof(Entry));
  int64_t bytes;
  return __builtin_mul_overflow(lanes * width * size, totals ? extent : count, &bytes) ? -1 : bytes;
}

bool Apply(const UpdateShape& shape, const UpdateData& data) {
  if (shape.operation == Operation::kReplace) {
    switch (SizeOf(shape.dtype)) {
      case 1:
        return ApplyInOrder<Replaced, uint8_t>(shape, data);
      case 2:
        return ApplyInOrder<Replaced, uint16_t>(shape, data);
      case 4:
        return ApplyInOrder<Replaced, uint32_t>(shape, data);
      default:
        return ApplyInOrder<Replaced, uint64_t>(shape, data);
    }
  }
  switch (shape.dtype) {
    case DType::kFloat32:
      return shape.InDouble() ? ApplyInDouble<float>(shape, data)
                              : ApplyAsStored<float>(shape, data);
    case DType::kFloat16:
      return ApplyInDouble<Float16>(shape, data);
    case DType::kBFloat16:
      return ApplyInDouble<BFloat16>(shape, data);
    case DType::kFloat64:
      return ApplyAsStored<double>(shape, data);
    case DType::kInt64:
      return ApplyAsStored<int64_t>(shape, data);
    case DType::kInt32:
      return ApplyAsStored<int32_t>(shape, data);
    case DType::kInt16:
      return ApplyAsStored<int16_t>(shape, data);
    case DType::kInt8:  // Integers that wrap have the same bits with a sign.
    case DType::kUInt8:
      return ApplyAsStored<uint8_t>(shape, data);
    default:
      return ApplyAsStored<Truth>(shape, data);
  }
}

}  // namespace aclimb::indexing
