#pragma once

#include <cstdint>
#include <limits>

#include "aclimb/core/dtype.h"

// Folds: how many elements become one number.
namespace aclimb::reduction {

enum class Fold : uint8_t {
  kSum,
  kProduct,
  kMax,  // NaN if one is among them, as kMin
  kMin,
  kAny,  // of what is not 0, as kAll
  kAll,
  kSumOfNumbers,  // without NaN; of floats alone, as all that follow
  // Of absolute values x; for norms.
  kAbsoluteSum,  // x
  kSquares,      // x^2
  kPowers,       // x^exponent
  kNonzeros,     // 1 where x is not 0
  kMaxAbsolute,
  kMinAbsolute,
  // With a shift s for each result.
  kMoments,       // x - s, and their squares in a second number
  kExponentials,  // e^(x - s)
};
inline constexpr int kFoldCount = 15;

// A number that a fold keeps. Sums of float32 add a few terms in float32 and those in double, so
// that a hundred million equal terms are off by no more than a few are.
union Slot {
  double real;
  int64_t whole;  // of integers and BOOL, of kAny and kAll, exactly; sums and products wrap
};

inline bool IsWhole(Fold fold, DType dtype) {
  return fold == Fold::kAny || fold == Fold::kAll || !IsFloating(dtype);
}

// What some folds need beside the elements.
struct Terms {
  const double* shift = nullptr;  // of the first result; the others follow
  double exponent = 0;
};

// Kernels of one fold and one dtype. Both add to what the slots hold. `second` is there for
// kMoments alone.
struct Kernel {
  // `count` neighbours to one result, in each of `rows` rows that are `pitch` elements apart, or in
  // one row where `pitch` is 0.
  void (*rows)(const void* from, int64_t pitch, int64_t rows, int64_t count, const Terms& terms,
               Slot* first, Slot* second) = nullptr;
  // Each of `columns` neighbours, in `rows` rows `pitch` elements apart, to its own result. So many
  // slots and shifts behind the last one are read and may be written: kSlack.
  void (*columns)(const void* from, int64_t pitch, int64_t rows, int64_t columns,
                  const Terms& terms, Slot* first, Slot* second) = nullptr;
};
inline constexpr int64_t kSlack = 64;

// For the instruction set in use; null for dtypes that have to be converted first.
Kernel KernelOf(Fold fold, DType dtype);

// Two numbers of a fold as one.
inline int64_t JoinWhole(Fold fold, int64_t a, int64_t b) {
  switch (fold) {
    case Fold::kProduct:
      return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
    case Fold::kMax:
      return a > b ? a : b;
    case Fold::kMin:
      return a < b ? a : b;
    case Fold::kAny:
      return a | b;
    case Fold::kAll:
      return a & b;
    default:
      return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
  }
}

inline double JoinReal(Fold fold, double a, double b) {
  switch (fold) {
    case Fold::kProduct:
      return a * b;
    case Fold::kMax:
    case Fold::kMaxAbsolute:
      return a > b || a != a ? a : b;
    case Fold::kMin:
    case Fold::kMinAbsolute:
      return a < b || a != a ? a : b;
    default:
      return a + b;
  }
}

// What a fold of nothing is.
constexpr Slot StartOf(Fold fold, bool whole) {
  using Whole = std::numeric_limits<int64_t>;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  double real = 0;
  int64_t number = 0;
  if (fold == Fold::kProduct || fold == Fold::kAll) real = static_cast<double>(number = 1);
  if (fold == Fold::kMax || fold == Fold::kMaxAbsolute) real = -kInfinity, number = Whole::min();
  if (fold == Fold::kMin || fold == Fold::kMinAbsolute) real = kInfinity, number = Whole::max();
  return whole ? Slot{.whole = number} : Slot{.real = real};
}

// Joins `from` to `to`, element by element, for the first or the second numbers of a fold.
void Join(Fold fold, bool whole, const Slot* from, int64_t count, Slot* to);

}  // namespace aclimb::reduction
