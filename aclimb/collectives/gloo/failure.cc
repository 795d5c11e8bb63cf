#include "aclimb/collectives/gloo/failure.h"

#include <gloo/common/error.h>

#include <cstring>
#include <new>
#include <system_error>

namespace aclimb::collectives {

AclimbTransportCause CauseOf(const std::exception& failure) {
  if (const auto* const known = dynamic_cast<const TransportFailure*>(&failure)) {
    return known->cause();
  }
  if (dynamic_cast<const gloo::IoException*>(&failure) != nullptr) {
    return ACLIMB_TRANSPORT_CONNECTION;
  }
  if (dynamic_cast<const std::bad_alloc*>(&failure) != nullptr) return ACLIMB_TRANSPORT_MEMORY;
  if (dynamic_cast<const std::system_error*>(&failure) != nullptr) return ACLIMB_TRANSPORT_SYSTEM;
  return ACLIMB_TRANSPORT_BUG;
}

const char* WithoutPlace(const char* text) {
  const char* const end = text[0] == '[' ? std::strstr(text, "] ") : nullptr;
  return end != nullptr ? end + 2 : text;
}

}  // namespace aclimb::collectives
