#include "tools/check/checker.h"

#include <cstring>
#include <string_view>

#include "aclimb/bridge/bridge.h"
#include "aclimb/core/text.h"
#include "aclimb/observe/observe.h"
#include "tools/check/modules.h"
#include "tools/check/running.h"

// Calls, objects and memory; checker_queues.cc has the streams.

namespace aclimb::check {
namespace {

Here TheCall() { return {observe::CurrentCall(), CurrentSite()}; }

bool CallIs(std::string_view beginning) {
  return std::string_view(observe::CurrentCall()).starts_with(beginning);
}

const char* LeakRuleOf(int kind) {
  switch (kind) {
    case ACLIMB_HANDLE_CONTEXT:
      return "check/leak/context";
    case ACLIMB_HANDLE_STREAM:
      return "check/leak/stream";
    case ACLIMB_HANDLE_EVENT:
      return "check/leak/event";
    case ACLIMB_HANDLE_EXECUTOR:
      return "check/leak/executor";
    default:
      return "check/leak/descriptor";
  }
}

// Contexts and streams that come with a device are not the program's to destroy.
bool IsOfDevice(const Object& object) {
  if (object.kind == ACLIMB_HANDLE_CONTEXT) return object.made.what != "aclrtCreateContext";
  return object.kind == ACLIMB_HANDLE_STREAM && !object.made.what.starts_with("aclrtCreateStream");
}

// Set on a thread that runs a task, whose copies were told when it was queued.
thread_local int running_tasks = 0;

}  // namespace

void BeginTask() { ++running_tasks; }
void EndTask() { --running_tasks; }

int Checker::CallBegin(const char* function) {
  EnterCall();
  if (std::strcmp(function, "aclrtProcessReport") == 0) {
    const std::lock_guard<std::mutex> lock(mutex_);
    reports_processed_ = true;
  }
  const std::string_view name = function;
  if (name == "aclrtGetLastError" || name == "aclrtPeekAtLastError") TextsRead();
  return 0;
}

void Checker::CallEnd(const char* function, int code) {
  LeaveCall();
  if (code != 0 || !std::string_view(function).starts_with("aclFinalize")) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  finalized_ = true;
}

void Checker::HandleMade(int kind, const void* handle) {
  Here here = TheCall();
  const std::lock_guard<std::mutex> lock(mutex_);
  objects_.Made(kind, handle, {std::move(here.function), here.site});
}

void Checker::HandleReleased(int kind, const void* handle) {
  const Here here = TheCall();
  // Lists destroy their members by the members' own functions.
  const std::string_view outer = observe::OuterCall();
  const bool by_list = outer.starts_with("aclDestroy") && outer.ends_with("List");
  const std::lock_guard<std::mutex> lock(mutex_);
  const Object* object =
      objects_.Released(handle, {by_list ? std::string(outer) : here.function, here.site});
  if (object == nullptr) return;
  if (kind == ACLIMB_HANDLE_STREAM && CallIs("aclrtResetDevice") && !IsOfDevice(*object)) {
    NoteLeak("check/leak/stream", Cat("a stream, from ", object->made.what), object->made.site, 0);
  }
  if (kind != ACLIMB_HANDLE_EVENT) return;
  const auto recording = recordings_.find(handle);
  if (recording == recordings_.end()) return;
  if (!clocks_.HostKnows(recording->second)) {
    report_.Add(
        {"check/event/destroyed-busy",
         here.function,
         "destroys an event that may not have happened yet; expected the event or its "
         "stream to be waited for first.",
         {{"called", here.site}, {"the event, from " + object->made.what, object->made.site}}});
  }
  recordings_.erase(recording);
}

void Checker::HandleMissed(int kind, const void* handle) {
  if (kind != ACLIMB_HANDLE_EXECUTOR || !CallIs("aclDestroyAclOpExecutor")) return;
  const Here here = TheCall();
  const std::lock_guard<std::mutex> lock(mutex_);
  const Object* object = objects_.Find(handle);
  if (object == nullptr || object->live) return;
  const bool ran = object->released.what.starts_with("aclnn");
  report_.Add({ran ? "check/object/executor-destroyed" : "check/object/double-destroy",
               here.function,
               Cat("destroys an executor that ", ran ? "phase 2 consumed" : "is destroyed already",
                   "; expected a live one."),
               {{"called", here.site},
                {"made by " + object->made.what, object->made.site},
                {"ended by " + object->released.what, object->released.site}}});
}

void Checker::Noticed(const char* rule, const char* text) {
  Here here = TheCall();
  report_.Add({rule, std::move(here.function), text, {{"called", here.site}}});
}

void Checker::Refused(int code, const char* text) {
  const Here here = TheCall();
  std::optional<Finding> finding;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    finding = FindingOf(here, text, book_, objects_, &observe::IsDeviceAddress);
    if (!finding && !IsOthers(here.site)) unread_.Add(here, code, text);
  }
  if (finding) report_.Add(std::move(*finding));
}

