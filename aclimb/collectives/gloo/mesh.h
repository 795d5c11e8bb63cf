#pragma once

#include <gloo/context.h>

#include <chrono>
#include <memory>

#include "aclimb/collectives/gloo/connections.h"
#include "aclimb/collectives/transport.h"

namespace aclimb::collectives {

// Gloo's context of one rank, connected to all others by addresses that `config.exchange` carries.
class Mesh final : public gloo::Context {
 public:
  // Throws.
  explicit Mesh(const AclimbMeshConfig& config);

  Connections& connections() { return *connections_; }

 private:
  // Sends what the peer wants to read, and reads what this rank does.
  void Greet(int peer, const char* wanted, char* theirs);

  std::shared_ptr<Connections> connections_;
};

// Of the interface's monotonic nanoseconds.
Connections::Clock::time_point DeadlineOf(int64_t deadline_ns);

}  // namespace aclimb::collectives
