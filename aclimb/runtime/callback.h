#pragma once

#include "aclimb/runtime/stream.h"

namespace aclimb {

// The stream goes: its report thread, if any, serves it no more.
void ForgetReportThread(Stream& stream);

}  // namespace aclimb
