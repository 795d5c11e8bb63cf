#pragma once

#include <cstdint>
#include <type_traits>

#include "aclimb/elementwise/runs.h"

namespace aclimb::binary {

// A scalar as formulas of any type need it.
struct Number {
  double real = 0;
  int64_t whole = 0;

  template <typename T>
  constexpr T As() const {
    if constexpr (std::is_same_v<T, bool>) {
      return whole != 0;
    } else if constexpr (std::is_floating_point_v<T>) {
      return static_cast<T>(real);
    } else {
      return static_cast<T>(whole);
    }
  }
};

// What formulas are told beside their tensors.
struct Attributes {
  Number scalar;  // the operand that is no tensor
  Number alpha;
};

// Which operands are tensors. The number of a formula's form is kForms * formula + form.
enum Form : int { kTensors, kScalarSecond, kScalarFirst, kForms };

// The formulas are in files of few, each with a function that gives their runs.
enum class Arithmetic : int { kAdd, kSub, kMul, kDiv, kMaximum, kMinimum };
enum class Division : int { kTrunc, kFloor, kRemainder, kFmod };
enum class Comparison : int { kEq, kNe, kGt, kGe, kLogicalAnd, kLogicalOr, kLogicalXor };
enum class Bits : int { kAnd, kOr, kXor };
enum class Logarithm : int { kAddExp, kAddExp2, kXLogY };
// After the first two, powers of one tensor, whatever the form.
enum class Power : int {
  kPow,
  kAtan2,
  kSquare,
  kCube,
  kSquareRoot,
  kReciprocal,
  kReciprocalSquareRoot
};

const elementwise::Runs& ArithmeticRuns(int number);
const elementwise::Runs& DivisionRuns(int number);
const elementwise::Runs& ComparisonRuns(int number);
const elementwise::Runs& BitsRuns(int number);
const elementwise::Runs& LogarithmRuns(int number);
const elementwise::Runs& PowerRuns(int number);

}  // namespace aclimb::binary
