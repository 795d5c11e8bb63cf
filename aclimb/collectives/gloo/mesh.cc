#include "aclimb/collectives/gloo/mesh.h"

#include <memory>

#include "aclimb/collectives/gloo/connected_pair.h"
#include "aclimb/core/quiet_thread.h"

namespace aclimb::collectives {

Connections::Clock::time_point DeadlineOf(int64_t deadline_ns) {
  return Connections::Clock::time_point(std::chrono::nanoseconds(deadline_ns));
}

Mesh::Mesh(const AclimbMeshConfig& config, Sockets& sockets)
    : gloo::Context(static_cast<int>(config.rank), static_cast<int>(config.size)) {
  // Gloo listens there, for each connection at a port, until it is given the socket.
  const gloo::transport::tcp::attr address(config.address);
  {
    const SignalsBlocked blocked;  // they belong to the program's threads
    device_ = gloo::transport::tcp::CreateDevice(address);
  }
  const auto device = std::dynamic_pointer_cast<gloo::transport::tcp::Device>(device_);
  connections_ = std::make_shared<Connections>(device, rank, size);
  transportContext_ = connections_;
  const Awake awake(*device);
  for (int peer = 0; peer < size; ++peer) {
    const int socket = sockets.TakeNext();
    if (peer != rank) connections_->Connect(peer, socket);
  }
}

}  // namespace aclimb::collectives
