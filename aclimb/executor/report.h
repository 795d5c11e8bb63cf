#pragma once

#include <atomic>
#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <utility>

#include "aclimb/bridge/bridge.h"
#include "aclimb/core/cancel_guard.h"
#include "aclimb/core/codes.h"
#include "aclimb/core/fork.h"
#include "aclimb/core/status.h"
#include "aclimb/core/text.h"

namespace aclimb {

// What is thrown where a new object gets no handle.
struct NoHandle final : std::exception {};

// A refusal becomes a message of the calling thread, an exception an inner error. The function's
// name, `stem` and `ending`, is composed only for who reads it.
template <typename Body>
int RunGuarded(const char* stem, const char* ending, Body&& body) noexcept {
  try {
    const Status status = CaughtByFork() ? UnusableAfterFork(kAclnnRuntime) : body();
    if (status.ok()) return kSuccess;
    aclimb_report(status.code(), MessageOf(Cat(stem, ending), status.refusal()).c_str());
    return status.code();
  } catch (const NoHandle&) {
    aclimb_report(kAclnnInner,
                  "no handle is left for another object; expected fewer live ones.\n"
                  "  fix: destroy executors that no phase 2 consumes (aclDestroyAclOpExecutor), "
                  "tensors and other objects that are not needed\n"
                  "  rule: inner/handles   code: 561000 ACLNN_ERR_INNER");
  } catch (const std::bad_alloc&) {
    // No memory for a composed text either.
    aclimb_report(kAclnnInner,
                  "the host has no memory left for descriptors and plans; expected some.\n"
                  "  fix: free host memory\n  rule: inner/host-memory   code: 561000 "
                  "ACLNN_ERR_INNER");
  } catch (const std::exception& error) {
    // Plans and descriptors throw nothing else on purpose; this is a bug of ours, and says so.
    try {
      const Refusal bug = {kAclnnInner, error.what(), "please report it", "inner/bug"};
      aclimb_report(kAclnnInner, MessageOf(Cat(stem, ending), bug).c_str());
    } catch (...) {
      aclimb_report(kAclnnInner, "inner error");
    }
  } catch (...) {
    aclimb_report(kAclnnInner, "inner error");
  }
  return kAclnnInner;
}

// The refusal of a handle that is no live object of its type.
//   type, expected  "aclTensor", "one made by aclCreateTensor"
//   if_destroyed    what to do when it is a destroyed one
inline Status RefuseHandle(int code, std::string rule, std::string_view name, const void* handle,
                           std::string_view type, std::string_view expected,
                           const char* if_destroyed) {
  return Refuse(code,
                Cat(name, " is ", AddressText(handle), ", which is not a live ", type, " (",
                    aclimb_handle_state_text(handle), "); expected ", expected, "."),
                aclimb_handle_fix_text(handle, if_destroyed), std::move(rule));
}

// Whether a tool listens.
inline bool Observing() {
  // No guarded static: a fork while a thread initialises one leaves it locked in the child.
  static constinit std::atomic<int> on{-1};
  int known = on.load(std::memory_order_relaxed);
  if (known < 0) {
    known = aclimb_observing();
    on.store(known, std::memory_order_relaxed);
  }
  return known != 0;
}

// Calls `run`, which returns the code, and tells the tools before and after.
template <typename Run>
int RunObserved(const char* function, Run&& run) noexcept {
  int code = aclimb_call_begin(function);
  if (code == 0) code = run();
  aclimb_call_end(function, code);
  return code;
}

// The body of a C function of the aclnn library, and the tools that listen to it. Returns the code.
//   stem, ending  static texts, the function's name in two parts
//   body          a callable that returns a Status
template <typename Body>
int Guarded(const char* stem, const char* ending, Body&& body) noexcept {
  const CancelGuard uncancelled;
  const auto run = [&] { return RunGuarded(stem, ending, std::forward<Body>(body)); };
  if (!Observing()) return run();
  // Tasks that a call queues keep the address of its name.
  if (*ending == '\0') return RunObserved(stem, run);
  char name[128];
  std::snprintf(name, sizeof(name), "%s%s", stem, ending);
  return RunObserved(name, run);
}
template <typename Body>
int Guarded(const char* function, Body&& body) noexcept {
  return Guarded(function, "", std::forward<Body>(body));
}

}  // namespace aclimb
