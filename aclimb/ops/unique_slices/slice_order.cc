#include "aclimb/ops/unique_slices/slice_order.h"

#include <algorithm>
#include <atomic>
#include <bit>

#include "aclimb/core/divide.h"
#include "aclimb/simd/digit_sort.h"
#include "aclimb/simd/order_key.h"
#include "aclimb/simd/parallel.h"

namespace aclimb::unique_slices {
namespace {

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

// The keys of slices.
template <typename Key>
struct Slices {
  using T = typename Key::Stored;

  const T* first;
  int64_t outer, length, inner;
  Key key;

  int64_t Elements() const { return outer * inner; }
  // From the first element of a slice.
  int64_t OffsetOf(int64_t element) const {
    return element / inner * length * inner + element % inner;
  }
  // The elements of a slice that lie side by side.
  const T* Run(int64_t slice, int64_t o) const { return first + (o * length + slice) * inner; }

  // Below 0 where `a` comes first, from an element on; 0 where all keys are equal.
  int Compare(int64_t a, int64_t b, int64_t element) const {
    int64_t from = element % inner;
    for (int64_t o = element / inner; o < outer; ++o, from = 0) {
      const T *const in_a = Run(a, o), *const in_b = Run(b, o);
      for (int64_t i = from; i < inner; ++i) {
        if (in_a[i] == in_b[i]) continue;
        const T of_a = key(in_a[i]), of_b = key(in_b[i]);
        if (of_a != of_b) return of_a < of_b ? -1 : 1;
      }
    }
    return 0;
  }
  bool HasNan(int64_t slice) const {
    constexpr T kNan = static_cast<T>(~T{0});
    for (int64_t o = 0; o < outer; ++o) {
      for (int64_t i = 0; i < inner; ++i) {
        if (key(Run(slice, o)[i]) == kNan) return true;
      }
    }
    return false;
  }
};

// Words of 64 bits, which compare as the keys of some elements do. An element that differs has as
// many bits as its keys' largest difference, from the least key on; the first stands highest.
struct Words {
  static constexpr int64_t kMost = 64;
  struct Part {
    int64_t element, offset;
    uint64_t least;
    int bits;
  };
  struct Word {
    int64_t begin, end;  // its parts
    int bits;
  };

  Part parts[kMost];
  Word words[kMost];
  int64_t count = 0;

  // Of elements from one on, as they are in some groups.
  template <typename Key>
  Words(const Slices<Key>& slices, int64_t element, const Group* groups, int64_t group_count,
        const Entry* entries) {
    const int64_t some = std::min(kMost, slices.Elements() - element);
    int64_t offset[kMost];
    uint64_t least[kMost], most[kMost] = {};
    std::fill_n(least, some, ~uint64_t{0});
    for (int64_t e = 0; e < some; ++e) offset[e] = slices.OffsetOf(element + e);
    for (const Group* group = groups; group != groups + group_count; ++group) {
      for (int64_t i = group->begin; i < group->begin + group->count; ++i) {
        const auto* const own = slices.Run(entries[i].slice, 0);
        for (int64_t e = 0; e < some; ++e) {
          const uint64_t key = slices.key(own[offset[e]]);
          least[e] = std::min(least[e], key);
          most[e] = std::max(most[e], key);
        }
      }
    }
    int64_t part = 0;
    for (int64_t e = 0; e < some; ++e) {
      const int bits = std::bit_width(most[e] - least[e]);
      if (bits == 0) continue;
      if (count == 0 || words[count - 1].bits + bits > 64) words[count++] = {part, part, 0};
      parts[part++] = {element + e, offset[e], least[e], bits};
      words[count - 1].end = part;
      words[count - 1].bits += bits;
    }
  }

