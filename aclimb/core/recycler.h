#pragma once

#include <atomic>
#include <cstddef>
#include <new>

#include "aclimb/core/sanitized.h"

namespace aclimb {

// Memory of the few objects that every call makes and drops again. A freed block waits for the next
// call that wants its size, so that a program in its stride takes nothing from the heap. Each
// library keeps its own; a block may come back in another one. Thread-safe. Nothing is given back
// at exit, when other threads may still run. The address sanitizer gets every block to see.
class Recycler {
 public:
  static void* Allocate(size_t size) {
    if (const Turn list{ListOf(size)}) {
      if (Block* const block = list->first) {
        list->first = block->next;
        --list->count;
        return block;
      }
    }
    return ::operator new(RoundedUp(size));
  }

  // `size` is that of Allocate.
  static void Free(void* memory, size_t size) noexcept {
    if (memory == nullptr) return;
    if (const Turn list{ListOf(size)}) {
      if (list->count < kKept) {
        list->first = new (memory) Block{list->first};
        ++list->count;
        return;
      }
    }
    ::operator delete(memory);
  }

  static constexpr size_t kLargest = 4096;  // bytes; larger blocks are not kept
  static constexpr int kKept = 64;          // blocks of a size at most

 private:
  static constexpr size_t kStep = 64;

  struct Block {
    Block* next;
  };
  struct List {
    std::atomic_flag taken;
    Block* first;
    int count;
  };
  // Has the list to itself unless another thread does: nobody waits, the heap serves too.
  class Turn {
   public:
    explicit Turn(List* list)
        : list_(list != nullptr && !list->taken.test_and_set(std::memory_order_acquire) ? list
                                                                                        : nullptr) {
    }
    ~Turn() {
      if (list_ != nullptr) list_->taken.clear(std::memory_order_release);
    }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    explicit operator bool() const { return list_ != nullptr; }
    List* operator->() const { return list_; }

   private:
    List* list_;
  };

  static constexpr size_t RoundedUp(size_t size) { return (size / kStep + 1) * kStep; }
  static List* ListOf(size_t size) {
    if (kAddressSanitized || size == 0 || size > kLargest) return nullptr;
    return &lists_[(size - 1) / kStep];
  }

  static constinit inline List lists_[kLargest / kStep] = {};
};

// Base of classes whose objects are recycled; a class with a virtual destructor hands its derived
// classes' sizes on.
struct Recycled {
  // The sized form of delete is the match; clang-tidy looks for the other one.
  // NOLINTNEXTLINE(misc-new-delete-overloads)
  static void* operator new(size_t size) { return Recycler::Allocate(size); }
  static void operator delete(void* memory, size_t size) noexcept { Recycler::Free(memory, size); }
};

// For the nodes of standard containers.
template <typename T>
struct RecyclingAllocator {
  using value_type = T;
  RecyclingAllocator() = default;
  template <typename U>
  RecyclingAllocator(const RecyclingAllocator<U>&) {}  // NOLINT: as allocators convert

  static_assert(alignof(T) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);
  T* allocate(size_t count) {
    if (count > size_t(-1) / sizeof(T)) throw std::bad_array_new_length();
    return static_cast<T*>(Recycler::Allocate(count * sizeof(T)));
  }
  void deallocate(T* memory, size_t count) noexcept { Recycler::Free(memory, count * sizeof(T)); }

  friend bool operator==(const RecyclingAllocator&, const RecyclingAllocator&) { return true; }
  friend bool operator!=(const RecyclingAllocator&, const RecyclingAllocator&) { return false; }
};

}  // namespace aclimb
