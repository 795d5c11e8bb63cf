#pragma once

#include <cstdint>

#include "aclimb/ops/attention/problem.h"

namespace aclimb::attention {

// Of query number `query` in a batch and head, and of keys [first, first + count).
struct RowPlace {
  int64_t batch = 0, head = 0, query = 0;
  int64_t first = 0, count = 0;
};

// Makes scores of scaled products: adds the bias, and -infinity takes the place of what is masked.
// False, and nothing is changed, when none of the keys takes part by the band and the counts.
//   buffer  of `count` elements
bool FinishScores(const Problem& problem, const RowPlace& place, float* scores, float* buffer);

// Zeros where dropout takes a weight, the others divided by the share that it leaves.
void Drop(const Problem& problem, const RowPlace& place, float* weights);

}  // namespace aclimb::attention
