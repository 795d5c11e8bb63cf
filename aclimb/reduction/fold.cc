#include "aclimb/reduction/fold.h"

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
