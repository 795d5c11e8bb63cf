#include "aclimb/collectives/gloo/mesh.h"

#include <unistd.h>

#include <utility>
#include <vector>

#include "aclimb/collectives/gloo/connected_pair.h"
#include "aclimb/core/quiet_thread.h"

namespace aclimb::collectives {
namespace {

// The sockets that no connection has taken yet.
class Sockets {
 public:
  explicit Sockets(const AclimbMeshConfig& config)
      : descriptors_(config.sockets, config.sockets + config.size) {}
  ~Sockets() {
    for (const int descriptor : descriptors_) {
      if (descriptor >= 0) ::close(descriptor);
    }
  }
  int Take(int rank) { return std::exchange(descriptors_[static_cast<size_t>(rank)], -1); }

 private:
  std::vector<int> descriptors_;
};

}  // namespace

Connections::Clock::time_point DeadlineOf(int64_t deadline_ns) {
  return Connections::Clock::time_point(std::chrono::nanoseconds(deadline_ns));
}

Mesh::Mesh(const AclimbMeshConfig& config)
    : gloo::Context(static_cast<int>(config.rank), static_cast<int>(config.size)) {
  Sockets sockets(config);
  // Gloo listens there for a moment before it is given each socket, and takes nobody.
  const gloo::transport::tcp::attr nowhere("127.0.0.1");
  {
    const SignalsBlocked blocked;  // they belong to the program's threads
    device_ = gloo::transport::tcp::CreateDevice(nowhere);
  }
  const auto context = std::make_shared<ConnectedContext>(
      std::dynamic_pointer_cast<gloo::transport::tcp::Device>(device_), rank, size);
  connections_ = std::make_shared<Connections>(context);
  transportContext_ = connections_;
  for (int peer = 0; peer < size; ++peer) {
    if (peer != rank) context->Take(peer, sockets.Take(peer));
  }
}

}  // namespace aclimb::collectives
