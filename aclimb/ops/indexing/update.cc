#include "aclimb/ops/indexing/update.h"

#include <hwy/cache_control.h>

#include <algorithm>
#include <atomic>
#include <type_traits>

#include "aclimb/core/divide.h"
#include "aclimb/core/half.h"
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
  T operator()(T, T x) const { return x; }
};
// Integers wrap.
template <typename T>
struct Sum {
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
  bool alpha;

  Truth operator()(Truth sum, Truth x) const {
    return {static_cast<uint8_t>(sum.byte != 0 || (alpha && x.byte != 0))};
  }
};
template <typename T>
struct Product {
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

template <typename T, typename Function>
bool ApplyInOrder(const UpdateShape& shape, const UpdateData& data, Function function) {
  const EntryPlaces places = {data.index, shape.index_step, shape.extent, shape.out_step};
  const EntrySources sources = {data.sources, shape.source_step};
  T* const out = static_cast<T*>(data.out);
  const T* const source = static_cast<const T*>(data.source);
  const Walk<3>& lines = shape.lines;
  const int inner = lines.rank - 1;
  const int64_t out_inner = lines.stride[0][inner], source_inner = lines.stride[1][inner];
  const int64_t index_inner = lines.stride[2][inner];
  const bool shared = shape.SharesIndices();
  // Neighbouring lines at once, if entries are further from each other than lines are.
  const bool across = shape.IsAcross() || (shared && data.sources != nullptr);
  const int64_t width = !across ? 1 : shared ? kTogether : WidthOf(shape.extent);
  const int64_t chunks = CeilDivide(lines.count, width);
  const int64_t together = std::min(width, lines.count);
  const int64_t bytes = shape.extent * together * int64_t{sizeof(T)};
  const int bits = shared && together > 1 ? ShareBits(chunks, shape.count)
                                          : ShareBitsOfElements(chunks, shape.count, bytes);
  // Single elements that no near cache holds are prefetched so many entries before.
  constexpr int64_t kNearBytes = 512 * 1024, kFarAhead = 32;
  const int64_t count = shape.count;
  const int64_t ahead = bits == 0 && bytes > kNearBytes ? kFarAhead : count;
  const int64_t shares = int64_t{1} << bits;
  const int64_t grain = std::max<int64_t>(1, kGrain / std::max<int64_t>(1, shape.count * together));
  std::atomic<bool> skipped = false;
  ParallelFor(chunks * shares, grain, [&](int64_t begin, int64_t end) {
    for (int64_t task = begin; task < end; ++task) {
      const int64_t first = task / shares * width;
      bool all_known = true;
      lines.Visit(
          first, std::min(lines.count, first + width), [&](const int64_t(&at)[3], int64_t n) {
            T* const to = out + at[0];
            const T* const from = source + at[1];
            const int64_t line = at[2];
            const Share share = ShareOf(places, line, count, bits, task % shares);
            if (n == 1) {
              all_known &= EachEntry(places, line, count, share, [=](int64_t place, int64_t s) {
                if (s + ahead < count) hwy::Prefetch(to + places.Of(line, s + ahead));
                to[place] = function(to[place], from[sources.Of(s)]);
              });
              return;
            }
            const auto goes_here = [&](int64_t place) {
              all_known &= place >= 0;
              return share.Has(place);
            };
            for (int64_t s = 0; s < shape.count; ++s) {
              const int64_t away = sources.Of(s);
              if (shared) {
                const int64_t place = places.Of(line, s);
                if (!goes_here(place)) continue;
                if (s + kAhead < count) {
                  const int64_t next = places.Of(line, s + kAhead);
                  if (share.Has(next)) Prefetch(to + next, std::min(n, kMostAhead), out_inner);
                }
                ApplyToLines(to + place, out_inner, from + away, source_inner, n, function);
                continue;
              }
              // Rows lie too far apart for the processor to see the next ones coming.
              if (const int64_t next = s + kAhead; next < shape.count) {
                Prefetch(places.index + at[2] + next * shape.index_step, n, index_inner);
                Prefetch(from + sources.Of(next), n, source_inner);
              }
              for (int64_t j = 0; j < n; ++j) {
                const int64_t place = places.Of(at[2] + j * index_inner, s);
                if (!goes_here(place)) continue;
                T& element = to[place + j * out_inner];
                element = function(element, from[away + j * source_inner]);
              }
            }
          });
      if (!all_known) skipped.store(true, std::memory_order_relaxed);
    }
  });
  return !skipped.load(std::memory_order_relaxed);
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

// Groups of equal places that begin in [begin, end), for `n` lines side by side, kTogether or less.
template <typename T, bool kMultiplies>
void ApplyGroups(const Sorted& sorted, int64_t begin, int64_t end, const EntrySources& sources,
                 double alpha, T* out, int64_t out_step, const T* source, int64_t source_step,
                 int64_t n) {
  double totals[kTogether];
  const auto starts = [&](int64_t i) {
    return i == 0 || sorted.entries[i].place != sorted.entries[i - 1].place;
  };
  int64_t i = begin;
  while (i < end && !starts(i)) ++i;
  while (i < end) {
    const int64_t place = sorted.entries[i].place;
    T* const to = out + place;
    for (int64_t j = 0; j < n; ++j) {
      totals[j] = static_cast<double>(ToFloat(to[j * out_step]));
    }
    for (; i < sorted.count && sorted.entries[i].place == place; ++i) {
      const T* const from = source + sources.Of(sorted.entries[i].s);
      for (int64_t j = 0; j < n; ++j) {
        const auto x = static_cast<double>(ToFloat(from[j * source_step]));
        if constexpr (kMultiplies) {
          totals[j] *= x;
        } else {
          totals[j] += alpha * x;
        }
      }
    }
    for (int64_t j = 0; j < n; ++j) {
      to[j * out_step] = RoundedOnce<T>(totals[j]);
    }
  }
}

template <typename T, bool kMultiplies>
bool ApplySorted(const UpdateShape& shape, const UpdateData& data) {
  const EntryPlaces places = {data.index, shape.index_step, shape.extent, shape.out_step};
  const EntrySources sources = {data.sources, shape.source_step};
  T* const out = static_cast<T*>(data.out);
  const T* const source = static_cast<const T*>(data.source);
  const Walk<3>& lines = shape.lines;
  const int inner = lines.rank - 1;
  const int64_t out_inner = lines.stride[0][inner], source_inner = lines.stride[1][inner];
  Entry* const entries = static_cast<Entry*>(data.scratch);
  if (shape.SharesIndices()) {
    const Sorted sorted = SortEntries(places, 0, shape.count, entries, entries + shape.count);
    // By the shape alone; groups are whole wherever the entries are cut.
    const int64_t width = std::min(lines.count, kTogether);
    const int64_t chunks = CeilDivide(lines.count, width);
    const int64_t piece = std::max<int64_t>(1, kGrain / width);
    const int64_t pieces = CeilDivide(sorted.count, piece);
    ParallelFor(chunks * pieces, 1, [&](int64_t begin, int64_t end) {
      for (int64_t task = begin; task < end; ++task) {
        const int64_t first = task / pieces * width, from = task % pieces * piece;
        lines.Visit(
            first, std::min(lines.count, first + width), [&](const int64_t(&at)[3], int64_t n) {
              ApplyGroups<T, kMultiplies>(sorted, from, std::min(sorted.count, from + piece),
                                          sources, data.alpha, out + at[0], out_inner,
                                          source + at[1], source_inner, n);
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
        const Sorted sorted = SortEntries(places, at[2] + j * lines.stride[2][inner], shape.count,
                                          buffer, buffer + shape.count);
        if (sorted.count < shape.count) skipped.store(true, std::memory_order_relaxed);
        ApplyGroups<T, kMultiplies>(sorted, 0, sorted.count, sources, data.alpha,
                                    out + at[0] + j * out_inner, 0,
                                    source + at[1] + j * source_inner, 0, 1);
      }
    });
  });
  return !skipped.load(std::memory_order_relaxed);
}

template <typename T>
bool ApplyInDouble(const UpdateShape& shape, const UpdateData& data) {
  if (shape.HasTotals()) {
    return shape.operation == Operation::kMultiply ? ApplyByTotals<T, true>(shape, data)
                                                   : ApplyByTotals<T, false>(shape, data);
  }
  return shape.operation == Operation::kMultiply ? ApplySorted<T, true>(shape, data)
                                                 : ApplySorted<T, false>(shape, data);
}
template <typename T>
bool ApplyAsStored(const UpdateShape& shape, const UpdateData& data) {
  if (shape.operation == Operation::kMultiply) {
    return ApplyInOrder<T>(shape, data, Product<T>());
  }
  if constexpr (std::is_same_v<T, Truth>) {
    return ApplyInOrder<T>(shape, data, Sum<T>{data.whole_alpha != 0});
  } else if constexpr (std::is_floating_point_v<T>) {
    return ApplyInOrder<T>(shape, data, Sum<T>{static_cast<T>(data.alpha)});
  } else {
    return ApplyInOrder<T>(shape, data, Sum<T>{data.whole_alpha});
  }
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
        return ApplyInOrder<uint8_t>(shape, data, Replaced<uint8_t>());
      case 2:
        return ApplyInOrder<uint16_t>(shape, data, Replaced<uint16_t>());
      case 4:
        return ApplyInOrder<uint32_t>(shape, data, Replaced<uint32_t>());
      default:
        return ApplyInOrder<uint64_t>(shape, data, Replaced<uint64_t>());
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
    case DType::kInt8:
      return ApplyAsStored<int8_t>(shape, data);
    case DType::kUInt8:
      return ApplyAsStored<uint8_t>(shape, data);
    default:
      return ApplyAsStored<Truth>(shape, data);
  }
}

}  // namespace aclimb::indexing
