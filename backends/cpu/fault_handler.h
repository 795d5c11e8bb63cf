#pragma once

namespace aclimb::cpu {

// From now on a host access to a device address is explained on stderr before the program dies as
// it would have without us, or its own handler runs. Called once, when the first device opens.
void InstallFaultHandler();

}  // namespace aclimb::cpu
