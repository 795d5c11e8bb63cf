#pragma once

#include <utility>

#include "aclimb/bridge/bridge.h"
#include "aclimb/collectives/errors.h"
#include "aclimb/core/cancel_guard.h"
#include "aclimb/core/fork.h"
#include "aclimb/core/status.h"

namespace aclimb::collectives {

// No exception crosses the C border, every refusal is reported.
template <typename Body>
HcclResult RunBody(const char* function, Body&& body) noexcept {
  try {
    const Status status =
        CaughtByFork() ? UnusableAfterFork(HCCL_E_INTERNAL) : std::forward<Body>(body)();
    return status.ok() ? HCCL_SUCCESS : Report(function, status.refusal());
  } catch (...) {
    return ReportException(function);
  }
}

// The body of a public function, and the tools that listen to it.
//   body  a callable that returns a Status whose code is an HcclResult
template <typename Body>
HcclResult Enter(const char* function, Body&& body) noexcept {
  const CancelGuard uncancelled;
  if (aclimb_observing() == 0) return RunBody(function, std::forward<Body>(body));
  auto code = static_cast<HcclResult>(aclimb_call_begin(function));
  if (code == HCCL_SUCCESS) code = RunBody(function, std::forward<Body>(body));
  aclimb_call_end(function, code);
  return code;
}

}  // namespace aclimb::collectives
