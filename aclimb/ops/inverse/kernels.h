#pragma once

#include <cstdint>

namespace aclimb::inverse {

// Steps whose changes most rows get at once.
inline constexpr int64_t kSteps = 8;

// In a first-level cache, rows of a power of two would take each other's places.
constexpr int64_t ApartOf(int64_t rows) { return rows + 8; }

// What a matrix needs besides.
struct Scratch {
  int64_t* pivots;  // `rows` numbers
  double* sizes;    // the same
  double* factors;  // kSteps for each row
  double* others;   // kSteps rows that are ApartOf(rows) apart
};

// Puts the inverse in place of a matrix, for the instruction set in use; NaN where there is none.
void Invert(double* matrix, int64_t rows, const Scratch& scratch);

}  // namespace aclimb::inverse
