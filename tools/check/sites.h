#pragma once

#include <cstdint>
#include <span>

namespace aclimb::check {

// A place in the program, with its callers: an index into a table that only grows. 0 is "unknown".
using SiteId = uint32_t;

inline constexpr int kMostFrames = 12;

// Where the program made the call that the calling thread is in; our own libraries' frames are left
// out. Within one call (between EnterCall and LeaveCall) the stack is walked once.
SiteId CurrentSite();
void EnterCall();
void LeaveCall();

// Program counters, innermost first. Valid for ever.
std::span<const uintptr_t> FramesOf(SiteId site);

}  // namespace aclimb::check
