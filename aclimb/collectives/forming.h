#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace aclimb::collectives {

// A group that not all of its ranks have come to yet.
struct Forming {
  std::vector<uint32_t> ranks;
  std::vector<bool> come;  // by place in `ranks`
  // Another list disagreed with this one. Who comes still is told so.
  bool failed = false;

  bool HasCome(uint32_t rank) const { return Is(rank, true); }
  bool WaitsFor(uint32_t rank) const { return Is(rank, false); }
  bool IsComplete() const { return std::find(come.begin(), come.end(), false) == come.end(); }

 private:
  // False of a rank that is not in the list.
  bool Is(uint32_t rank, bool value) const {
    const auto at = std::find(ranks.begin(), ranks.end(), rank);
    return at != ranks.end() && come[static_cast<size_t>(at - ranks.begin())] == value;
  }
};

// Of the groups that form under one key, [begin, end) of a map: the caller's own, and one of
// another list with which it disagrees. `end` where there is none.
template <typename Iterator>
struct FormingFound {
  Iterator own, other;
};

// A rank that is ahead opens several groups of one key; ranks that make two groups together make
// them in the same order. They disagree where a rank of the caller's list has come to a group of
// another list, which waits for the caller, and not to the caller's own.
template <typename Iterator>
FormingFound<Iterator> FindForming(Iterator begin, Iterator end, const std::vector<uint32_t>& ranks,
                                   uint32_t caller) {
  const auto own = std::find_if(begin, end, [&](const auto& each) {
    return each.second.ranks == ranks && each.second.WaitsFor(caller);
  });
  const auto other = std::find_if(begin, end, [&](const auto& each) {
    const Forming& open = each.second;
    return !open.failed && open.ranks != ranks && open.WaitsFor(caller) &&
           std::any_of(ranks.begin(), ranks.end(), [&](uint32_t rank) {
             return open.HasCome(rank) && (own == end || own->second.WaitsFor(rank));
           });
  });
  return {own, other};
}

// Ends two groups that disagree. Who has come to one of them is told, and does not come to the
// other.
inline void Disagree(Forming* a, Forming* b) {
  for (Forming* const each : {a, b}) {
    each->failed = true;
    for (size_t i = 0; i < each->ranks.size(); ++i) {
      each->come[i] = a->HasCome(each->ranks[i]) || b->HasCome(each->ranks[i]);
    }
  }
}

}  // namespace aclimb::collectives
