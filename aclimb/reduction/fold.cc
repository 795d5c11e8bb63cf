#include "aclimb/reduction/fold.h"

#include <limits>

namespace aclimb::reduction {
namespace {

// One fold at a time, so that the compiler makes vectors of the loop.
template <Fold kFold>
void JoinAs(bool whole, const Slot* from, int64_t count, Slot* to) {
  if (whole) {
    for (int64_t i = 0; i < count; ++i) to[i].whole = JoinWhole(kFold, to[i].whole, from[i].whole);
  } else {
    for (int64_t i = 0; i < count; ++i) to[i].real = JoinReal(kFold, to[i].real, from[i].real);
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
  switch (fold) {
    case Fold::kProduct:
      return JoinAs<Fold::kProduct>(whole, from, count, to);
    case Fold::kMax:
    case Fold::kMaxAbsolute:
      return JoinAs<Fold::kMax>(whole, from, count, to);
    case Fold::kMin:
    case Fold::kMinAbsolute:
      return JoinAs<Fold::kMin>(whole, from, count, to);
    case Fold::kAny:
      return JoinAs<Fold::kAny>(whole, from, count, to);
    case Fold::kAll:
      return JoinAs<Fold::kAll>(whole, from, count, to);
    default:
      return JoinAs<Fold::kSum>(whole, from, count, to);
  }
}

}  // namespace aclimb::reduction
