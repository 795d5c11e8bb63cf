#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <utility>

#include "aclimb/core/recycler.h"
#include "aclimb/core/spin_lock.h"

namespace aclimb {

// Handles of everything a program holds: slot number and generation instead of an address, so that
// a destroyed or invented handle is recognised, also after its slot was used again.
//
//   bits 63..52  0x0AC, which no address of a program has
//   bits 51..26  generation, at least 1
//   bits 25..4   slot
//   bits  3..0   0
class HandleTable {
 public:
  constexpr HandleTable() = default;
  HandleTable(const HandleTable&) = delete;
  HandleTable& operator=(const HandleTable&) = delete;
  ~HandleTable();

  // Null when all slots are taken.
  void* Create(int kind, void* object);
  // The object; null for a handle that is not live or of another kind. Takes no lock.
  void* Resolve(const void* handle, int kind) const;
  // Resolves and ends the handle; of two racing callers one gets the object.
  void* Release(const void* handle, int kind);
  // Resolves and holds the handle, so that others who want to hold or release it wait. Then either
  // GiveBack or End, on the same thread; in between no call that waits.
  void* Hold(const void* handle, int kind);
  void GiveBack(const void* handle);
  void End(const void* handle);
  // Holds the handle while it copies its object; T() when it is not live.
  template <typename T>
  T Copy(const void* handle, int kind) {
    Slot* const slot = HoldSlot(handle, kind);
    if (slot == nullptr) return T();
    T copy = *static_cast<const T*>(slot->object.load(std::memory_order_relaxed));
    GiveBack(*slot);
    return copy;
  }
  // What a handle is that does not resolve: the kind of a live object, the negative kind of a
  // destroyed one, kForgotten when its slot was used again since, 0 when it was never given out.
  int Describe(const void* handle) const;

  // Around a fork; as those of ForkPart. What other threads held is free in the child: whatever
  // they were about to do with it, they had not done it yet.
  bool TryLock() { return lock_.try_lock(); }
  void Unlock() { lock_.unlock(); }
  void Renew(bool locked);

  static constexpr int kForgotten = -0x7F;

 private:
  struct Slot {
    // generation << 8 | kind, with kFree when the object is gone, or kHeld.
    std::atomic<uint64_t> state{0};
    std::atomic<void*> object{nullptr};
  };
  static constexpr uint64_t kFree = 0x80;
  static constexpr uint64_t kHeld = 0x40;
  static constexpr uint32_t kChunkSlots = 4096;
  static constexpr uint32_t kChunks = 1024;

  Slot* Find(const void* handle, uint64_t* generation) const;
  Slot* HoldSlot(const void* handle, int kind);
  static void GiveBack(Slot& slot) {
    const uint64_t held = slot.state.load(std::memory_order_relaxed);
    slot.state.store(held & ~kHeld, std::memory_order_release);
  }
  // Create without telling the tools.
  void* Take(int kind, void* object);

  std::atomic<Slot*> chunks_[kChunks] = {};
  SpinLock lock_;  // guards what follows
  using SlotNumbers = std::deque<uint32_t, RecyclingAllocator<uint32_t>>;
  std::optional<SlotNumbers> free_;  // none before the first handle
  uint32_t next_ = 0;
};

// Not destroyed at exit, when other threads may still run.
union LastingHandleTable {
  constexpr LastingHandleTable() : table() {}
  ~LastingHandleTable() {}  // NOLINT: does not destroy the table

  HandleTable table;
};
inline constinit LastingHandleTable process_handles;

// The process's table. A constant address: every call looks up several handles.
inline HandleTable& Handles() { return process_handles.table; }

// Handles of objects that another thread may destroy while a call uses them: the call holds a
// reference, the handle holds another.

// Null when no slot is left.
template <typename T>
void* CreateShared(int kind, std::shared_ptr<T> object) {
  auto holder = std::make_unique<std::shared_ptr<T>>(std::move(object));
  void* handle = Handles().Create(kind, holder.get());
  if (handle != nullptr) holder.release();
  return handle;
}
// Null for a handle that is not live or of another kind.
template <typename T>
std::shared_ptr<T> ResolveShared(const void* handle, int kind) {
  return Handles().Copy<std::shared_ptr<T>>(handle, kind);
}
// Resolves the handle as ResolveShared does, and ends it.
template <typename T>
std::shared_ptr<T> ReleaseShared(const void* handle, int kind) {
  const std::unique_ptr<std::shared_ptr<T>> holder(
      static_cast<std::shared_ptr<T>*>(Handles().Release(handle, kind)));
  return holder != nullptr ? std::move(*holder) : nullptr;
}

}  // namespace aclimb
