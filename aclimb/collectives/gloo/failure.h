#pragma once

#include <exception>
#include <stdexcept>
#include <string>

#include "aclimb/collectives/transport.h"

namespace aclimb::collectives {

// A failure whose cause is known where it is met.
class TransportFailure : public std::runtime_error {
 public:
  TransportFailure(AclimbTransportCause cause, const std::string& text)
      : std::runtime_error(text), cause_(cause) {}
  AclimbTransportCause cause() const { return cause_; }

 private:
  const AclimbTransportCause cause_;
};

// What any failure of the transport comes from.
AclimbTransportCause CauseOf(const std::exception& failure);

// A message of Gloo's without the place in its sources, "[/.../pair.cc:589] ".
const char* WithoutPlace(const char* text);

}  // namespace aclimb::collectives
