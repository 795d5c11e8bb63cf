#pragma once

#include <sys/socket.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "aclimb/core/status.h"

namespace aclimb::collectives {

// A TCP socket that never blocks. A child of fork closes its copy, so that the other side sees the
// end of the parent.
class Socket {
 public:
  Socket() = default;
  explicit Socket(int descriptor);
  ~Socket() { Close(); }
  Socket(Socket&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  Socket& operator=(Socket&& other) noexcept {
    if (this != &other) {
      Close();
      descriptor_ = std::exchange(other.descriptor_, -1);
    }
    return *this;
  }

  int descriptor() const { return descriptor_; }
  explicit operator bool() const { return descriptor_ >= 0; }
  void Close();
  // The descriptor, for another owner; a child of fork keeps its copy of it.
  int Release();

 private:
  int descriptor_ = -1;
};

// An address with its port, as the system has it.
struct Endpoint {
  sockaddr_storage address = {};
  socklen_t bytes = 0;
};
// False for a text that is no numeric address.
bool ParseEndpoint(const std::string& address, uint16_t port, Endpoint* endpoint);
// "192.168.1.4"; without the port.
std::string AddressText(const Endpoint& endpoint);
uint16_t PortOf(const Endpoint& endpoint);
// Whether it stands for all addresses of a machine: nobody reaches another one by it.
bool IsWildcard(const Endpoint& endpoint);
// The socket's own side of a connection.
Endpoint LocalEndpoint(const Socket& socket);

// A listening socket; one that is not open when the address is not the machine's, or the port is
// taken (errno says).
Socket Listen(const Endpoint& endpoint);
// Who connected; not open when nobody waits.
Socket Accept(const Socket& listener, Endpoint* from);
// 0, or the errno; ETIMEDOUT when nobody answered in that time.
int TryConnect(const Endpoint& to, std::chrono::milliseconds patience, Socket* socket);
// HCCL_E_TCP_CONNECT, or HCCL_E_TIMEOUT when nobody answered until the deadline. Tries again while
// the other side refuses.
Status Connect(const Endpoint& to, std::chrono::steady_clock::time_point deadline, Socket* socket);

// A host that was cut off without a word is noticed within half a minute.
void KeepAlive(const Socket& socket);

// What can be sent at once is cut off the front of *bytes. False when the connection is gone. Where
// not all was sent, errno says why.
bool SendSome(const Socket& socket, std::string* bytes);
enum class Received { kSome, kNothing, kEnd };
// Appends what has come, up to a number of bytes. kEnd: no more will.
Received ReceiveSome(const Socket& socket, std::string* bytes, size_t most = 16 * 1024);

}  // namespace aclimb::collectives
