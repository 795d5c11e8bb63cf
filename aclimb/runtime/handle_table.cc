#include "aclimb/runtime/handle_table.h"

#include <iterator>
#include <mutex>
#include <new>

#include "aclimb/bridge/collectives.h"
#include "aclimb/core/fork.h"
#include "aclimb/observe/observe.h"

namespace aclimb {
namespace {

constexpr uint64_t kTag = 0x0AC;
constexpr int kTagShift = 52;
constexpr int kGenerationShift = 26;
constexpr int kSlotShift = 4;
constexpr uint64_t kGenerations = uint64_t{1} << (kTagShift - kGenerationShift);
constexpr uint64_t kSlotMask = (uint64_t{1} << (kGenerationShift - kSlotShift)) - 1;

// By kind.
constexpr const char* kLiveTexts[] = {"",
                                      "it is a live context",
                                      "it is a live stream",
                                      "it is a live event",
                                      "it is a live stream configuration",
                                      "it is a live aclTensor",
                                      "it is a live aclScalar",
                                      "it is a live aclIntArray",
                                      "it is a live aclFloatArray",
                                      "it is a live aclBoolArray",
                                      "it is a live aclTensorList",
                                      "it is a live aclScalarList",
                                      "it is a live aclOpExecutor",
                                      "it is a live aclDataBuffer",
                                      "it is a live aclTensorDesc",
                                      "it is a live aclopAttr",
                                      "it is a live physical memory handle",
                                      "it is a live aclmdlRI",
                                      "it is a live communicator"};
constexpr const char* kDestroyedTexts[] = {"",
                                           "it is a destroyed context",
                                           "it is a destroyed stream",
                                           "it is a destroyed event",
                                           "it is a destroyed stream configuration",
                                           "it is a destroyed aclTensor",
                                           "it is a destroyed aclScalar",
                                           "it is a destroyed aclIntArray",
                                           "it is a destroyed aclFloatArray",
                                           "it is a destroyed aclBoolArray",
                                           "it is a destroyed aclTensorList",
                                           "it is a destroyed aclScalarList",
                                           "it is a consumed or destroyed aclOpExecutor",
                                           "it is a destroyed aclDataBuffer",
                                           "it is a destroyed aclTensorDesc",
                                           "it is a destroyed aclopAttr",
                                           "it is a freed physical memory handle",
                                           "it is a destroyed aclmdlRI",
                                           "it is a destroyed communicator"};
static_assert(std::size(kLiveTexts) == ACLIMB_HANDLE_COMMUNICATOR + 1);
static_assert(std::size(kDestroyedTexts) == ACLIMB_HANDLE_COMMUNICATOR + 1);

class TablePart final : public ForkPart {
 public:
  bool TryLock(bool) override { return Handles().TryLock(); }
  void Unlock() override { Handles().Unlock(); }
  void Renew(bool locked) override { Handles().Renew(locked); }
};
TablePart table_part;

}  // namespace

HandleTable::~HandleTable() {
  for (std::atomic<Slot*>& chunk : chunks_) delete[] chunk.load(std::memory_order_relaxed);
}

HandleTable::Slot* HandleTable::Find(const void* handle, uint64_t* generation) const {
  const uint64_t bits = reinterpret_cast<uint64_t>(handle);
  if (bits >> kTagShift != kTag || (bits & ((1u << kSlotShift) - 1)) != 0) return nullptr;
  *generation = (bits >> kGenerationShift) & (kGenerations - 1);
  const uint32_t slot = static_cast<uint32_t>((bits >> kSlotShift) & kSlotMask);
  Slot* chunk = chunks_[slot / kChunkSlots].load(std::memory_order_acquire);
  return chunk != nullptr ? &chunk[slot % kChunkSlots] : nullptr;
}

void* HandleTable::Take(int kind, void* object) {
  std::lock_guard<SpinLock> lock(lock_);
  if (!free_) free_.emplace();
  // A freed slot rests until many others were freed: a stale handle stays recognisable for longer
  // than its generation alone would allow.
  constexpr size_t kRest = 1024;
  uint32_t index;
  if (free_->size() > kRest || (next_ == kChunks * kChunkSlots && !free_->empty())) {
    index = free_->front();
    free_->pop_front();
  } else if (next_ < kChunks * kChunkSlots) {
    index = next_;
    std::atomic<Slot*>& chunk = chunks_[index / kChunkSlots];
    if (chunk.load(std::memory_order_relaxed) == nullptr) {
      Slot* slots = new (std::nothrow) Slot[kChunkSlots];
      if (slots == nullptr) return nullptr;
      chunk.store(slots, std::memory_order_release);
    }
    ++next_;
  } else {
    return nullptr;
  }
  Slot& slot = chunks_[index / kChunkSlots].load(std::memory_order_relaxed)[index % kChunkSlots];
  uint64_t generation = (slot.state.load(std::memory_order_relaxed) >> 8) + 1;
  if (generation == kGenerations) generation = 1;
  // Who sees the new object sees that the slot was freed before.
  slot.object.store(object, std::memory_order_release);
  slot.state.store(generation << 8 | static_cast<uint64_t>(kind), std::memory_order_release);
  return reinterpret_cast<void*>(kTag << kTagShift | generation << kGenerationShift |
                                 uint64_t{index} << kSlotShift);
}

void* HandleTable::Resolve(const void* handle, int kind) const {
  uint64_t generation;
  const Slot* slot = Find(handle, &generation);
  if (slot == nullptr) return nullptr;
  const uint64_t live = generation << 8 | static_cast<uint64_t>(kind);
  if ((slot->state.load(std::memory_order_acquire) & ~kHeld) != live) return nullptr;
  void* object = slot->object.load(std::memory_order_acquire);
  // The slot may have been reused between the two loads; the object is ours only if it was not.
  return (slot->state.load(std::memory_order_relaxed) & ~kHeld) == live ? object : nullptr;
}

HandleTable::Slot* HandleTable::HoldSlot(const void* handle, int kind) {
  uint64_t generation;
  Slot* slot = Find(handle, &generation);
  if (slot == nullptr) return nullptr;
  const uint64_t live = generation << 8 | static_cast<uint64_t>(kind);
  for (Backoff backoff;;) {
    uint64_t state = live;
    if (slot->state.compare_exchange_weak(state, live | kHeld, std::memory_order_acquire,
                                          std::memory_order_relaxed)) {
      return slot;
    }
    if ((state & ~kHeld) != live) return nullptr;
    if (state != live) backoff.Wait();
  }
}

void* HandleTable::Hold(const void* handle, int kind) {
  Slot* const slot = HoldSlot(handle, kind);
  return slot != nullptr ? slot->object.load(std::memory_order_relaxed) : nullptr;
}

void HandleTable::GiveBack(const void* handle) {
  uint64_t generation;
  GiveBack(*Find(handle, &generation));
}

void HandleTable::End(const void* handle) {
  uint64_t generation;
  Slot* slot = Find(handle, &generation);
  const uint64_t live = slot->state.load(std::memory_order_relaxed) & ~kHeld;
  slot->state.store(live | kFree, std::memory_order_release);
  const uint64_t bits = reinterpret_cast<uint64_t>(handle);
  try {
    std::lock_guard<SpinLock> lock(lock_);
    free_->push_back(static_cast<uint32_t>((bits >> kSlotShift) & kSlotMask));
  } catch (...) {  // The slot is lost; the object is not.
  }
  if (observe::On()) {
    const int kind = static_cast<int>(live & (kHeld - 1));
    observe::Each([&](observe::Observer& tool) { tool.HandleReleased(kind, handle); });
  }
}

void HandleTable::Renew(bool locked) {
  for (uint32_t index = 0; locked && index < next_; ++index) {
    Slot* const chunk = chunks_[index / kChunkSlots].load(std::memory_order_relaxed);
    Slot& slot = chunk[index % kChunkSlots];
    // Writing to all would copy every page of the table.
    if ((slot.state.load(std::memory_order_relaxed) & kHeld) != 0) GiveBack(slot);
  }
  new (&lock_) SpinLock;
}

void* HandleTable::Create(int kind, void* object) {
  void* handle = Take(kind, object);
  if (handle != nullptr && observe::On()) {
    observe::Each([&](observe::Observer& tool) { tool.HandleMade(kind, handle); });
  }
  return handle;
}

void* HandleTable::Release(const void* handle, int kind) {
  void* object = Hold(handle, kind);
  if (object != nullptr) {
    End(handle);
  } else if (observe::On()) {
    observe::Each([&](observe::Observer& tool) { tool.HandleMissed(kind, handle); });
  }
  return object;
}

int HandleTable::Describe(const void* handle) const {
  uint64_t generation;
  const Slot* slot = Find(handle, &generation);
  if (slot == nullptr || generation == 0) return 0;
  const uint64_t state = slot->state.load(std::memory_order_acquire);
  if (state >> 8 < generation) return 0;
  if (state >> 8 > generation) return kForgotten;
  const int kind = static_cast<int>(state & (kHeld - 1));
  return (state & kFree) != 0 ? -kind : kind;
}

}  // namespace aclimb

