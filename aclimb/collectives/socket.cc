#include "aclimb/collectives/socket.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "aclimb/core/fork.h"
#include "aclimb/core/text.h"
#include "hccl/hccl_types.h"

namespace aclimb::collectives {
namespace {

// The sockets of the process, for a child that has no use for them.
class OpenSockets final : public ForkPart {
 public:
  void Add(int descriptor) {
    const std::lock_guard<std::mutex> lock(mutex_);
    descriptors_.push_back(descriptor);
  }
  // In a child it was closed already, and the number may be another file's by now: false then.
  bool Remove(int descriptor) {
    const std::lock_guard<std::mutex> lock(mutex_);
    return std::erase(descriptors_, descriptor) != 0;
  }
  void Close(int descriptor) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (std::erase(descriptors_, descriptor) != 0) close(descriptor);
  }

  bool TryLock(bool) override { return mutex_.try_lock(); }
  void Unlock() override { mutex_.unlock(); }
  void Renew(bool locked) override {
    if (locked) {
      for (const int descriptor : descriptors_) close(descriptor);
      descriptors_.clear();
      mutex_.unlock();
    }
    new (&mutex_) std::mutex;
  }

 private:
  std::mutex mutex_;
  std::vector<int> descriptors_;
};
OpenSockets& Open() {
  static auto* const sockets = new OpenSockets;
  return *sockets;
}
// Made while the library is loaded, so that a fork finds it.
[[maybe_unused]] const OpenSockets& made = Open();

void Set(int descriptor, int level, int option, int value) {
  setsockopt(descriptor, level, option, &value, sizeof(value));
}

std::string ErrorText(int error) { return std::generic_category().message(error); }

}  // namespace

void KeepAlive(const Socket& socket) {
  const int descriptor = socket.descriptor();
  Set(descriptor, SOL_SOCKET, SO_KEEPALIVE, 1);
  Set(descriptor, IPPROTO_TCP, TCP_KEEPIDLE, 5);
  Set(descriptor, IPPROTO_TCP, TCP_KEEPINTVL, 5);
  Set(descriptor, IPPROTO_TCP, TCP_KEEPCNT, 4);
  Set(descriptor, IPPROTO_TCP, TCP_USER_TIMEOUT, 25 * 1000);
  Set(descriptor, IPPROTO_TCP, TCP_NODELAY, 1);
}

