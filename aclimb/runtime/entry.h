#pragma once

#include <cxxabi.h>

#include <utility>

#include "aclimb/core/cancel_guard.h"
#include "aclimb/core/fork.h"
#include "aclimb/core/status.h"
#include "aclimb/observe/observe.h"

namespace aclimb {

// Adds the refusal to the calling thread's messages and makes its code the last error. Never
// throws.
void ReportRefusal(const char* function, const Refusal& refusal) noexcept;
// Turns the exception in flight into a message and a code: 207001 out of memory, 207005 without a
// thread, else 500000.
int ReportException(const char* function) noexcept;

// Of a process that a fork has left with a library in an unknown state.
int ReportUnusable(const char* function) noexcept;

// No exception crosses the C border, every refusal is reported. What ends the thread passes
// (CancelPoint).
template <typename Body>
int RunBody(const char* function, Body&& body) {
  if (CaughtByFork()) return ReportUnusable(function);
  try {
    const Status status = std::forward<Body>(body)();
    if (status.ok()) return 0;
    const CancelGuard uncancelled;
    ReportRefusal(function, status.refusal());
    return status.code();
  } catch (const abi::__forced_unwind&) {
    throw;
  } catch (...) {
    return ReportException(function);
  }
}

// The body of a public function that waits, and the tools that listen to it. The thread may be
// cancelled where it sleeps; what else could be a cancellation point holds a CancelGuard.
//   body  a callable that returns a Status
template <typename Body>
int EnterWait(const char* function, Body&& body) {
  if (!observe::On()) return RunBody(function, body);
  struct Call {
    const char* function;
    int code;
    ~Call() { observe::CallEnd(function, code); }
  } call = {function, observe::CallBegin(function)};
  if (call.code == 0) call.code = RunBody(function, body);
  return call.code;
}

// The same for all other public functions, in which the thread is not cancelled.
template <typename Body>
int Enter(const char* function, Body&& body) {
  const CancelGuard uncancelled;
  return EnterWait(function, std::forward<Body>(body));
}

}  // namespace aclimb
