#include "aclimb/runtime/handle_table.h"

#include <new>

#include "aclimb/bridge/bridge.h"

namespace aclimb {
namespace {

constexpr uint64_t kTag = 0x0AC;
constexpr int kTagShift = 52;
constexpr int kGenerationShift = 26;
constexpr int kSlotShift = 4;
constexpr uint64_t kGenerations = uint64_t{1} << (kTagShift - kGenerationShift);
constexpr uint64_t kSlotMask = (uint64_t{1} << (kGenerationShift - kSlotShift)) - 1;

}  // namespace

HandleTable& Handles() {
  static HandleTable* const table = new HandleTable;
  return *table;
}

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

void* HandleTable::Create(int kind, void* object) {
  std::lock_guard<std::mutex> lock(mutex_);
  // A freed slot rests until many others were freed: a stale handle stays recognisable for longer
  // than its generation alone would allow.
  constexpr size_t kRest = 1024;
  uint32_t index;
  if (free_.size() > kRest || (next_ == kChunks * kChunkSlots && !free_.empty())) {
    index = free_.front();
    free_.pop_front();
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
  slot.object.store(object, std::memory_order_relaxed);
  slot.state.store(generation << 8 | static_cast<uint64_t>(kind), std::memory_order_release);
  return reinterpret_cast<void*>(kTag << kTagShift | generation << kGenerationShift |
                                 uint64_t{index} << kSlotShift);
}

void* HandleTable::Resolve(const void* handle, int kind) const {
  uint64_t generation;
  const Slot* slot = Find(handle, &generation);
  if (slot == nullptr) return nullptr;
  const uint64_t live = generation << 8 | static_cast<uint64_t>(kind);
  if (slot->state.load(std::memory_order_acquire) != live) return nullptr;
  void* object = slot->object.load(std::memory_order_acquire);
  // The slot may have been reused between the two loads; the object is ours only if it was not.
  return slot->state.load(std::memory_order_relaxed) == live ? object : nullptr;
}

void* HandleTable::Release(const void* handle, int kind) {
  uint64_t generation;
  Slot* slot = Find(handle, &generation);
  if (slot == nullptr) return nullptr;
  std::lock_guard<std::mutex> lock(mutex_);
  const uint64_t live = generation << 8 | static_cast<uint64_t>(kind);
  if (slot->state.load(std::memory_order_relaxed) != live) return nullptr;
  void* object = slot->object.load(std::memory_order_relaxed);
  slot->state.store(generation << 8, std::memory_order_release);
  const uint64_t bits = reinterpret_cast<uint64_t>(handle);
  try {
    free_.push_back(static_cast<uint32_t>((bits >> kSlotShift) & kSlotMask));
  } catch (...) {  // The slot is lost; the object is not.
  }
  return object;
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

}  // extern "C"