int TryConnect(const Endpoint& to, std::chrono::milliseconds patience, Socket* made_socket) {
  Socket socket(::socket(to.address.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket) return errno;
  if (connect(socket.descriptor(), reinterpret_cast<const sockaddr*>(&to.address), to.bytes) != 0) {
    if (errno != EINPROGRESS) return errno;
    pollfd waits = {socket.descriptor(), POLLOUT, 0};
    const auto end = std::chrono::steady_clock::now() + patience;
    int ready = 0;
    do {
      const auto left =
          std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
      ready = poll(&waits, 1, static_cast<int>(std::max<int64_t>(left.count(), 1)));
    } while (ready < 0 && errno == EINTR);
    if (ready <= 0) return ready == 0 ? ETIMEDOUT : errno;
    int error = 0;
    socklen_t bytes = sizeof(error);
    getsockopt(socket.descriptor(), SOL_SOCKET, SO_ERROR, &error, &bytes);
    if (error != 0) return error;
  }
  *made_socket = std::move(socket);
  return 0;
}

Socket::Socket(int descriptor) : descriptor_(descriptor) {
  if (descriptor >= 0) Open().Add(descriptor);
}

void Socket::Close() {
  if (descriptor_ >= 0) Open().Close(std::exchange(descriptor_, -1));
}

int Socket::Release() {
  const int descriptor = std::exchange(descriptor_, -1);
  return descriptor >= 0 && Open().Remove(descriptor) ? descriptor : -1;
}

bool ParseEndpoint(const std::string& address, uint16_t port, Endpoint* endpoint) {
  addrinfo hints = {};
  hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (getaddrinfo(address.c_str(), std::to_string(port).c_str(), &hints, &found) != 0) return false;
  std::memcpy(&endpoint->address, found->ai_addr, found->ai_addrlen);
  endpoint->bytes = found->ai_addrlen;
  freeaddrinfo(found);
  return true;
}

std::string AddressText(const Endpoint& endpoint) {
  char text[NI_MAXHOST] = "";
  getnameinfo(reinterpret_cast<const sockaddr*>(&endpoint.address), endpoint.bytes, text,
              sizeof(text), nullptr, 0, NI_NUMERICHOST);
  return text;
}

uint16_t PortOf(const Endpoint& endpoint) {
  const bool ipv6 = endpoint.address.ss_family == AF_INET6;
  return ntohs(ipv6 ? reinterpret_cast<const sockaddr_in6&>(endpoint.address).sin6_port
                    : reinterpret_cast<const sockaddr_in&>(endpoint.address).sin_port);
}

bool IsWildcard(const Endpoint& endpoint) {
  if (endpoint.address.ss_family == AF_INET6) {
    const auto& address = reinterpret_cast<const sockaddr_in6&>(endpoint.address).sin6_addr;
    return IN6_IS_ADDR_UNSPECIFIED(&address);
  }
  return reinterpret_cast<const sockaddr_in&>(endpoint.address).sin_addr.s_addr == INADDR_ANY;
}

Endpoint LocalEndpoint(const Socket& socket) {
  Endpoint endpoint;
  endpoint.bytes = sizeof(endpoint.address);
  getsockname(socket.descriptor(), reinterpret_cast<sockaddr*>(&endpoint.address), &endpoint.bytes);
  return endpoint;
}

Socket Listen(const Endpoint& endpoint) {
  Socket socket(
      ::socket(endpoint.address.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket) return socket;
  Set(socket.descriptor(), SOL_SOCKET, SO_REUSEADDR, 1);
  constexpr int kBacklog = 1024;
  if (bind(socket.descriptor(), reinterpret_cast<const sockaddr*>(&endpoint.address),
           endpoint.bytes) != 0 ||
      listen(socket.descriptor(), kBacklog) != 0) {
    const int error = errno;
    socket.Close();
    errno = error;
  }
  return socket;
}

Socket Accept(const Socket& listener, Endpoint* from) {
  from->bytes = sizeof(from->address);
  return Socket(accept4(listener.descriptor(), reinterpret_cast<sockaddr*>(&from->address),
                        &from->bytes, SOCK_NONBLOCK | SOCK_CLOEXEC));
}

Status Connect(const Endpoint& to, std::chrono::steady_clock::time_point deadline, Socket* socket) {
  for (int attempt = 0;; ++attempt) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - std::chrono::steady_clock::now());
    const int error = TryConnect(to, left, socket);
    if (error == 0) return Ok();
    const bool late = std::chrono::steady_clock::now() >= deadline;
    // Who listens may be about to.
    const bool again = error == ECONNREFUSED || error == ETIMEDOUT || error == EHOSTUNREACH ||
                       error == ENETUNREACH || error == EAGAIN || error == EINTR;
    if (again && !late) {
      std::this_thread::sleep_for(std::chrono::milliseconds(std::min(10 << attempt, 500)));
      if (attempt > 5) attempt = 5;
      continue;
    }
    return Refuse(
        late ? HCCL_E_TIMEOUT : HCCL_E_TCP_CONNECT,
        Cat("the root at ", AddressText(to), " port ", PortOf(to), " cannot be reached (",
            ErrorText(error),
            "); expected the process that called HcclGetRootInfo, or has rank 0 of the rank "
            "table."),
        "check that it still runs, that no group was made of the same rootInfo before, and that no "
        "firewall is between; HCCL_IF_IP or HCCL_SOCKET_IFNAME on the root choose another of its "
        "addresses",
        "collective/connect");
  }
}

bool SendSome(const Socket& socket, std::string* bytes) {
  size_t sent = 0;
  while (sent < bytes->size()) {
    const ssize_t wrote =
        send(socket.descriptor(), bytes->data() + sent, bytes->size() - sent, MSG_NOSIGNAL);
    if (wrote > 0) {
      sent += static_cast<size_t>(wrote);
    } else if (errno != EINTR) {
      if (errno != EAGAIN && errno != EWOULDBLOCK) return false;
      break;
    }
  }
  bytes->erase(0, sent);
  return true;
}

Received ReceiveSome(const Socket& socket, std::string* bytes, size_t most) {
  char buffer[16 * 1024];
  for (;;) {
    const ssize_t got = recv(socket.descriptor(), buffer, std::min(most, sizeof(buffer)), 0);
    if (got > 0) {
      bytes->append(buffer, static_cast<size_t>(got));
      return Received::kSome;
    }
    if (got == 0) return Received::kEnd;
    if (errno == EINTR) continue;
    return errno == EAGAIN || errno == EWOULDBLOCK ? Received::kNothing : Received::kEnd;
  }
}

}  // namespace aclimb::collectives