extern "C" {

void* aclimb_handle_create(int kind, void* object) {
  try {
    return aclimb::Handles().Create(kind, object);
  } catch (...) {
    return nullptr;
  }
}

void* aclimb_handle_resolve(const void* handle, int kind) {
  return aclimb::Handles().Resolve(handle, kind);
}

void* aclimb_handle_release(const void* handle, int kind) {
  return aclimb::Handles().Release(handle, kind);
}

void* aclimb_handle_hold(const void* handle, int kind) {
  return aclimb::Handles().Hold(handle, kind);
}

void aclimb_handle_give_back(const void* handle) { aclimb::Handles().GiveBack(handle); }
void aclimb_handle_end(const void* handle) { aclimb::Handles().End(handle); }

int aclimb_handle_state(const void* handle) {
  const int state = aclimb::Handles().Describe(handle);
  return state == aclimb::HandleTable::kForgotten ? ACLIMB_HANDLE_FORGOTTEN : state;
}

const char* aclimb_handle_state_text(const void* handle) {
  const int state = aclimb::Handles().Describe(handle);
  if (state == 0) return "it was never given out";
  if (state == aclimb::HandleTable::kForgotten) return "it was destroyed";
  return state > 0 ? aclimb::kLiveTexts[state] : aclimb::kDestroyedTexts[-state];
}

const char* aclimb_handle_fix_text(const void* handle, const char* if_destroyed) {
  const int state = aclimb::Handles().Describe(handle);
  if (state < 0) return if_destroyed;
  return state > 0
             ? "check the order of the arguments: each takes handles of one kind"
             : "pass what the call that creates it gave; check that it returned without error";
}

}  // extern "C"
