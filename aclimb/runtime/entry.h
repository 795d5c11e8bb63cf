#pragma once

#include <utility>

#include "aclimb/core/status.h"

namespace aclimb {

// Adds the refusal to the calling thread's messages and makes its code the last error. Never
// throws.
void ReportRefusal(const char* function, const Refusal& refusal) noexcept;
// Turns the exception in flight into a message and a code: 207001 out of memory, else 500000.
int ReportException(const char* function) noexcept;

// The body of a public function: no exception crosses the C border, every refusal is reported.
//   body  a callable that returns a Status
template <typename Body>
int Enter(const char* function, Body&& body) noexcept {
  try {
    const Status status = std::forward<Body>(body)();
    if (status.ok()) return 0;
    ReportRefusal(function, status.refusal());
    return status.code();
  } catch (...) {
    return ReportException(function);
  }
}

}  // namespace aclimb