  template <typename Key>
  uint64_t Of(const Slices<Key>& slices, int64_t slice, const Word& word) const {
    const auto* const own = slices.Run(slice, 0);
    uint64_t all = 0;
    for (const Part* part = parts + word.begin; part != parts + word.end; ++part) {
      // Only one alone has all of the bits.
      all = all << (part->bits & 63) | (slices.key(own[part->offset]) - part->least);
    }
    return all;
  }
};

// Sorts a group by one word, or a small one by all elements from there on. Marks which entries are
// not like the one before, and tells `rest` of groups that other elements decide.
template <typename Key, typename Rest>
void SortGroup(const Slices<Key>& slices, const Words& words, const Words::Word& word, Group group,
               Entry* entries, Entry* others, uint8_t* begins, const Rest& rest) {
  Entry* const own = entries + group.begin;
  uint8_t* const own_begins = begins + group.begin;
  if (group.count <= kFew) {
    const int64_t element = words.parts[word.begin].element;
    std::sort(own, own + group.count, [&](const Entry& a, const Entry& b) {
      const int order = slices.Compare(a.slice, b.slice, element);
      return order != 0 ? order < 0 : a.slice < b.slice;
    });
    for (int64_t i = 1; i < group.count; ++i) {
      own_begins[i] = slices.Compare(own[i - 1].slice, own[i].slice, element) != 0;
    }
    return;
  }
  for (int64_t i = 0; i < group.count; ++i) own[i].key = words.Of(slices, own[i].slice, word);
  const Entry* const sorted = SortByDigits(own, others + group.begin, group.count, word.bits);
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
    : dtype_(dtype), outer_(outer), length_(length), inner_(inner) {
  entries_ = workspace.Book(length, 2 * sizeof(Entry));
  // Groups of two slices and more, those of one word and of the next.
  groups_ = workspace.Book(length, sizeof(Group));
}

bool SliceOrder::Run(const RunContext& run, const void* slices, int64_t* order,
                     uint8_t* begins) const {
  return order_key::Of(dtype_, ~uint64_t{0},
                       [&](auto key) { return RunAs(run, key, slices, order, begins); });
}

template <typename Key>
bool SliceOrder::RunAs(const RunContext& run, const Key& key, const void* data, int64_t* order,
                       uint8_t* begins) const {
  const Slices<Key> slices = {static_cast<const typename Key::Stored*>(data), outer_, length_,
                              inner_, key};
  auto* const entries = run.Piece<Entry>(entries_);
  auto* groups = run.Piece<Group>(groups_);
  auto* next_groups = groups + length_ / 2;
  for (int64_t i = 0; i < length_; ++i) entries[i].slice = i;
  std::fill_n(begins, length_, 0);
  begins[0] = 1;
  int64_t count = length_ > 1 ? 1 : 0;
  if (count > 0) groups[0] = {0, length_};
  bool whole = true;
  for (int64_t element = 0; element < slices.Elements() && count > 0; element += Words::kMost) {
    const Words words(slices, element, groups, count, entries);
    for (int64_t word = 0; word < words.count && count > 0 && whole; ++word) {
      // Where a group is noted does not matter: each has its own entries.
      std::atomic<int64_t> next = 0;
      const int64_t grain = std::max<int64_t>(1, kPiece / CeilDivide(length_, count));
      whole = ParallelForAll(count, grain, [&](int64_t first, int64_t last) {
        for (int64_t g = first; g < last; ++g) {
          SortGroup(slices, words, words.words[word], groups[g], entries, entries + length_, begins,
                    [&](Group group) {
                      next_groups[next.fetch_add(1, std::memory_order_relaxed)] = group;
                    });
        }
      });
      count = next.load(std::memory_order_relaxed);
      std::swap(groups, next_groups);
    }
    if (!whole) return false;
  }
  const bool has_nans = IsFloating(dtype_);
  const int64_t some = std::max<int64_t>(1, kPiece / (outer_ * inner_));
  return ParallelForAll(length_, some, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      order[i] = entries[i].slice;
      if (has_nans && begins[i] == 0 && slices.HasNan(order[i])) begins[i] = 1;
    }
  });
}

}  // namespace aclimb::unique_slices