void Checker::TextsRead() {
  const std::lock_guard<std::mutex> lock(mutex_);
  unread_.Clear();
}

// A framework keeps memory, streams and events for as long as it likes, since the end of the device
// gives them back; and it asks for what a chip may lack.
bool Checker::IsOthers(SiteId site) const {
  const std::span<const uintptr_t> frames = FramesOf(site);
  return !settings_.all && !frames.empty() && IsOfLibrary(frames.front());
}

void Checker::AddBlock(Memory memory, const AclimbDevice* device, const void* address,
                       uint64_t requested, uint64_t usable) {
  Here here = TheCall();
  Block block;
  block.base = reinterpret_cast<uint64_t>(address);
  block.requested = requested;
  block.usable = usable;
  block.memory = memory;
  block.device = device;
  block.made = {std::move(here.function), here.site};
  book_.Add(std::move(block));
}

void Checker::EndBlock(const void* address) {
  Here here = TheCall();
  Block* block = book_.Find(reinterpret_cast<uint64_t>(address));
  if (block == nullptr) return;
  accesses_.Freed(here, *block);
  book_.Free(block->base, {std::move(here.function), here.site});
}

void Checker::Allocated(AclimbDevice* device, const void* address, uint64_t requested,
                        uint64_t usable) {
  const std::lock_guard<std::mutex> lock(mutex_);
  AddBlock(Memory::kDevice, device, address, requested, usable);
}

void Checker::Freed(AclimbDevice*, const void* address) {
  const std::lock_guard<std::mutex> lock(mutex_);
  EndBlock(address);
}

void Checker::HostAllocated(const void* address, uint64_t bytes) {
  const std::lock_guard<std::mutex> lock(mutex_);
  AddBlock(Memory::kPinned, nullptr, address, bytes, bytes);
}

void Checker::HostFreed(const void* address) {
  const std::lock_guard<std::mutex> lock(mutex_);
  EndBlock(address);
}

void Checker::HostGivenBack(const void* address) {
  const std::lock_guard<std::mutex> lock(mutex_);
  book_.GiveBack(reinterpret_cast<uint64_t>(address));
}

void Checker::Mapped(const void* address, uint64_t bytes) {
  const std::lock_guard<std::mutex> lock(mutex_);
  AddBlock(Memory::kMapped, nullptr, address, bytes, bytes);
}

void Checker::Unmapped(const void* address) {
  const std::lock_guard<std::mutex> lock(mutex_);
  EndBlock(address);
}

void Checker::PhysicalAllocated(AclimbDevice*, const AclimbPhysical* memory, uint64_t bytes) {
  Here here = TheCall();
  const std::lock_guard<std::mutex> lock(mutex_);
  physical_[memory] = {{std::move(here.function), here.site}, bytes};
}

void Checker::PhysicalFreed(const AclimbPhysical* memory) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = physical_.find(memory);
  if (found == physical_.end()) return;
  // The reset of a device frees what is left; a refused aclrtMallocPhysical, what it had got.
  if (!CallIs("aclrtFreePhysical") && !CallIs("aclrtMallocPhysical")) NoteLeak(found->second);
  physical_.erase(found);
}

void Checker::DeviceClosed(AclimbDevice* device) {
  const Here here = TheCall();
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<uint64_t> gone;
  book_.ForEach([&](Block& block) {
    if (block.device != device || block.memory != Memory::kDevice) return;
    gone.push_back(block.base);
    NoteLeak(block);
  });
  for (const uint64_t base : gone) book_.Free(base, {here.function, here.site});
}

