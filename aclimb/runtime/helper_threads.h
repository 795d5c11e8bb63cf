#pragma once

namespace aclimb {

// Runs fn(data) on a thread of the library that may block: there is always another one for the next
// call, so a callback may wait for work that waits for another callback.
//   throws  std::system_error when no thread can be made
void RunOnHelperThread(void (*fn)(void* data), void* data);

}  // namespace aclimb
