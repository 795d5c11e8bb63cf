#pragma once

#include <exception>
#include <new>
#include <utility>

#include "aclimb/bridge/bridge.h"
#include "aclimb/core/codes.h"
#include "aclimb/core/status.h"

namespace aclimb {

// A refusal becomes a message of the calling thread, an exception an inner error.
template <typename Body>
int RunGuarded(const char* function, Body&& body) noexcept {
  try {
    const Status status = body();
    if (status.ok()) return kSuccess;
    aclimb_report(status.code(), MessageOf(function, status.refusal()).c_str());
    return status.code();
  } catch (const std::bad_alloc&) {
    // No memory for a composed text either.
    aclimb_report(kAclnnInner,
                  "the host has no memory left for descriptors and plans; expected some.\n"
                  "  fix: free host memory\n  rule: inner/host-memory   code: 561000 "
                  "ACLNN_ERR_INNER");
  } catch (const std::exception& error) {
    // Plans and descriptors throw nothing else on purpose; this is a bug of ours, and says so.
    try {
      aclimb_report(kAclnnInner, MessageOf(function, {kAclnnInner, error.what(), "please report it",
                                                      "inner/bug"})
                                     .c_str());
    } catch (...) {
      aclimb_report(kAclnnInner, "inner error");
    }
  } catch (...) {
    aclimb_report(kAclnnInner, "inner error");
  }
  return kAclnnInner;
}

// Whether a tool listens.
inline bool Observing() {
  static const bool on = aclimb_observing() != 0;
  return on;
}

// The body of a C function of the aclnn library, and the tools that listen to it. Returns the code.
//   body  a callable that returns a Status
template <typename Body>
int Guarded(const char* function, Body&& body) noexcept {
  if (!Observing()) return RunGuarded(function, std::forward<Body>(body));
  int code = aclimb_call_begin(function);
  if (code == 0) code = RunGuarded(function, std::forward<Body>(body));
  aclimb_call_end(function, code);
  return code;
}

}  // namespace aclimb
