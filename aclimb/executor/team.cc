#include "aclimb/executor/team.h"

#include "aclimb/bridge/bridge.h"
#include "aclimb/simd/parallel.h"

namespace aclimb {

void ConfigureTeam() {
  [[maybe_unused]] static const bool once = [] {
    SetTeamSize(aclimb_settings()->threads);
    SetCancelQuery(&aclimb_cancelled);
    return true;
  }();
}

}  // namespace aclimb
