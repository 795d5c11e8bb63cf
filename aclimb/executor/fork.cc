#include "aclimb/core/fork.h"

#include "aclimb/bridge/bridge.h"

// In each library beside the one that holds the state.

namespace aclimb {
namespace {

constexpr AclimbForkPart kParts = {
    .try_lock = [](int late) { return ForkParts::TryLock(late != 0) ? 1 : 0; },
    .unlock = &ForkParts::Unlock,
    .give_up = &ForkParts::GiveUp,
    .renew = [](int locked) { ForkParts::Renew(locked != 0); },
    .resume = &ForkParts::Resume,
};

[[maybe_unused]] const bool told = (aclimb_fork_part(&kParts), true);

}  // namespace
}  // namespace aclimb
