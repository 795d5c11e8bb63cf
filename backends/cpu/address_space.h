#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>

#include "backends/cpu/range_heap.h"

namespace aclimb::cpu {

// The memory of one device. Two reserved address ranges lie a constant distance apart: programs get
// addresses of the first, which nobody can access, so that host code that dereferences one faults
// at once; kernels and copies use the second.
class AddressSpace {
 public:
  // `capacity` bytes can be live at once; the ranges are `range` bytes each. With host access both
  // ranges are the same. Falls back to ordinary memory, with one line on stderr, when the kernel
  // refuses the reservation.
  AddressSpace(int device, uint64_t capacity, uint64_t range, bool host_access);

  // 0 or 207001. The bytes [requested, usable) are zero.
  int Allocate(uint64_t requested, uint64_t usable, void** address);
  // `address` as Allocate gave it. Reused once the work with tickets below this one is done.
  int Free(void* address, uint64_t ticket);
  // Frees everything and gives the pages back to the system.
  void Clear();

  bool Contains(const void* address) const;
  void* KernelAddress(const void* address) const {
    return static_cast<char*>(const_cast<void*>(address)) + distance_;
  }
  // Takes bytes from the capacity for memory that lies elsewhere (mapped_memory.h); false when so
  // much is not left.
  bool Charge(uint64_t bytes);
  void Discharge(uint64_t bytes);

  // Freed memory that queued work may still use is not free yet.
  void Info(uint64_t* free, uint64_t* total);
  // What Info counts as used although it was freed.
  uint64_t WaitingBytes();
  int device() const { return device_; }

  struct Block {
    uint64_t requested = 0;
    uint64_t usable = 0;
    uint64_t reserved = 0;  // what counts against the capacity
    uint64_t extent = 0;    // of the address range; 0 in fallback mode
  };
  // For the fault handler: the live block that holds `address`, or the last one that starts at or
  // before it. Takes no lock that could be held by the faulting thread; false when that fails or
  // nothing lies there.
  bool Describe(const void* address, const void** base, Block* block) const;

  // Around a fork; as those of ForkPart.
  bool TryLock() { return mutex_.try_lock(); }
  void Unlock() { mutex_.unlock(); }
  void Renew(bool locked);

 private:
  using Blocks = std::map<uint64_t, Block>;
  struct Pending {
    uint64_t offset;
    Block block;
    uint64_t ticket;
  };
  RangeHeap& HeapOf(uint64_t offset) { return offset < small_end_ ? small_ : large_; }
  uint64_t FindRoom(uint64_t extent);
  uint64_t Held() const { return extents_ + small_.dirty_bytes() + large_.dirty_bytes(); }
  bool Commit(uint64_t end, uint64_t limit, uint64_t* committed);
  void ReclaimFreed();
  void TrimCache();
  void BoundCache() noexcept;
  int AllocateFallback(Blocks::node_type entry, void** address);

  const int device_;
  const uint64_t capacity_;
  uint64_t range_ = 0;
  char* user_base_ = nullptr;  // null in fallback mode
  char* kernel_base_ = nullptr;
  intptr_t distance_ = 0;
  uint64_t small_end_ = 0;

  mutable std::mutex mutex_;
  Blocks live_;            // by offset; by address in fallback mode
  RangeHeap small_{0, 0};  // blocks below kLargeBlock, ordinary pages
  RangeHeap large_{0, 0};  // the rest, huge pages
  uint64_t small_committed_ = 0;
  uint64_t large_committed_ = 0;
  uint64_t used_ = 0;
  std::deque<Pending> pending_;  // by ticket
  uint64_t pending_bytes_ = 0;
  uint64_t extents_ = 0;  // of live and pending blocks
  uint64_t most_extents_ = 0;
};

// The space whose range holds the address, whether or not the block is live; null for host memory.
AddressSpace* SpaceOf(const void* address);
// Makes a space visible to SpaceOf, for the life of the process.
void PublishSpace(AddressSpace* space);

}  // namespace aclimb::cpu
