#pragma once

#include <cstdint>

namespace aclimb {

// What the operating system refused the process, in a message's words. Composed without memory of
// the heap where there is none.
struct SystemRefusal {
  char what[1024] = "";  // "the system refused ...; expected ..."
  char fix[256] = "";

  explicit operator bool() const { return what[0] != '\0'; }
};

// Memory that was asked for by `call`, a system or library call that failed with the errno `error`.
//   whose  "the memory of the allocation"
//   bytes  what the call asked for; 0 where nobody knows
SystemRefusal RefusedMemory(const char* whose, const char* call, uint64_t bytes,
                            int error) noexcept;
// A thread. pthread_create failed with the errno `error`.
//   whose  "the thread that runs the device's work"
SystemRefusal RefusedThread(const char* whose, int error) noexcept;

}  // namespace aclimb
