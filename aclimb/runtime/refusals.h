#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "aclimb/core/codes.h"
#include "aclimb/core/status.h"
#include "aclimb/core/system_refusal.h"
#include "aclimb/core/text.h"

namespace aclimb {

// The refusals that many functions share, so that a check is one line at the call site.

// 100000: a required pointer is null.
Status NullArgument(std::string_view name);
// 100000: a size that must not be 0 is.
Status ZeroSize(std::string_view name);
// 107000: a value out of range. `expected` continues "expected ...".
Status BadValue(std::string_view name, int64_t value, std::string_view expected,
                std::string_view rule);
// 107017: a handle that was never given out or is destroyed. `kind` is "stream", "event", ...
Status DeadHandle(std::string_view name, const void* handle, std::string_view kind);
// 107001
Status NoSuchDevice(std::string_view name, int64_t device, int64_t count);
// 107002
Status NoContext();
// 107003
Status ForeignStream(std::string_view name, const void* stream, const void* current_context);
// What the operating system refused the backend, of whose entries one has just failed on this
// thread; nothing where the system was not the reason.
[[gnu::cold]] SystemRefusal TakeSystemRefusal() noexcept;
// The backend's code: it did not take the work. `what` continues "the ...".
Status CannotQueue(int code, std::string_view what, std::string rule);
// 107023: what only the parent of a fork can do, and goes on to do.
Status LostStream(std::string_view name, const void* stream);
Status LostEvent(std::string_view name, const void* event);
Status LostCallbacks();
// 207000
Status NotSupported(std::string what, std::string fix, std::string rule);

// Hands a refusal on to the caller; for functions that return Status or Result.
#define ACLIMB_CHECK_OK(expression)                \
  do {                                             \
    ::aclimb::Status aclimb_status = (expression); \
    if (!aclimb_status.ok()) return aclimb_status; \
  } while (false)

}  // namespace aclimb
