#pragma once

#include <cstdint>

namespace aclimb::inverse {

// What a matrix needs besides.
struct Scratch {
  int64_t* pivots;  // `rows` numbers
  double* sizes;    // the same
};

// Puts the inverse in place of a matrix, for the instruction set in use; NaN where there is none.
void Invert(double* matrix, int64_t rows, const Scratch& scratch);

}  // namespace aclimb::inverse
