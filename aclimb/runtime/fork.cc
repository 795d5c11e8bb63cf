#include "aclimb/core/fork.h"

#include "aclimb/bridge/bridge.h"

namespace aclimb {
namespace {

[[maybe_unused]] const bool watches = (ForkParts::Watch(), true);

// Another of our libraries.
class LibraryPart final : public ForkPart {
 public:
  explicit LibraryPart(const AclimbForkPart& library) : library_(library) {}

  bool TryLock(bool late) override { return library_.try_lock(late ? 1 : 0) != 0; }
  void Unlock() override { library_.unlock(); }
  void GiveUp() override { library_.give_up(); }
  void Renew(bool locked) override { library_.renew(locked ? 1 : 0); }
  void Resume() override { library_.resume(); }

 private:
  const AclimbForkPart& library_;
};

}  // namespace
}  // namespace aclimb

extern "C" {

void aclimb_fork_part(const AclimbForkPart* part) {
  new aclimb::LibraryPart(*part);  // never unloaded
}

}  // extern "C"
