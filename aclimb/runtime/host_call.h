#pragma once

#include <list>
#include <memory>

#include "aclimb/backend/backend.h"

namespace aclimb {

// How a call ended, for the work behind it.
struct HostCallEnd {
  char why[256] = "";  // it failed; empty: it did not
};

// A call of the program's code that a stream has reached. With a suspension the stream waits for
// its end.
struct HostCall {
  void (*fn)(void* data) = nullptr;
  void* data = nullptr;
  AclimbSuspension* suspension = nullptr;
  std::shared_ptr<HostCallEnd> end = nullptr;  // null: nobody asks
};

// Calls wait in lists, and one moves from list to list as the node that was made when it was
// queued: handing it on must not need memory.
using HostCalls = std::list<HostCall>;

// Makes the call and resumes its stream. What the program throws becomes the call's end. Returns in
// both processes when the call forks: the stream is resumed in the parent alone.
void Perform(const HostCall& call) noexcept;

// Performs the calls soon, each on a thread of ours, which it may block. On the calling thread when
// there is no other: late is better than never, the stream must not hang.
void PerformElsewhere(HostCalls calls) noexcept;
// Makes sure that there is such a thread; throws when none can be had.
void PrepareToPerformElsewhere();

}  // namespace aclimb
