#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "aclimb/backend/backend.h"
#include "aclimb/bridge/bridge.h"

namespace aclimb::observe {

enum class WorkKind { kTask, kCopy, kFill, kCallback };

// One piece of work on its way through a queue.
struct Work {
  uint64_t id = 0;  // of the process, from 1, in the order of submission
  WorkKind kind = WorkKind::kTask;
  const char* name = "";  // static text: the operator, or what the runtime calls it
  AclimbQueue* queue = nullptr;
  const char* function = "";  // static text: the call that queued it
  // Of a task: what it reads and writes, with the operator's arguments; null when it touches no
  // device memory.
  const AclimbOperation* operation = nullptr;
  // Of a copy and a fill (a fill has no source, and one row).
  void* dst = nullptr;
  size_t dst_pitch = 0;
  const void* src = nullptr;
  size_t src_pitch = 0;
  size_t width = 0;
  size_t height = 0;
};

// What a tool hears of a running program. All entries are optional; several threads call at once.
// They must not call the public interface. What they throw is dropped. Order of one piece of work:
// Queued, then Started and Finished, or Dropped.
class Observer {
 public:
  virtual ~Observer() = default;

  // Whether the tool writes what the parent of a fork goes on to write. A child goes on without it.
  virtual bool EndsInChild() const { return false; }

  // ---- The program's calls ----

  // `function` is static text or lives until the matching CallEnd. A call inside a call (a callback
  // of the program) is nested. An answer other than 0 fails the call with that code before it has
  // done anything; CallEnd still follows.
  virtual int CallBegin(const char* function) { return (void)function, 0; }
  virtual void CallEnd(const char* function, int code) { (void)function, (void)code; }
  // What is known of the operator's call under way, before it does or refuses anything; again when
  // more is known.
  virtual void OperatorCalled(const AclimbOperatorCall& call) { (void)call; }
  // Handles of the kinds in bridge.h. `live` of a lookup says whether it was one.
  virtual void HandleMade(int kind, const void* handle) { (void)kind, (void)handle; }
  virtual void HandleReleased(int kind, const void* handle) { (void)kind, (void)handle; }
  virtual void HandleMissed(int kind, const void* handle) { (void)kind, (void)handle; }
  // A call refuses with this message, of the form that aclGetRecentErrMsg returns.
  virtual void Refused(int code, const char* text) { (void)code, (void)text; }
  // The program asks for the texts of refused calls (aclGetRecentErrMsg).
  virtual void TextsRead() {}
  // Where the program makes the call that the calling thread is in: a number from 1 that stands for
  // the place, or 0 from a tool that keeps none; and the place in words.
  virtual uint32_t CallSite() { return 0; }
  virtual std::string CallSiteText(uint32_t site) { return (void)site, std::string(); }
  // Legal but suspicious behaviour that only the runtime can see. `rule` is a stable id.
  virtual void Noticed(const char* rule, const char* text) { (void)rule, (void)text; }

  // ---- Memory ----

  // Whether freed memory of aclrtMalloc and aclrtMallocHost is to be given back late, so that a use
  // after the free meets no other data. Asked once.
  virtual bool KeepsFreedMemory() const { return false; }
  virtual void Allocated(AclimbDevice* device, const void* address, uint64_t requested,
                         uint64_t usable) {
    (void)device, (void)address, (void)requested, (void)usable;
  }
  // Before it is given back.
  virtual void Freed(AclimbDevice* device, const void* address) { (void)device, (void)address; }
  // Before the device is closed, which ends what is still allocated on it.
  virtual void DeviceClosed(AclimbDevice* device) { (void)device; }
  virtual void HostAllocated(const void* address, uint64_t bytes) { (void)address, (void)bytes; }
  virtual void HostFreed(const void* address) { (void)address; }
  // Before others can get its addresses, long after HostFreed where freed memory is kept.
  virtual void HostGivenBack(const void* address) { (void)address; }
  // Memory of aclrtMallocPhysical; the latter before it is given back.
  virtual void PhysicalAllocated(AclimbDevice* device, const AclimbPhysical* memory,
                                 uint64_t bytes) {
    (void)device, (void)memory, (void)bytes;
  }
  virtual void PhysicalFreed(const AclimbPhysical* memory) { (void)memory; }
  // Device memory at addresses that the program reserved, side by side with other such memory or
  // not; the latter before it ends.
  virtual void Mapped(const void* address, uint64_t bytes) { (void)address, (void)bytes; }
  virtual void Unmapped(const void* address) { (void)address; }
  // Synchronous copy and fill, before they run; `work` has no id and no queue.
  virtual void CopiesNow(const Work& work) { (void)work; }
  virtual void FillsNow(const Work& work) { (void)work; }
  // A call takes the source of `work`, host memory, over before it queues the copy; as above.
  virtual void ReadsNow(const Work& work) { (void)work; }

  // ---- Queues ----

  virtual void QueueMade(AclimbDevice* device, AclimbQueue* queue) { (void)device, (void)queue; }
  virtual void QueueDestroyed(AclimbQueue* queue, bool drained) { (void)queue, (void)drained; }
  virtual void Queued(const Work& work) { (void)work; }
  // On the thread that runs it. An answer other than 0 fails a task, a copy or a fill with that
  // code, unrun; a callback cannot fail.
  virtual int Started(const Work& work) { return (void)work, 0; }
  virtual void Finished(const Work& work, int code) { (void)work, (void)code; }
  virtual void Dropped(const Work& work) { (void)work; }
  // A wait of the host that returned `code`; timed-out ones (507046) included.
  virtual void QueueWaited(AclimbQueue* queue, int code) { (void)queue, (void)code; }
  virtual void QueueFoundIdle(AclimbQueue* queue) { (void)queue; }
  virtual void QueueAborted(AclimbQueue* queue) { (void)queue; }

  // ---- Markers (recordings of events) ----

  virtual void Recorded(AclimbQueue* queue, AclimbMarker* marker) { (void)queue, (void)marker; }
  // `event` is the handle whose latest recording the marker is now; after Recorded.
  virtual void EventRecorded(const void* event, AclimbMarker* marker) { (void)event, (void)marker; }
  virtual void QueueWaitsFor(AclimbQueue* queue, AclimbMarker* marker) {
    (void)queue, (void)marker;
  }
  virtual void MarkerWaited(AclimbMarker* marker, int code) { (void)marker, (void)code; }
  virtual void MarkerFoundDone(AclimbMarker* marker) { (void)marker; }
};

}  // namespace aclimb::observe
