#include "backends/cpu/mapped_memory.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>

#include "aclimb/core/codes.h"
#include "aclimb/core/divide.h"
#include "aclimb/core/fork.h"
#include "aclimb/core/signal_held.h"
#include "backends/cpu/address_space.h"
#include "backends/cpu/range_heap.h"
#include "backends/cpu/refusal.h"
#include "backends/cpu/scheduler.h"

namespace aclimb::cpu {
class DeviceFile;
}  // namespace aclimb::cpu

// A piece of a device's file.
struct AclimbPhysical {
  aclimb::cpu::AddressSpace* space = nullptr;
  std::shared_ptr<aclimb::cpu::DeviceFile> file;
  uint64_t offset = 0;
  uint64_t bytes = 0;
};

namespace aclimb::cpu {
namespace {

constexpr uint64_t kGranule = ACLIMB_MAPPING_GRANULE;
// Only what is written takes memory, so that the file may have room for any order of pieces.
constexpr uint64_t kFileBytes = uint64_t{1} << 46;

}  // namespace

class DeviceFile {
 public:
  DeviceFile() = default;
  DeviceFile(const DeviceFile&) = delete;
  DeviceFile& operator=(const DeviceFile&) = delete;
  ~DeviceFile() {
    if (descriptor_ >= 0) close(descriptor_);
  }

  // Its descriptor, or -1 and what was refused is noted. Made at the first call.
  int Descriptor() {
    if (descriptor_ >= 0) return descriptor_;
    const int made = memfd_create("aclimb device memory", MFD_CLOEXEC);
    if (made < 0) {
      NoteRefusedMemory(kWhose, "memfd_create", 0, errno);
      return -1;
    }
    // Past RLIMIT_FSIZE.
    const SignalHeld held(SIGXFSZ);
    if (ftruncate(made, static_cast<off_t>(kFileBytes)) != 0) {
      NoteRefusedMemory(kWhose, "ftruncate", kFileBytes, errno);
      close(made);
      return -1;
    }
    return descriptor_ = made;
  }
  // RangeHeap::kNone where the file has no room.
  uint64_t Allocate(uint64_t bytes) { return room_.Allocate(bytes, kGranule); }
  // The piece reads as zeros when it is handed out again.
  void Release(uint64_t offset, uint64_t bytes) {
    room_.Release(offset, bytes);
    fallocate(descriptor_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(offset),
              static_cast<off_t>(bytes));
  }

