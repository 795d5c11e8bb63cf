#include "aclimb/ops/unique_slices/slice_order.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "aclimb/core/divide.h"
#include "aclimb/simd/digit_sort.h"
#include "aclimb/simd/order_key.h"
#include "aclimb/simd/parallel.h"

namespace aclimb::unique_slices {
namespace {

// Elements or entries of a piece of a loop, about.
constexpr int64_t kPiece = 1 << 14;
// Slices whose keys are made together: as many elements as a cache line has, where they lie side by
// side.
constexpr int64_t kTogether = 16;
// Up to so many entries, comparing is faster than counting.
constexpr int64_t kFew = 64;

// A slice as it is sorted: some of its keys, and which one it is.
struct Entry {
  uint64_t key;
  int64_t slice;

  uint64_t Key() const { return key; }
};
// Entries that follow each other and are equal in all words so far.
struct Group {
  int64_t begin;
  int64_t count;
};

// The keys of a slice from one of its words on.
struct Keys {
  const uint64_t* first;
  int64_t words;
  int64_t from;

  const uint64_t* Of(const Entry& entry) const { return first + entry.slice * words; }
  bool Differ(const Entry& a, const Entry& b) const {
    return !std::equal(Of(a) + from, Of(a) + words, Of(b) + from);
  }
  bool IsLess(const Entry& a, const Entry& b) const {
    const auto [in_a, in_b] = std::mismatch(Of(a) + from, Of(a) + words, Of(b) + from);
    return in_a != Of(a) + words ? *in_a < *in_b : a.slice < b.slice;
  }
};

// Sorts a group by its keys' word `keys.from`, or a small one by all words from there on. Marks
// which entries are not like the one before, and tells `rest` of groups that the other words
// decide.
template <typename Rest>
void SortGroup(const Keys& keys, Group group, Entry* entries, Entry* others, uint8_t* begins,
               const Rest& rest) {
  Entry* const own = entries + group.begin;
  uint8_t* const own_begins = begins + group.begin;
  if (group.count <= kFew) {
    std::sort(own, own + group.count,
              [&](const Entry& a, const Entry& b) { return keys.IsLess(a, b); });
    for (int64_t i = 1; i < group.count; ++i) own_begins[i] = keys.Differ(own[i - 1], own[i]);
    return;
  }
  for (int64_t i = 0; i < group.count; ++i) own[i].key = keys.Of(own[i])[keys.from];
  const Entry* const sorted = SortByDigits(own, others + group.begin, group.count, 64);
  if (sorted != own) std::copy_n(sorted, group.count, own);
  int64_t first = 0;
  for (int64_t i = 1; i <= group.count; ++i) {
    if (i < group.count && own[i].key == own[first].key) continue;
    if (i < group.count) own_begins[i] = 1;
    if (i - first > 1) rest(Group{group.begin + first, i - first});
    first = i;
  }
}

}  // namespace

SliceOrder::SliceOrder(WorkspaceLedger& workspace, DType dtype, int64_t outer, int64_t length,
                       int64_t inner)
    : dtype_(dtype),
      outer_(outer),
      length_(length),
      inner_(inner),
      words_(CeilDivide(outer * inner, static_cast<int64_t>(sizeof(uint64_t) / SizeOf(dtype)))) {
  int64_t keys;
  if (__builtin_mul_overflow(length, words_, &keys)) keys = -1;
  keys_ = workspace.Book(keys, sizeof(uint64_t));
  has_nan_ = workspace.Book(length);
  entries_ = workspace.Book(length, 2 * sizeof(Entry));
  // Groups of two slices and more, those of one word and of the next.
  groups_ = workspace.Book(length, sizeof(Group));
}

// Keys stand in words as the digits of a number do, the first one highest: words then compare as
// the keys do.
void SliceOrder::MakeKeys(const void* slices, int64_t begin, int64_t end, uint64_t* keys,
                          uint8_t* has_nan) const {
  order_key::Of(dtype_, ~uint64_t{0}, [&](auto key) {
    using T = typename decltype(key)::Stored;
    constexpr int kBits = 8 * sizeof(T), kInWord = 64 / kBits;
    constexpr T kNan = static_cast<T>(~T{0});
    const bool has_nans = IsFloating(dtype_);
    for (int64_t some = begin; some < end; some += kTogether) {
      const int64_t some_end = std::min(end, some + kTogether);
      std::fill(keys + some * words_, keys + some_end * words_, 0);
      std::fill(has_nan + some, has_nan + some_end, 0);
      for (int64_t o = 0; o < outer_; ++o) {
        for (int64_t slice = some; slice < some_end; ++slice) {
          const T* const from = static_cast<const T*>(slices) + (o * length_ + slice) * inner_;
          uint64_t* const to = keys + slice * words_;
          bool nan = false;
          for (int64_t i = 0; i < inner_; ++i) {
            const int64_t place = o * inner_ + i;
            const T bits = key(from[i]);
            nan |= bits == kNan;
            to[place / kInWord] |= uint64_t{bits} << (64 - kBits * (1 + place % kInWord));
          }
          if (has_nans && nan) has_nan[slice] = 1;
        }
      }
    }
  });
}

bool SliceOrder::Run(const RunContext& run, const void* slices, int64_t* order,
                     uint8_t* begins) const {
  auto* const keys = run.Piece<uint64_t>(keys_);
  auto* const has_nan = run.Piece<uint8_t>(has_nan_);
  auto* const entries = run.Piece<Entry>(entries_);
  auto* groups = run.Piece<Group>(groups_);
  auto* next_groups = groups + length_ / 2;
  const int64_t some = std::max(kTogether, kPiece / (outer_ * inner_) / kTogether * kTogether);
  bool whole = ParallelForAll(length_, some, [&](int64_t begin, int64_t end) {
    MakeKeys(slices, begin, end, keys, has_nan);
    for (int64_t i = begin; i < end; ++i) entries[i].slice = i;
  });
  std::memset(begins, 0, static_cast<size_t>(length_));
  begins[0] = 1;
  int64_t count = length_ > 1 ? 1 : 0;
  if (count > 0) groups[0] = {0, length_};
  for (int64_t word = 0; word < words_ && count > 0 && whole; ++word) {
    // Where a group is noted does not matter: each has its own entries.
    std::atomic<int64_t> next = 0;
    const int64_t grain = std::max<int64_t>(1, kPiece / CeilDivide(length_, count));
    whole = ParallelForAll(count, grain, [&](int64_t first, int64_t last) {
      for (int64_t g = first; g < last; ++g) {
        SortGroup(Keys{keys, words_, word}, groups[g], entries, entries + length_, begins,
                  [&](Group group) {
                    next_groups[next.fetch_add(1, std::memory_order_relaxed)] = group;
                  });
      }
    });
    count = next.load(std::memory_order_relaxed);
    std::swap(groups, next_groups);
  }
  return whole && ParallelForAll(length_, kPiece, [&](int64_t begin, int64_t end) {
           for (int64_t i = begin; i < end; ++i) {
             order[i] = entries[i].slice;
             if (has_nan[order[i]] != 0) begins[i] = 1;
           }
         });
}

}  // namespace aclimb::unique_slices
