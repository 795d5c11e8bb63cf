#pragma once

namespace aclimb::cpu {

// A loop too short for a thread team can still have a second thread: one of the backend's that is
// awake and has nothing else to do, as an engine right after work or a thread that waits for the
// end of a task.

// As aclimb_run_shared.
void RunShared(void (*body)(void* context, int part), void* context) noexcept;

// Takes part in what another thread shares, until it is done. False when there is nothing.
bool TakePart() noexcept;

}  // namespace aclimb::cpu
