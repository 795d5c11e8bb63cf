#pragma once

#include <cstdint>

#include "aclimb/ops/attention/problem.h"

namespace aclimb::attention {

// Of query number `query` in a batch and head, and of keys [first, first + count).
struct RowPlace {
  int64_t batch = 0, head = 0, query = 0;
  int64_t first = 0, count = 0;
};

// Makes scores of scaled products: adds the bias, and -infinity takes the place of what is masked,
// and where some are NaN or infinite, of what has a bias of -infinity.
// Gives those of the keys that may take part by the band and the counts, counted from the first of
// the place; all others are left alone.
//   buffer  of `count` elements
Range FinishScores(const Problem& problem, const RowPlace& place, float* scores, float* buffer,
                   bool some_are_nan = false);

// Whether all elements of a row of biases leave their keys out.
bool IsMinusInfinity(DType dtype, const char* from, int64_t count);

// Weights below this share of the largest are 0. Numbers of which exp() underflows take a hundred
// times as long.
inline constexpr float kNegligible = 64;  // how far such a score is below the largest
// Around exp(): scores that are too far below the largest are raised, and their weights are then 0.
void Raise(float largest, int64_t count, float* scores);
// No weight of a gradient is above one, whatever statistics the call has been given.
void Lower(float most, int64_t count, float* scores);
void DropNegligible(float largest, int64_t count, float* weights);

// Zeros where dropout takes a weight, the others divided by the share that it leaves.
void Drop(const Problem& problem, const RowPlace& place, float* weights);

}  // namespace aclimb::attention
