#pragma once

#include <atomic>

#include "aclimb/core/cancel_guard.h"
#include "aclimb/core/float_state.h"
#include "aclimb/observe/observer.h"

// The place where tools (trace, checker, faults, records) listen in. It costs one load a call when
// no tool is on.

namespace aclimb::observe {
namespace internal {

enum class State { kUnknown, kOff, kOn };
inline std::atomic<State> state{State::kUnknown};
// Starts the tools that the environment asks for. Returns whether there is one.
bool Start() noexcept;

}  // namespace internal

// Whether any tool listens. The first call reads the environment.
inline bool On() noexcept {
  const internal::State state = internal::state.load(std::memory_order_acquire);
  return state == internal::State::kOn || (state == internal::State::kUnknown && internal::Start());
}

// The program's call `function`. Returns the code with which a tool wants it to fail, or 0.
int CallBegin(const char* function) noexcept;
void CallEnd(const char* function, int code) noexcept;
// The innermost call that the calling thread is in; "" outside.
const char* CurrentCall() noexcept;
// The call that made that one; "" when the program did.
const char* OuterCall() noexcept;

// `backend` with its work in another order, when the environment asks for one. Defined in
// tools/tools.cc.
const AclimbBackend* Ordered(const AclimbBackend* backend) noexcept;
// `backend`, ordered, with every tool listening; `backend` itself when none is on.
const AclimbBackend* Wrap(const AclimbBackend* backend) noexcept;
// Whether an address can be device memory, allocated or not. Only while a tool listens.
bool IsDeviceAddress(const void* address) noexcept;

// The tools, in the order in which they hear of things; they live as long as the process.
struct Observers {
  static constexpr int kMost = 8;
  Observer* list[kMost] = {};
  int count = 0;
};
// Those that the environment asks for. Defined in tools/tools.cc, the one place that knows them.
Observers MakeTools() noexcept;
// Those that run. Only when On().
const Observers& Tools() noexcept;

template <typename Visit>
void Each(Visit&& visit) noexcept {
  const CancelGuard uncancelled;  // the program's thread may be about to wait
  const DefaultFloatState state;  // tools compute and print on the program's threads
  const Observers& tools = Tools();
  for (int i = 0; i < tools.count; ++i) {
    try {
      visit(*tools.list[i]);
    } catch (...) {
      // Out of memory: the tool misses this event, the program goes on.
    }
  }
}

}  // namespace aclimb::observe
