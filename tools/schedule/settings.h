#pragma once

#include <memory>

#include "aclimb/core/status.h"
#include "tools/schedule/order.h"

namespace aclimb::tools {

// The order that ACLIMB_SCHEDULE asks for ("random:SEED" or "replay:FILE"); null for the engine's
// own ("roundrobin", or unset); what is wrong with it otherwise.
Result<std::unique_ptr<Order>> ReadOrder();

}  // namespace aclimb::tools
