#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <mutex>

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
  HandleTable() = default;
  HandleTable(const HandleTable&) = delete;
  HandleTable& operator=(const HandleTable&) = delete;
  ~HandleTable();

  // Null when all slots are taken.
  void* Create(int kind, void* object);
  // The object; null for a handle that is not live or of another kind. Takes no lock.
  void* Resolve(const void* handle, int kind) const;
  // Resolves and ends the handle; of two racing callers one gets the object.
  void* Release(const void* handle, int kind);

 private:
  struct Slot {
    // generation << 8 | kind; kind 0 is a free slot.
    std::atomic<uint64_t> state{0};
    std::atomic<void*> object{nullptr};
  };
  static constexpr uint32_t kChunkSlots = 4096;
  static constexpr uint32_t kChunks = 1024;

  Slot* Find(const void* handle, uint64_t* generation) const;

  std::atomic<Slot*> chunks_[kChunks] = {};
  std::mutex mutex_;  // guards what follows
  std::deque<uint32_t> free_;
  uint32_t next_ = 0;
};

// The process's table, never destroyed.
HandleTable& Handles();

// The object of a live handle as its type.
template <typename T>
T* ResolveHandle(const void* handle, int kind) {
  return static_cast<T*>(Handles().Resolve(handle, kind));
}

}  // namespace aclimb
