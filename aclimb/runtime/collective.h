#pragma once

#include "aclimb/runtime/stream.h"

namespace aclimb {

// Of a thread that is about to wait for the stream, for as long as it takes: does the collective
// that the stream stands at, if there is one that waits for a thread. False when the stream was
// aborted meanwhile.
bool HelpCollective(const Stream& stream);

}  // namespace aclimb