void Checker::CheckOverlap(const Here& here, const observe::Work& copy, const Footprint& src,
                           const Footprint& dst) {
  if (OverlapOf(src, dst) != Overlap::kYes) return;
  report_.Add({"check/memory/overlapping-copy",
               here.function,
               Cat("copies ", copy.width * copy.height, " bytes from ", AddressText(copy.src),
                   " to ", AddressText(copy.dst), "; expected ranges that do not overlap."),
               {{"called", here.site}}});
}

void Checker::CopiesNow(const observe::Work& work) {
  if (running_tasks > 0) return;
  const Here here = TheCall();
  const Use uses[] = {{RowsOf(work.src, work.width, work.src_pitch, work.height), false, ""},
                      {RowsOf(work.dst, work.width, work.dst_pitch, work.height), true, ""}};
  CheckOverlap(here, work, uses[0].bytes, uses[1].bytes);
  const std::lock_guard<std::mutex> lock(mutex_);
  accesses_.Now(here, uses);
}

void Checker::FillsNow(const observe::Work& work) {
  if (running_tasks > 0) return;
  const Here here = TheCall();
  const Use uses[] = {{RowsOf(work.dst, work.width, 0, 1), true, ""}};
  const std::lock_guard<std::mutex> lock(mutex_);
  accesses_.Now(here, uses);
}

void Checker::ReadsNow(const observe::Work& work) {
  const Here here = TheCall();
  const Use uses[] = {{RowsOf(work.src, work.width, work.src_pitch, work.height), false, ""}};
  const std::lock_guard<std::mutex> lock(mutex_);
  accesses_.Now(here, uses);
}

void Checker::NoteLeak(const char* rule, const std::string& what, SiteId made, uint64_t bytes) {
  if (IsOthers(made)) return;
  Leak& leak = leaks_[{rule, made}];
  ++leak.count;
  leak.bytes += bytes;
  if (leak.what.empty()) leak.what = what;
}

void Checker::NoteLeak(const Block& block) {
  const bool host = block.memory == Memory::kPinned;
  NoteLeak(host ? "check/leak/host-memory" : "check/leak/device-memory",
           Cat(host ? "host memory, from " : "device memory, from ", block.made.what),
           block.made.site, block.requested);
}

void Checker::NoteLeak(const Physical& memory) {
  NoteLeak("check/leak/device-memory", Cat("physical memory, from ", memory.made.what),
           memory.made.site, memory.bytes);
}

void Checker::TellLeak(const char* rule, SiteId made, const Leak& leak) {
  std::string amount;
  if (leak.count > 1) amount += Cat(leak.count, " times");
  if (leak.bytes > 0) amount += Cat(amount.empty() ? "" : ", ", leak.bytes, " bytes in all");
  if (!amount.empty()) amount = Cat(" (", amount, ")");
  report_.Add({rule,
               "",
               Cat(leak.what, ", is never given back", amount, "; expected that ",
                   FindRule(rule)->holds, "."),
               {{"made", made}}});
}

int Checker::Finish() {
  uint64_t undecided = 0;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    CheckCallbacks();
    undecided = accesses_.undecided();
    if (std::optional<Finding> unread = unread_.Told()) report_.Add(std::move(*unread));
    if (finalized_ || settings_.all) {
      objects_.ForEachLive([this](const Object& object) {
        if (IsOfDevice(object) || object.kind == ACLIMB_HANDLE_PHYSICAL_MEMORY) return;
        NoteLeak(LeakRuleOf(object.kind), Cat(KindName(object.kind), ", from ", object.made.what),
                 object.made.site, 0);
      });
      book_.ForEach([this](const Block& block) {
        // The memory that is mapped cannot be freed meanwhile, and is told instead.
        if (block.memory != Memory::kMapped) NoteLeak(block);
      });
      for (const auto& [handle, memory] : physical_) NoteLeak(memory);
      for (const auto& [key, leak] : leaks_) TellLeak(key.first, key.second, leak);
    }
  }
  return report_.Finish(undecided);
}

}  // namespace aclimb::check
