#include "aclimb/executor/team.h"

#include <atomic>

#include "aclimb/bridge/bridge.h"
#include "aclimb/core/cores.h"
#include "aclimb/simd/parallel.h"

namespace aclimb {

void ConfigureTeam() {
  // No guarded static: a fork while a thread initialises one leaves it locked in the child. Twice
  // does no harm.
  static constinit std::atomic<bool> done{false};
  if (done.load(std::memory_order_acquire)) return;
  SetTeamSize(TeamOf(aclimb_settings()->threads).count);
  SetCancelQuery(&aclimb_cancelled);
  done.store(true, std::memory_order_release);
}

}  // namespace aclimb
