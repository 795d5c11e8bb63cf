#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "aclimb/bridge/bridge.h"

namespace aclimb::check {

// An element that is NaN or infinite.
struct NotFinite {
  std::string where;  // "[0, 3]"
  double value = 0;
};

// The first one of a view; nothing when all are finite, or the dtype has only finite values.
//   data  where the host sees the view's first element
std::optional<NotFinite> FirstNotFinite(const AclimbAccess& view, const void* data);

}  // namespace aclimb::check
