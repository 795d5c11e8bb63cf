#pragma once

#include <gloo/transport/tcp/loop.h>

#include <chrono>
#include <functional>

namespace aclimb::collectives {

// The sockets of a mesh, for the thread that waits for what comes on them: it handles that itself,
// where Gloo's own thread would be woken for each message and would then wake this one.
class Arrivals {
 public:
  using Clock = std::chrono::steady_clock;

  // A connection; its own handleEvents is called by Gloo's thread.
  class Connection {
   public:
    virtual ~Connection() = default;
    virtual void HandleArrival() = 0;
  };

  Arrivals();  // throws
  ~Arrivals();
  Arrivals(const Arrivals&) = delete;
  Arrivals& operator=(const Arrivals&) = delete;

  void Add(int socket, Connection* connection);  // throws
  void Remove(int socket);

  // Handles what comes until `done` says so, which is asked after whatever happens and after each
  // Wake, or until the deadline.
  void HandleUntil(const std::function<bool()>& done, Clock::time_point deadline);
  // From any thread.
  void Wake();

 private:
  const int epoll_, wake_;
};

}  // namespace aclimb::collectives
