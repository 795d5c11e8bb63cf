#include "aclimb/reduction/fold.h"

#include <cmath>
#include <limits>

namespace aclimb::reduction {
namespace {

int64_t Wrapped(uint64_t value) { return static_cast<int64_t>(value); }

int64_t JoinWhole(Fold fold, int64_t a, int64_t b) {
  switch (fold) {
    case Fold::kProduct:
      return Wrapped(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
    case Fold::kMax:
      return a > b ? a : b;
    case Fold::kMin:
      return a < b ? a : b;
    case Fold::kAny:
      return a | b;
    case Fold::kAll:
      return a & b;
    default:
      return Wrapped(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
  }
}

double JoinReal(Fold fold, double a, double b) {
  switch (fold) {
    case Fold::kProduct:
      return a * b;
    case Fold::kMax:
    case Fold::kMaxAbsolute:
      return a > b || std::isnan(a) ? a : b;
    case Fold::kMin:
    case Fold::kMinAbsolute:
      return a < b || std::isnan(a) ? a : b;
    default:
      return a + b;
  }
}

}  // namespace

Slot StartOf(Fold fold, bool whole) {
  using Whole = std::numeric_limits<int64_t>;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  double real = 0;
  int64_t number = 0;
  if (fold == Fold::kProduct || fold == Fold::kAll) real = static_cast<double>(number = 1);
  if (fold == Fold::kMax || fold == Fold::kMaxAbsolute) real = -kInfinity, number = Whole::min();
  if (fold == Fold::kMin || fold == Fold::kMinAbsolute) real = kInfinity, number = Whole::max();
  return whole ? Slot{.whole = number} : Slot{.real = real};
}

void Join(Fold fold, bool whole, const Slot* from, int64_t count, Slot* to) {
  for (int64_t i = 0; i < count; ++i) {
    if (whole) {
      to[i].whole = JoinWhole(fold, to[i].whole, from[i].whole);
    } else {
      to[i].real = JoinReal(fold, to[i].real, from[i].real);
    }
  }
}

}  // namespace aclimb::reduction