 private:
  static constexpr char kWhose[] = "the file of the device's memory";
  int descriptor_ = -1;
  RangeHeap room_{0, kFileBytes};
};

namespace {

struct Range {
  char* reserved = nullptr;  // what mmap gave, and its size
  uint64_t reserved_bytes = 0;
  uint64_t bytes = 0;
  intptr_t distance = 0;  // from the program's addresses to those of kernels
};

// What the program has given back and queued work may still use.
struct Pending {
  enum class What { kMapping, kPhysical, kRange };
  What what = What::kMapping;
  uint64_t ticket = 0;
  char* kernel = nullptr;  // of a mapping
  uint64_t bytes = 0;
  std::unique_ptr<AclimbPhysical> physical;
  Range range;
};

struct State {
  std::shared_mutex mutex;
  std::map<uint64_t, Range> ranges;                            // by the program's address
  std::map<AddressSpace*, std::shared_ptr<DeviceFile>> files;  // for new pieces
  std::deque<Pending> pending;
};
State& TheState() {
  static auto* const state = new State;
  return *state;
}

// A child of fork takes its pieces from files of its own: it does not know which pieces of the
// others the parent has given out since, and must leave those that it frees to the parent.
class StatePart final : public ForkLock<std::shared_mutex> {
 public:
  using ForkLock::ForkLock;
  void Renew(bool locked) override {
    ForkLock::Renew(locked);
    if (locked) TheState().files.clear();
  }
};
StatePart state_part(TheState().mutex);

// Most programs have no range: their copies look no further.
std::atomic<int> range_count{0};

uint64_t Key(const void* address) { return reinterpret_cast<uint64_t>(address); }

const Range* FindRange(const State& state, const void* address, uint64_t* begin) {
  auto found = state.ranges.upper_bound(Key(address));
  if (found == state.ranges.begin()) return nullptr;
  --found;
  if (Key(address) - found->first >= found->second.bytes) return nullptr;
  *begin = found->first;
  return &found->second;
}

// Closes addresses of kernels again, and keeps them reserved.
void Close(char* kernel, uint64_t bytes) {
  mmap(kernel, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

void GiveBack(State& state, Pending& pending) {
  switch (pending.what) {
    case Pending::What::kMapping:
      Close(pending.kernel, pending.bytes);
      return;
    case Pending::What::kPhysical: {
      const AclimbPhysical& physical = *pending.physical;
      if (physical.file == state.files[physical.space]) {
        physical.file->Release(physical.offset, physical.bytes);
      }
      physical.space->Discharge(physical.bytes);
      return;
    }
    case Pending::What::kRange:
      munmap(pending.range.reserved, pending.range.reserved_bytes);
      return;
  }
}

void Reclaim(State& state) {
  if (state.pending.empty()) return;
  const uint64_t oldest = Scheduler::Get().OldestMemoryUser();
  while (!state.pending.empty() && state.pending.front().ticket <= oldest) {
    GiveBack(state, state.pending.front());
    state.pending.pop_front();
  }
}

// A new entry at the end, to be filled in without fail.
Pending& AddPending(State& state, Pending::What what) {
  Pending& pending = state.pending.emplace_back();
  pending.what = what;
  pending.ticket = Scheduler::Get().NextTicket();
  return pending;
}

void TryReclaim(State& state) noexcept {
  try {
    Reclaim(state);
  } catch (...) {  // The rest stays pending until a later call finds memory.
  }
}

// Addresses that are mapped anew must not be closed for the sake of what was there before.
void ForgetPending(State& state, char* begin, uint64_t bytes) {
  char* const end = begin + bytes;
  // Pieces that are added at the end lie outside.
  for (size_t i = 0, count = state.pending.size(); i < count; ++i) {
    Pending& old = state.pending[i];
    if (old.what != Pending::What::kMapping) continue;
    char* const old_end = old.kernel + old.bytes;
    if (old_end <= begin || end <= old.kernel) continue;
    Pending behind;
    behind.ticket = old.ticket;
    behind.kernel = std::max(old.kernel, end);
    behind.bytes = old_end > end ? static_cast<uint64_t>(old_end - end) : 0;
    old.bytes = begin > old.kernel ? static_cast<uint64_t>(begin - old.kernel) : 0;
    if (old.bytes == 0) {
      std::swap(old.kernel, behind.kernel);
      std::swap(old.bytes, behind.bytes);
    }
    // Its ticket is not the latest; the order matters to nobody but Reclaim, which waits longer.
    if (behind.bytes > 0) state.pending.push_back(std::move(behind));
  }
  std::erase_if(state.pending, [](const Pending& each) {
    return each.what == Pending::What::kMapping && each.bytes == 0;
  });
}

}  // namespace

int ReserveRange(uint64_t bytes, bool host_access, void** address) {
  ForgetRefusal();
  Range range;
  range.bytes = bytes;
  constexpr uint64_t kMost = uint64_t{1} << 46;
  if (bytes > kMost) return kRtMemoryAllocation;
  range.reserved_bytes = (host_access ? bytes : 2 * bytes) + kGranule;
  void* const reserved = mmap(nullptr, range.reserved_bytes, PROT_NONE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (reserved == MAP_FAILED) {
    NoteRefusedMemory("the addresses of the range", "mmap", range.reserved_bytes, errno);
    return kRtMemoryAllocation;
  }
  range.reserved = static_cast<char*>(reserved);
  range.distance = host_access ? 0 : static_cast<intptr_t>(bytes);
  const uint64_t begin = RoundUp(Key(reserved), kGranule);
  State& state = TheState();
  try {
    std::unique_lock<std::shared_mutex> lock(state.mutex);
    Reclaim(state);
    state.ranges.emplace(begin, range);
    range_count.fetch_add(1, std::memory_order_release);
  } catch (...) {
    munmap(reserved, range.reserved_bytes);
    throw;
  }
  *address = reinterpret_cast<void*>(begin);
  return 0;
}

int ReleaseRange(void* address) {
  State& state = TheState();
  std::unique_lock<std::shared_mutex> lock(state.mutex);
  const auto found = state.ranges.find(Key(address));
  if (found == state.ranges.end()) return kRtParamInvalid;
  AddPending(state, Pending::What::kRange).range = found->second;
  state.ranges.erase(found);
  range_count.fetch_sub(1, std::memory_order_release);
  TryReclaim(state);
  return 0;
}

int AllocatePhysical(AddressSpace* space, uint64_t bytes, AclimbPhysical** memory) {
  ForgetRefusal();
  auto made = std::make_unique<AclimbPhysical>();
  State& state = TheState();
  std::unique_lock<std::shared_mutex> lock(state.mutex);
  Reclaim(state);
  std::shared_ptr<DeviceFile>& file = state.files[space];
  if (file == nullptr) file = std::make_shared<DeviceFile>();
  if (file->Descriptor() < 0) return kRtMemoryAllocation;
  if (!space->Charge(bytes)) return kRtMemoryAllocation;
  uint64_t offset = RangeHeap::kNone;
  try {
    offset = file->Allocate(bytes);
  } catch (...) {
    space->Discharge(bytes);
    throw;
  }
  if (offset == RangeHeap::kNone) {
    space->Discharge(bytes);
    return kRtMemoryAllocation;
  }
  *made = {space, file, offset, bytes};
  *memory = made.release();
  return 0;
}

int FreePhysical(AclimbPhysical* memory) {
  State& state = TheState();
  std::unique_lock<std::shared_mutex> lock(state.mutex);
  AddPending(state, Pending::What::kPhysical).physical.reset(memory);
  TryReclaim(state);
  return 0;
}

int MapRange(void* address, uint64_t bytes, AclimbPhysical* memory, uint64_t offset) {
  ForgetRefusal();
  State& state = TheState();
  std::unique_lock<std::shared_mutex> lock(state.mutex);
  uint64_t begin = 0;
  const Range* const range = FindRange(state, address, &begin);
  if (range == nullptr) return kRtParamInvalid;
  char* const kernel = static_cast<char*>(address) + range->distance;
  ForgetPending(state, kernel, bytes);
  void* const mapped =
      mmap(kernel, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
           memory->file->Descriptor(), static_cast<off_t>(memory->offset + offset));
  if (mapped == MAP_FAILED) {
    NoteRefusedMemory("the mapping", "mmap", bytes, errno);
    return kRtMemoryAllocation;
  }
  // Where the system has huge pages for files of this kind.
  madvise(kernel, bytes, MADV_HUGEPAGE);
  return 0;
}

int UnmapRange(void* address, uint64_t bytes) {
  State& state = TheState();
  std::unique_lock<std::shared_mutex> lock(state.mutex);
  uint64_t begin = 0;
  const Range* const range = FindRange(state, address, &begin);
  if (range == nullptr) return kRtParamInvalid;
  Pending& pending = AddPending(state, Pending::What::kMapping);
  pending.kernel = static_cast<char*>(address) + range->distance;
  pending.bytes = bytes;
  TryReclaim(state);
  return 0;
}

void ReclaimMapped() {
  State& state = TheState();
  std::unique_lock<std::shared_mutex> lock(state.mutex);
  Reclaim(state);
}

uint64_t WaitingPhysicalBytes(const AddressSpace* space) {
  State& state = TheState();
  std::unique_lock<std::shared_mutex> lock(state.mutex);
  Reclaim(state);
  uint64_t bytes = 0;
  for (const Pending& pending : state.pending) {
    if (pending.what != Pending::What::kPhysical || pending.physical->space != space) continue;
    bytes += pending.physical->bytes;
  }
  return bytes;
}

void* KernelAddressOfRange(const void* address) {
  if (range_count.load(std::memory_order_acquire) == 0) return nullptr;
  State& state = TheState();
  std::shared_lock<std::shared_mutex> lock(state.mutex);
  uint64_t begin = 0;
  const Range* const range = FindRange(state, address, &begin);
  if (range == nullptr) return nullptr;
  return static_cast<char*>(const_cast<void*>(address)) + range->distance;
}

bool IsInRange(const void* address) {
  if (range_count.load(std::memory_order_acquire) == 0) return false;
  State& state = TheState();
  std::shared_lock<std::shared_mutex> lock(state.mutex, std::try_to_lock);
  uint64_t begin = 0;
  return lock.owns_lock() && FindRange(state, address, &begin) != nullptr;
}

}  // namespace aclimb::cpu
