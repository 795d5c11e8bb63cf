#include "aclimb/ops/indexing/update.h"

#include <hwy/cache_control.h>

#include <algorithm>
#include <atomic>
#include <type_traits>

#include "aclimb/copy/storage.h"
#include "aclimb/core/divide.h"
#include "aclimb/core/half.h"
#include "aclimb/ops/indexing/groups.h"
#include "aclimb/ops/indexing/runs.h"
#include "aclimb/ops/indexing/totals.h"
#include "aclimb/simd/parallel.h"

namespace aclimb::indexing {
namespace {

// Lines that are taken at once if each has indices of its own: whole cache lines of places, which
// stay in the cache.
int64_t WidthOf(int64_t extent) { return std::clamp<int64_t>(32 * 1024 / extent, 16, kTogether); }

// ---- One entry after the other

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
struct Sum<Bool> {
  explicit Sum(const UpdateData& data) : alpha(data.whole_alpha != 0) {}

  bool alpha;

  Bool operator()(Bool sum, Bool x) const {
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
struct Product<Bool> {
  explicit Product(const UpdateData&) {}

  Bool operator()(Bool product, Bool x) const {
    return {static_cast<uint8_t>(product.byte != 0 && x.byte != 0)};
  }
};
template <typename T>
struct Counted {
  explicit Counted(const UpdateData&) {}

  T operator()(T count, T) const { return static_cast<T>(static_cast<uint64_t>(count) + 1); }
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

// Applies the entries of one line that go to a share of the places; they are prefetched `ahead` of
// their turn. False when indices were skipped. A function of its own, since beside the loops over
// rows the compiler keeps less of this one in registers, which takes a fifth longer.
template <typename T, class Function>
[[gnu::noinline]] bool ApplyToLine(const EntryPlaces places, const EntrySources sources,
                                   int64_t line, int64_t count, const Share share, int64_t ahead,
                                   const Function function, T* const to, const T* const from) {
  if (sources.table == nullptr && ahead == count) {
    return EachEntry(places, line, count, share, [=](int64_t place, int64_t s) {
      to[place] = function(to[place], from[s * sources.step]);
    });
  }
  return EachEntry(places, line, count, share, [=](int64_t place, int64_t s) {
    if (s + ahead < count) hwy::Prefetch(to + places.Of(line, s + ahead));
    to[place] = function(to[place], from[sources.Of(s)]);
  });
}

// ApplyToLine() for lines side by side.
template <typename T, class Function>
bool ApplyToRun(const Entries& all, const Run& run, const Share& share, int64_t ahead,
                const UpdateData& data) {
  // Copies: what is written may be none of them.
  const EntryPlaces places = all.places;
  const EntrySources sources = all.sources;
  const int64_t count = all.count, line = run.line, n = run.n;
  const int64_t out_inner = all.out_inner, source_inner = all.source_inner;
  const int64_t index_inner = all.index_inner;
  const Function function(data);
  T* const to = static_cast<T*>(run.out);
  const T* const from = static_cast<const T*>(run.source);
  if (n == 1) {
    return ApplyToLine(places, sources, line, count, share, ahead, function, to, from);
  }
  // Rows lie too far apart for the processor to see the next ones coming.
  if (all.shared) {
    // Sources of all entries in their order are seen coming.
    const bool skips = !share.IsAll() || sources.table != nullptr;
    return EachBlock(places, line, count, share, [=](const OwnEntry* own, int64_t chosen) {
      const auto fetch = [=](const OwnEntry& entry) {
        Prefetch(to + entry.place, std::min(n, kMostAhead), out_inner);
        if (skips) Prefetch(from + sources.Of(entry.s), std::min(n, kMostAhead), source_inner);
      };
      for (int64_t k = 0; k < std::min(kAhead, chosen); ++k) fetch(own[k]);
      for (int64_t k = 0; k < chosen; ++k) {
        if (k + kAhead < chosen) fetch(own[k + kAhead]);
        ApplyToLines(to + own[k].place, out_inner, from + sources.Of(own[k].s), source_inner, n,
                     function);
      }
    });
  }
  bool all_known = true;
  for (int64_t s = 0; s < count; ++s) {
    const int64_t away = sources.Of(s), next = s + kAhead;
    if (next < count) {
      Prefetch(places.index + line + next * places.step, n, index_inner);
      Prefetch(from + sources.Of(next), n, source_inner);
    }
    for (int64_t j = 0; j < n; ++j) {
      const int64_t place = places.Of(line + j * index_inner, s);
      all_known &= place >= 0;
      if (!share.Has(place)) continue;
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
  const int bits = all.shared && together > 1 ? ShareBits(chunks, shape.count * together)
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
  return IsHalf(dtype);
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
  if (shape.operation == Operation::kCount) {
    return shape.dtype == DType::kInt64 ? ApplyInOrder<Counted, int64_t>(shape, data)
                                        : ApplyInOrder<Counted, int32_t>(shape, data);
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
      return ApplyAsStored<Bool>(shape, data);
  }
}

}  // namespace aclimb::indexing
