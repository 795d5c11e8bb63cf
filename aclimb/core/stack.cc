#include "aclimb/core/stack.h"

#include <pthread.h>

#include <cstdint>

namespace aclimb {
namespace {

// The thread's own stack; empty where the system does not tell.
struct Stack {
  uintptr_t low = 0, high = 0;
};

Stack StackOfThisThread() {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return {};
  void* low = nullptr;
  size_t bytes = 0;
  const bool told = pthread_attr_getstack(&attributes, &low, &bytes) == 0;
  pthread_attr_destroy(&attributes);
  if (!told) return {};
  return {reinterpret_cast<uintptr_t>(low), reinterpret_cast<uintptr_t>(low) + bytes};
}

}  // namespace

bool HasRoomForKernels() {
  // Of the first thread, the system reads it from a file.
  [[gnu::tls_model("initial-exec")]] static thread_local Stack stack;
  if (stack.high == 0) stack = StackOfThisThread();
  const auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  return stack.low < here && here < stack.high && here - stack.low >= kKernelStackBytes;
}

}  // namespace aclimb
