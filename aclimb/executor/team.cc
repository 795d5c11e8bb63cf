#include "aclimb/executor/team.h"

#include "aclimb/bridge/bridge.h"
#include "aclimb/core/cores.h"
#include "aclimb/simd/parallel.h"

namespace aclimb {

void ConfigureTeam() {
  [[maybe_unused]] static const bool once = [] {
    SetTeamSize(TeamOf(aclimb_settings()->threads).count);
    SetCancelQuery(&aclimb_cancelled);
    return true;
  }();
}

}  // namespace aclimb
