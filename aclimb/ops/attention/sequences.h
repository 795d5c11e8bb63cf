#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "aclimb/ops/attention/shapes.h"

namespace aclimb::attention {

// Where a function of sequences has what its rules ask about.
struct SequencePlaces {
  Places at;
  int query_ends, key_ends;
};

// Sequences that lie one after the other.
struct Sequences {
  std::vector<int64_t> starts, counts;

  int64_t Longest() const {
    return counts.empty() ? 0 : *std::max_element(counts.begin(), counts.end());
  }
};
inline Sequences SequencesOf(const std::vector<int64_t>& ends) {
  Sequences sequences;
  int64_t start = 0;
  for (const int64_t end : ends) {
    sequences.starts.push_back(start);
    sequences.counts.push_back(end - start);
    start = end;
  }
  return sequences;
}
// How many weights the sequences before each one have, and all of them at the end: the largest
// integer where there are more.
inline std::vector<int64_t> WeightStarts(const Sequences& queries, const Sequences& keys,
                                         int64_t heads) {
  std::vector<int64_t> starts = {0};
  for (size_t i = 0; i < queries.counts.size(); ++i) {
    int64_t weights, sum;
    const bool overflows = __builtin_mul_overflow(queries.counts[i], keys.counts[i], &weights) ||
                           __builtin_mul_overflow(weights, heads, &weights) ||
                           __builtin_add_overflow(starts.back(), weights, &sum);
    starts.push_back(overflows ? std::numeric_limits<int64_t>::max() : sum);
  }
  return starts;
}

Finding WrongQueryEnds(const contract::Arguments& arguments, const SequencePlaces& places);
Finding WrongKeyEnds(const contract::Arguments& arguments, const SequencePlaces& places);
Finding WrongSequenceMask(const contract::Arguments& arguments, const SequencePlaces& places);
Finding WrongSequenceKept(const contract::Arguments& arguments, const SequencePlaces& places);

}  // namespace aclimb::attention
