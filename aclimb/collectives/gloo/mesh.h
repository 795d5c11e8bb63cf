#pragma once

#include <gloo/context.h>
#include <unistd.h>

#include <cstdint>
#include <memory>

#include "aclimb/collectives/gloo/connections.h"
#include "aclimb/collectives/transport.h"

namespace aclimb::collectives {

// The sockets of a configuration, in the order of the ranks; those that nobody has taken are closed
// at the end.
class Sockets {
 public:
  explicit Sockets(const AclimbMeshConfig& config) : config_(config) {}
  ~Sockets() {
    while (next_ < config_.size) {
      if (const int socket = TakeNext(); socket >= 0) ::close(socket);
    }
  }
  Sockets(const Sockets&) = delete;
  Sockets& operator=(const Sockets&) = delete;

  int TakeNext() { return config_.sockets[next_++]; }

 private:
  const AclimbMeshConfig& config_;
  uint32_t next_ = 0;
};

// Gloo's context of one rank, over sockets that are connected with all others.
class Mesh final : public gloo::Context {
 public:
  // Throws.
  Mesh(const AclimbMeshConfig& config, Sockets& sockets);

  Connections& connections() { return *connections_; }

 private:
  std::shared_ptr<Connections> connections_;
};

// Of the interface's monotonic nanoseconds.
Connections::Clock::time_point DeadlineOf(int64_t deadline_ns);

}  // namespace aclimb::collectives
