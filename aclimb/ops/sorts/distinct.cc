#include "aclimb/ops/sorts/distinct.h"

#include <algorithm>
#include <utility>

#include "aclimb/core/divide.h"
#include "aclimb/ops/sorts/order.h"
#include "aclimb/simd/order_key.h"
#include "aclimb/simd/parallel.h"

namespace aclimb::sorts {
namespace {

// Shorter lines are sorted as fast.
constexpr int64_t kShortest = 4096;
// Elements of a part, at least.
constexpr int64_t kPart = 32 * 1024;
// Of so many elements one may be left. The table is half full at most, with twice as many entries
// each time that it grows, so that it is never longer than the part.
constexpr int64_t kShare = 8;
constexpr int kFirstBits = 8;

// What was seen of a part: entries have the place among the elements that are left, counted from 1.
template <typename Key, typename Entry>
class Table {
 public:
  using T = typename Key::Stored;

  Table(const Key& key, Entry* entries) : key_(key), entries_(entries) { Clear(); }

  // Looks through `count` elements; what is left of them goes to `left`. Returns how many there
  // are, or -1 when they are more than `most`.
  int64_t Condense(const T* from, int64_t count, int64_t most, T* left, int64_t* counts,
                   int64_t* inverse) {
    int64_t all = 0;
    for (int64_t i = 0; i < count; ++i) {
      Entry* const entry = IsNan(from[i]) ? nullptr : &At(key_(from[i]));
      int64_t place = entry == nullptr ? 0 : entry->Place();
      if (place == 0) {
        if (all == most) return -1;
        left[all] = from[i];
        counts[all] = 0;
        place = ++all;
        if (entry != nullptr) *entry = Entry::Of(key_(from[i]), place);
        if (2 * all > mask_) Grow(left, all);
      }
      ++counts[place - 1];
      if (inverse != nullptr) inverse[i] = place - 1;
    }
    return all;
  }

 private:
  bool IsNan(T element) const {
    if constexpr (requires { key_.nan; }) return key_(element) == key_.nan;
    return false;
  }
  // Where the key is, or the free entry where it belongs.
  Entry& At(uint64_t key) const {
    uint64_t at = key * 0x9E3779B97F4A7C15u >> (64 - bits_);
    while (entries_[at].Place() != 0 && entries_[at].Key() != key) at = (at + 1) & mask_;
    return entries_[at];
  }
  void Clear() {
    mask_ = (int64_t{1} << bits_) - 1;
    std::fill_n(entries_, mask_ + 1, Entry());
  }
  void Grow(const T* left, int64_t all) {
    ++bits_;
    Clear();
    for (int64_t i = 0; i < all; ++i) {
      if (!IsNan(left[i])) At(key_(left[i])) = Entry::Of(key_(left[i]), i + 1);
    }
  }

  const Key key_;
  Entry* const entries_;
  int bits_ = kFirstBits;
  int64_t mask_ = 0;
};

}  // namespace

Distinct::Distinct(WorkspaceLedger& workspace, DType dtype, int64_t count) {
  if (count < kShortest) return;
  dtype_ = dtype;
  count_ = count;
  part_ = CeilDivide(count, std::clamp<int64_t>(TeamSize(), 1, CeilDivide(count, kPart)));
  parts_ = CeilDivide(count, part_);
  most_ = part_ / kShare;
  elements_ = workspace.Book(Most(), static_cast<int64_t>(SizeOf(dtype)));
  counts_ = workspace.Book(Most(), sizeof(int64_t));
  left_ = workspace.Book(parts_, sizeof(int64_t));
}

template <typename Entry>
int64_t Distinct::Find(const RunContext& run, const void* line, Entry* tables,
                       int64_t* inverse) const {
  if (parts_ == 0) return 0;
  return order_key::Of(dtype_, ~uint64_t{0}, [&](auto key) -> int64_t {
    using T = typename decltype(key)::Stored;
    const T* const from = static_cast<const T*>(line);
    T* const elements = run.Piece<T>(elements_);
    auto* const counts = run.Piece<int64_t>(counts_);
    auto* const left = run.Piece<int64_t>(left_);
    const bool whole = ParallelForAll(parts_, 1, [&](int64_t first, int64_t last) {
      for (int64_t part = first; part < last; ++part) {
        const int64_t begin = part * part_, out = part * most_;
        Table<decltype(key), Entry> table(key, tables + begin);
        left[part] = table.Condense(from + begin, SizeOfPart(part), most_, elements + out,
                                    counts + out, inverse == nullptr ? nullptr : inverse + begin);
      }
    });
    if (!whole || *std::min_element(left, left + parts_) < 0) return 0;
    // One behind the other.
    int64_t all = 0;
    for (int64_t part = 0; part < parts_; ++part) {
      std::copy_n(elements + part * most_, left[part], elements + all);
      std::copy_n(counts + part * most_, left[part], counts + all);
      all += std::exchange(left[part], all);
    }
    return all;
  });
}

bool Distinct::Number(const RunContext& run, const int64_t* numbers, int64_t* inverse) const {
  const int64_t* const before = run.Piece<int64_t>(left_);
  return ParallelForAll(parts_, 1, [&](int64_t first, int64_t last) {
    for (int64_t part = first; part < last; ++part) {
      const int64_t* const own = numbers + before[part];
      int64_t* const places = inverse + part * part_;
      for (int64_t i = 0; i < SizeOfPart(part); ++i) places[i] = own[places[i]];
    }
  });
}

template int64_t Distinct::Find(const RunContext&, const void*, NarrowEntry*, int64_t*) const;
template int64_t Distinct::Find(const RunContext&, const void*, WideEntry*, int64_t*) const;

}  // namespace aclimb::sorts
