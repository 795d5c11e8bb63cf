#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "aclimb/core/fork.h"
#include "aclimb/observe/observer.h"
#include "tools/check/accesses.h"
#include "tools/check/book.h"
#include "tools/check/clocks.h"
#include "tools/check/objects.h"
#include "tools/check/refusals.h"
#include "tools/check/report.h"
#include "tools/check/settings.h"
#include "tools/check/streams.h"

namespace aclimb::check {

// Keeps the books by what it hears, and passes what it hears to the rules.
class Checker final : public observe::Observer {
 public:
  Checker(const Settings& settings, tools::JsonFile* file)
      : settings_(settings), report_(settings, file) {}

  // At the end of the process. Returns the exit status that the findings ask for; 0 for none.
  int Finish();

  int CallBegin(const char* function) override;
  void CallEnd(const char* function, int code) override;
  void HandleMade(int kind, const void* handle) override;
  void HandleReleased(int kind, const void* handle) override;
  void HandleMissed(int kind, const void* handle) override;
  uint32_t CallSite() override { return CurrentSite(); }
  std::string CallSiteText(uint32_t site) override { return report_.InnermostPlace(site); }
  void Noticed(const char* rule, const char* text) override;
  void Refused(int code, const char* text) override;
  void TextsRead() override;

  bool KeepsFreedMemory() const override { return true; }
  void Allocated(AclimbDevice* device, const void* address, uint64_t requested,
                 uint64_t usable) override;
  void Freed(AclimbDevice* device, const void* address) override;
  void HostAllocated(const void* address, uint64_t bytes) override;
  void HostFreed(const void* address) override;
  void HostGivenBack(const void* address) override;
  void PhysicalAllocated(AclimbDevice* device, const AclimbPhysical* memory,
                         uint64_t bytes) override;
  void PhysicalFreed(const AclimbPhysical* memory) override;
  void Mapped(const void* address, uint64_t bytes) override;
  void Unmapped(const void* address) override;
  void DeviceClosed(AclimbDevice* device) override;
  void CopiesNow(const observe::Work& work) override;
  void FillsNow(const observe::Work& work) override;
  void ReadsNow(const observe::Work& work) override;

  void QueueMade(AclimbDevice* device, AclimbQueue* queue) override;
  void QueueDestroyed(AclimbQueue* queue, bool drained) override;
  void Queued(const observe::Work& work) override;
  int Started(const observe::Work& work) override;
  void Finished(const observe::Work& work, int code) override;
  void Dropped(const observe::Work& work) override;
  void QueueWaited(AclimbQueue* queue, int code) override;
  void QueueFoundIdle(AclimbQueue* queue) override;
  void QueueAborted(AclimbQueue* queue) override;

  void Recorded(AclimbQueue* queue, AclimbMarker* marker) override;
  void EventRecorded(const void* event, AclimbMarker* marker) override;
  void QueueWaitsFor(AclimbQueue* queue, AclimbMarker* marker) override;
  void MarkerWaited(AclimbMarker* marker, int code) override;
  void MarkerFoundDone(AclimbMarker* marker) override;

 private:
  // Work between its submission and its end.
  struct Pending {
    std::shared_ptr<const Origin> origin;
    Clock clock;                     // of a callback: what comes before it
    std::vector<const void*> views;  // where the host sees each access; while looking for NaNs
    bool inputs_finite = false;
  };
  // Memory of aclrtMallocPhysical.
  struct Physical {
    Involved made;
    uint64_t bytes = 0;
  };
  // Objects of one kind that one place made and nobody gave back.
  struct Leak {
    uint64_t count = 0;
    uint64_t bytes = 0;
    std::string what;
  };

  // Under mutex_.
  void AddBlock(Memory memory, const AclimbDevice* device, const void* address, uint64_t requested,
                uint64_t usable);
  void EndBlock(const void* address);
  void NoteLeak(const char* rule, const std::string& what, SiteId made, uint64_t bytes);
  void NoteLeak(const Block& block);
  void NoteLeak(const Physical& memory);
  void TellLeak(const char* rule, SiteId made, const Leak& leak);
  void CheckCallbacks();
  // Whether a shared library makes the call there, and is not checked itself (ACLIMB_CHECK=all).
  bool IsOthers(SiteId site) const;
  Pending* FindPending(uint64_t id);

  // Whether a copy reads bytes that it writes.
  void CheckOverlap(const Here& here, const observe::Work& copy, const Footprint& src,
                    const Footprint& dst);
  void Inspect(const observe::Work& work);
  void CheckInputs(const observe::Work& work);
  void CheckOutputs(const observe::Work& work);

  const Settings settings_;
  Report report_;

  std::mutex mutex_;  // guards what follows
  ForkLock<std::mutex> fork_lock_{mutex_};
  Book book_;
  Clocks clocks_;
  Objects objects_;
  Streams streams_;
  Accesses accesses_{book_, clocks_, report_};
  std::unordered_map<uint64_t, Pending> pending_;
  std::unordered_map<const AclimbQueue*, std::shared_ptr<const Origin>> latest_;
  std::unordered_map<const void*, AclimbMarker*> recordings_;  // of events
  std::unordered_map<const AclimbPhysical*, Physical> physical_;
  std::map<std::pair<const char*, SiteId>, Leak> leaks_;
  std::shared_ptr<const Origin> callback_;  // the latest that a report thread has to make
  Unread unread_;
  bool reports_processed_ = false;
  bool finalized_ = false;
};

}  // namespace aclimb::check
