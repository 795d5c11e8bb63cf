#include "tests/support/allocations.h"

#include <execinfo.h>
#include <link.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>

namespace aclimb::testing {
namespace {

constexpr uint64_t kNever = std::numeric_limits<uint64_t>::max();

std::atomic<bool> counting{false};
std::atomic<uint64_t> counted{0};
std::atomic<uint64_t> first_failure{kNever};
std::atomic<uint64_t> last_failure{kNever};
std::atomic<int64_t> live{0};

// Where oneDNN's code lies; both 0 when it is not loaded.
std::atomic<uintptr_t> foreign_begin{0};
std::atomic<uintptr_t> foreign_end{0};

void FindForeignCode() {
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void*) {
        if (std::strstr(info->dlpi_name, "libdnnl") == nullptr) return 0;
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const auto& part = info->dlpi_phdr[i];
          if (part.p_type != PT_LOAD || (part.p_flags & PF_X) == 0) continue;
          foreign_begin = info->dlpi_addr + part.p_vaddr;
          foreign_end = info->dlpi_addr + part.p_vaddr + part.p_memsz;
        }
        return 1;
      },
      nullptr);
}

bool CalledByForeignCode() {
  void* frames[64];
  const int count = backtrace(frames, 64);
  for (int i = 0; i < count; ++i) {
    const auto at = reinterpret_cast<uintptr_t>(frames[i]);
    if (at >= foreign_begin && at < foreign_end) return true;
  }
  return false;
}

bool MayAllocate() {
  static thread_local bool inside = false;
  if (!counting.load(std::memory_order_relaxed) || inside) return true;
  inside = true;
  const bool foreign = CalledByForeignCode();
  inside = false;
  if (foreign) return true;
  const uint64_t index = counted.fetch_add(1, std::memory_order_relaxed);
  return index < first_failure || index > last_failure;
}

void* Allocate(size_t size, size_t alignment) noexcept {
  if (!MayAllocate()) return nullptr;
  if (size == 0) size = 1;
  void* const block =
      alignment == 0
          ? std::malloc(size)
          : std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
  if (block != nullptr) live.fetch_add(1, std::memory_order_relaxed);
  return block;
}

void* AllocateOrThrow(size_t size, size_t alignment) {
  void* const block = Allocate(size, alignment);
  if (block == nullptr) throw std::bad_alloc();
  return block;
}

void Release(void* block) noexcept {
  if (block != nullptr) live.fetch_sub(1, std::memory_order_relaxed);
  std::free(block);
}

void Start(uint64_t first, uint64_t last) {
  void* frame;
  (void)backtrace(&frame, 1);  // its first call loads a library
  FindForeignCode();
  counted = 0;
  first_failure = first;
  last_failure = last;
  counting = true;
}

}  // namespace

void Allocations::Count() { Start(kNever, kNever); }
void Allocations::Fail(uint64_t nth, Failing which) {
  Start(nth, which == Failing::kOne ? nth : kNever);
}
uint64_t Allocations::Stop() {
  counting = false;
  return counted;
}
int64_t Allocations::Live() { return live; }

}  // namespace aclimb::testing

using aclimb::testing::Allocate;
using aclimb::testing::AllocateOrThrow;
using aclimb::testing::Release;

void* operator new(size_t size) { return AllocateOrThrow(size, 0); }
void* operator new[](size_t size) { return AllocateOrThrow(size, 0); }
void* operator new(size_t size, const std::nothrow_t&) noexcept { return Allocate(size, 0); }
void* operator new[](size_t size, const std::nothrow_t&) noexcept { return Allocate(size, 0); }
void* operator new(size_t size, std::align_val_t alignment) {
  return AllocateOrThrow(size, static_cast<size_t>(alignment));
}
void* operator new[](size_t size, std::align_val_t alignment) {
  return AllocateOrThrow(size, static_cast<size_t>(alignment));
}
void* operator new(size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return Allocate(size, static_cast<size_t>(alignment));
}
void* operator new[](size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return Allocate(size, static_cast<size_t>(alignment));
}
void operator delete(void* block) noexcept { Release(block); }
void operator delete[](void* block) noexcept { Release(block); }
void operator delete(void* block, size_t) noexcept { Release(block); }
void operator delete[](void* block, size_t) noexcept { Release(block); }
void operator delete(void* block, const std::nothrow_t&) noexcept { Release(block); }
void operator delete[](void* block, const std::nothrow_t&) noexcept { Release(block); }
void operator delete(void* block, std::align_val_t) noexcept { Release(block); }
void operator delete[](void* block, std::align_val_t) noexcept { Release(block); }
void operator delete(void* block, size_t, std::align_val_t) noexcept { Release(block); }
void operator delete[](void* block, size_t, std::align_val_t) noexcept { Release(block); }
void operator delete(void* block, std::align_val_t, const std::nothrow_t&) noexcept {
  Release(block);
}
void operator delete[](void* block, std::align_val_t, const std::nothrow_t&) noexcept {
  Release(block);
}
