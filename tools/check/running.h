#pragma once

namespace aclimb::check {

// Around a task, on the thread that runs it: what it copies was told when it was queued.
void BeginTask();
void EndTask();

}  // namespace aclimb::check
