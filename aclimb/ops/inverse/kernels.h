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
  double* scales;   // the same: the largest element of each column
  double* sizes;    // the same: sums of rows
  double* factors;  // kSteps for each row
  double* others;   // kSteps rows that are ApartOf(rows) apart
};

inline int64_t BytesOfScratch(int64_t rows) {
  const int64_t numbers = 2 * rows + kSteps * (rows + ApartOf(rows));
  return rows * int64_t{sizeof(int64_t)} + numbers * int64_t{sizeof(double)};
}
inline Scratch ScratchAt(char* at, int64_t rows) {
  auto* const scales = reinterpret_cast<double*>(at + rows * int64_t{sizeof(int64_t)});
  double* const factors = scales + 2 * rows;
  return {reinterpret_cast<int64_t*>(at), scales, scales + rows, factors, factors + rows * kSteps};
}

// Puts the inverse in place of a matrix, for the instruction set in use; NaN where there is none.
void Invert(double* matrix, int64_t rows, const Scratch& scratch);

}  // namespace aclimb::inverse
