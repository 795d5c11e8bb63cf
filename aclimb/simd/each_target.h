#pragma once

#include <hwy/highway.h>

#include <cstdint>

namespace aclimb {

// For tests: runs `body` once per instruction set that this processor has and that was compiled,
// with Highway's dispatch pinned to it. Returns how many there were.
template <typename F>
int EachTarget(F&& body) {
  int count = 0;
  // Asking for a target that was not compiled would fall back to another one.
  const int64_t present = static_cast<int64_t>(hwy::SupportedTargets());
  for (int64_t rest = present & HWY_TARGETS; rest != 0; rest &= rest - 1) {
    hwy::SetSupportedTargetsForTest(rest & -rest);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    body();
    ++count;
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  return count;
}

}  // namespace aclimb
