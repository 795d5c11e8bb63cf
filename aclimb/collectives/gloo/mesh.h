#pragma once

#include <gloo/context.h>

#include <memory>

#include "aclimb/collectives/gloo/connections.h"
#include "aclimb/collectives/transport.h"

namespace aclimb::collectives {

// Gloo's context of one rank, over sockets that are connected with all others.
class Mesh final : public gloo::Context {
 public:
  // Throws. Takes the sockets in any case.
  explicit Mesh(const AclimbMeshConfig& config);

  Connections& connections() { return *connections_; }

 private:
  std::shared_ptr<Connections> connections_;
};

// Of the interface's monotonic nanoseconds.
Connections::Clock::time_point DeadlineOf(int64_t deadline_ns);

}  // namespace aclimb::collectives
