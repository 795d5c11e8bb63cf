#include "aclimb/ops/sorts/sorter.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "aclimb/core/divide.h"
#include "aclimb/ops/sorts/before.h"
#include "aclimb/simd/digit_sort.h"
#include "aclimb/simd/parallel.h"

namespace aclimb::sorts {
namespace {

// From so many entries on, counting is faster than comparing.
constexpr int64_t kCounted = 1024;
// Elements whose entries are made together: few where vectors find the next one that is worth it.
constexpr int64_t kTogether = 128, kTogetherFound = 16;
// Entries that are kept beside the wanted ones until those are looked for again, at most. It begins
// with two times those that are made together, so that soon most elements are passed over, and
// grows where that is not so.
constexpr int64_t kMostRoom = 512;
// Of a short run, up to this many wanted entries are kept in order.
constexpr int64_t kFew = 16;
constexpr int64_t kShort = 512;
// Entries that are merged at once.
constexpr int64_t kMerged = 64 * 1024;

// How many of the first `count` entries of two sorted runs together are from the first one.
template <typename Entry>
int64_t ShareOfFirst(const Entry* first, int64_t first_count, const Entry* second,
                     int64_t second_count, int64_t count) {
  int64_t low = std::max<int64_t>(0, count - second_count), high = std::min(count, first_count);
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    if (first[middle] < second[count - middle - 1]) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

// Puts a few wanted entries first: the best so far stay in order while the others are compared with
// the last of them.
template <typename Entry>
void SelectFew(Entry* run, int64_t count, int64_t wanted) {
  for (int64_t i = 1; i < count; ++i) {
    const Entry entry = run[i];
    int64_t to = std::min(i, wanted);
    if (to == wanted && !(entry < run[wanted - 1])) continue;
    if (to == wanted) --to;
    for (; to > 0 && entry < run[to - 1]; --to) run[to] = run[to - 1];
    run[to] = entry;
  }
}

}  // namespace

// Once an entry is known before which, or at which, there are `wanted` ones, elements that come
// after it are passed over, most often without an entry.
template <typename Entry>
void Sorter<Entry>::Select(const void* line, int64_t stride, int64_t begin, int64_t count,
                           int64_t wanted, Entry* run) const {
  const bool finds = CanFindBefore(order_, stride);
  const int64_t at_once = finds ? kTogetherFound : kTogether;
  const auto size = static_cast<int64_t>(SizeOf(order_.dtype));
  int64_t room = 2 * (wanted + at_once), kept = 0, i = 0;
  alignas(float) unsigned char bound[sizeof(float)];
  const void* last_element = bound;
  Entry last;
  bool is_bound = finds && FindBound(order_, line, begin, count, wanted, bound);
  if (is_bound) {
    FillEntries(order_, bound, 1, 0, 1, &last);
    last = Entry::Of(last.Key(), begin + count - 1);
  } else {
    kept = i = std::min(count, room);
    FillEntries(order_, line, stride, begin, kept, run);
  }
  for (;; is_bound = false) {
    if (!is_bound) {
      std::nth_element(run, run + wanted - 1, run + kept);
      if (i == count) return;
      last = run[wanted - 1];
      last_element = static_cast<const char*>(line) + last.Place() * stride * size;
      kept = wanted;
    }
    const int64_t start = i;
    while (i < count && kept + at_once <= room) {
      if (finds) {
        i = FindBefore(order_, line, begin + i, begin + count, last_element, is_bound) - begin;
        if (i == count) break;
      }
      const int64_t together = is_bound ? 1 : std::min(at_once, count - i);
      FillEntries(order_, line, stride, begin + i, together, run + kept);
      i += together;
      const Entry* const made = run + kept;
      for (int64_t k = 0; k < together; ++k) {
        const Entry entry = made[k];
        run[kept] = entry;
        kept += last < entry ? 0 : 1;
      }
    }
    if (i - start < 2 * room) room = std::min(2 * room, 2 * wanted + kMostRoom);
  }
}

template <typename Entry>
Entry* Sorter<Entry>::SortRun(const void* line, int64_t stride, int64_t begin, int64_t count,
                              Entry* run, Entry* other) const {
  const bool counted = count >= kCounted && wanted_ > count / 4;
  const bool few = wanted_ <= kFew && count < kShort;
  if (counted || few || wanted_ >= count) {
    FillEntries(order_, line, stride, begin, count, run);
    if (counted) return SortByDigits(run, other, count, KeyBits(order_.dtype));
    few ? SelectFew(run, count, wanted_) : std::sort(run, run + count);
    return run;
  }
  Select(line, stride, begin, count, wanted_, run);
  std::sort(run, run + wanted_);
  return run;
}

template <typename Entry>
const Entry* Sorter<Entry>::SortAlone(const void* line, int64_t stride, Entry* buffer,
                                      Entry* other) const {
  if (!last_alone_) return SortRun(line, stride, 0, length_, buffer, other);
  Select(line, stride, 0, length_, wanted_, buffer);
  return buffer;
}

template <typename Entry>
const Entry* Sorter<Entry>::SortTogether(const void* line, int64_t stride, Entry* buffer,
                                         Entry* other) const {
  // As long as leaves each thread one: to merge them takes longer than to sort longer ones.
  const int64_t block_length = std::max(kLeastBlock, CeilDivide(length_, int64_t{TeamSize()}));
  const int64_t blocks = CeilDivide(length_, block_length);
  if (blocks == 1) return SortAlone(line, stride, buffer, other);
  bool whole = ParallelForAll(blocks, 1, [&](int64_t first, int64_t last) {
    for (int64_t block = first; block < last; ++block) {
      const int64_t begin = block * block_length, count = std::min(block_length, length_ - begin);
      Entry* const run = buffer + begin;
      const Entry* const sorted = SortRun(line, stride, begin, count, run, other + begin);
      if (sorted != run) std::copy_n(sorted, std::min(count, wanted_), run);
    }
  });
  // Runs of `width` blocks, of which the first `wanted` entries stand at their begin, become half
  // as many in the other buffer.
  for (int64_t width = 1; width < blocks && whole; width *= 2) {
    const auto count_of = [&](int64_t block) {
      const int64_t rest = length_ - std::min(length_, block * block_length);
      return std::min({wanted_, rest, width * block_length});
    };
    const int64_t pairs = CeilDivide(blocks, 2 * width);
    const int64_t pieces = CeilDivide(std::min(wanted_, 2 * width * block_length), kMerged);
    whole = ParallelForAll(pairs * pieces, 1, [&](int64_t begin, int64_t end) {
      for (int64_t piece = begin; piece < end; ++piece) {
        const int64_t left = piece / pieces * 2 * width, right = left + width;
        const Entry* const a = buffer + left * block_length;
        const Entry* const b = a + std::min(width * block_length, length_ - left * block_length);
        const int64_t a_count = count_of(left), b_count = count_of(right);
        const int64_t all = std::min(wanted_, a_count + b_count);
        const int64_t from = std::min(all, piece % pieces * kMerged);
        const int64_t to = std::min(all, from + kMerged);
        const int64_t a_from = ShareOfFirst(a, a_count, b, b_count, from);
        const int64_t a_to = ShareOfFirst(a, a_count, b, b_count, to);
        std::merge(a + a_from, a + a_to, b + (from - a_from), b + (to - a_to),
                   other + left * block_length + from);
      }
    });
    std::swap(buffer, other);
  }
  return whole ? buffer : nullptr;
}

template class Sorter<NarrowEntry>;
template class Sorter<WideEntry>;

}  // namespace aclimb::sorts
