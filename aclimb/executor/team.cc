#include "aclimb/executor/team.h"

#include <atomic>

#include "aclimb/bridge/bridge.h"
#include "aclimb/core/cores.h"
#include "aclimb/simd/parallel.h"

namespace aclimb {

void ConfigureTeam() {
  // No guarded static: a fork while a thread initialises one leaves it locked in the child. Twice
  // does no harm. Settings that are read again may have another size.
  static constinit std::atomic<int> configured{-1};
  const int threads = aclimb_settings()->threads;
  if (configured.load(std::memory_order_acquire) == threads) return;
  SetTeamSize(TeamOf(threads).count);
  SetCancelQuery(&aclimb_cancelled);
  configured.store(threads, std::memory_order_release);
}

}  // namespace aclimb
