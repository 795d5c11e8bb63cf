#pragma once

#include <cstdint>
#include <string>

namespace aclimb {

// What tasks say about their own failures, beyond a code, until the stream's error is returned. The
// oldest are forgotten when many are kept.

// `task` is the task's static name.
void KeepFailureText(int32_t device_id, int32_t stream_id, const char* task,
                     const char* text) noexcept;
// The oldest text of such a task; empty when there is none.
std::string TakeFailureText(int32_t device_id, int32_t stream_id, const char* task);

}  // namespace aclimb
