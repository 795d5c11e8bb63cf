#pragma once

#include <atomic>

#include "aclimb/runtime/stream.h"

namespace aclimb {
namespace collective_internal {

// A collective may have been left to a thread that waits for its stream.
inline constinit std::atomic<bool> left{false};
void Hurry() noexcept;

}  // namespace collective_internal

// Of a thread that is about to wait for the stream, for as long as it takes: does the collective
// that the stream stands at, if there is one that waits for a thread. False when the stream was
// aborted meanwhile.
bool HelpCollective(const Stream& stream);

// Of whatever the program does instead: collectives that were left to the wait for their streams
// begin now.
inline void HurryCollectives() noexcept {
  if (collective_internal::left.load(std::memory_order_relaxed)) collective_internal::Hurry();
}

}  // namespace aclimb
