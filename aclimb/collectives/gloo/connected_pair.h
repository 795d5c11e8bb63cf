#pragma once

#include <gloo/transport/tcp/device.h>
#include <gloo/transport/tcp/pair.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <exception>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <system_error>
#include <tuple>
#include <utility>

#include "aclimb/collectives/gloo/arrivals.h"
#include "aclimb/collectives/gloo/failure.h"

namespace aclimb::collectives {

// One of Gloo's connections, made of a socket that is connected already. Gloo's own listens for the
// peer, on a port that anybody may come to first, and throws on Gloo's thread, which ends the
// process, when what it reads is no message.
class ConnectedPair final : public gloo::transport::tcp::Pair, public Arrivals::Connection {
 public:
  ConnectedPair(gloo::transport::tcp::Context* context, gloo::transport::tcp::Device* device,
                int peer, Arrivals* arrivals)
      : Pair(context, device, peer, gloo::kNoTimeout), arrivals_(arrivals) {}
  // Here already: from ~Pair on, Gloo's own handleEvents would be called.
  ~ConnectedPair() override { ConnectedPair::close(); }

  // Gloo's own resets the connection: the system would drop what it has taken and the peer has not
  // read yet, and a rank that is done would break the call that others are still in.
  void close() override {
    const std::lock_guard<std::mutex> lock(m_);
    if (state_ != CLOSED) changeState(CLOSED);
  }

  // Instead of the socket on which Gloo listens since the constructor. This connection owns it from
  // then on, even where that throws.
  void Take(int socket) {
    const std::lock_guard<std::mutex> lock(m_);
    const int listener = std::exchange(fd_, socket);
    try {
      // Closing is not enough: while a child has a copy, Gloo's thread would go on waiting for it.
      device_->unregisterDescriptor(listener, this);
      ::close(listener);
      arrivals_->Add(fd_, this);
      handleConnected();
      LeaveArrivals();
    } catch (const std::exception& failure) {
      if (state_ != CONNECTED) {
        arrivals_->Remove(fd_);
        ::close(std::exchange(fd_, -1));
      }
      throw TransportFailure(ACLIMB_TRANSPORT_CONNECTION,
                             "the connection with rank " + std::to_string(rank_) +
                                 " cannot be used (" + WithoutPlace(failure.what()) + ")");
    }
  }

  // On Gloo's thread, which writes what could not be written at once, and hears of the connection's
  // end. It must not wait for m_: a thread that holds it may be waiting, to take the socket off
  // epoll, until this thread has gone on. What is left here now, epoll tells again at once, since
  // it tells what a socket is ready for, not what has changed.
  void handleEvents(int events) override {
    const std::unique_lock<std::mutex> lock(m_, std::try_to_lock);
    if (!lock || state_ != CONNECTED) return;
    const bool ended = (events & (EPOLLERR | EPOLLHUP)) != 0;
    Handle(ended ? events | static_cast<int>(EPOLLIN) : events);
    // When all is written, Gloo would have this thread read too.
    if (state_ == CONNECTED && tx_.empty()) LeaveArrivals();
    arrivals_->Wake();
  }

  // On the thread that waits for what comes.
  void HandleArrival() override {
    const std::lock_guard<std::mutex> lock(m_);
    if (state_ == CONNECTED) Handle(EPOLLIN);
  }

 protected:
  void changeState(state next) noexcept override {
    if (next == CLOSED && state_ == CONNECTED) arrivals_->Remove(fd_);
    Pair::changeState(next);
  }

  // Gloo goes from a message's header to its data at once, and is content with most headers.
  bool read() override {
    return state_ == CONNECTED && (rx_.nread >= sizeof(rx_.preamble) || ReadHeader()) &&
           Pair::read();
  }

 private:
  using Op = gloo::transport::tcp::Op;

  // To the thread that waits for them.
  void LeaveArrivals() { device_->registerDescriptor(fd_, 0, this); }

  void Handle(int events) {
    try {
      handleReadWrite(events);
    } catch (const std::exception& failure) {
      if (state_ != CLOSED) signalException(failure.what());
    }
  }

  // Whether all of it has come. Throws when it is none that this side waits for.
  bool ReadHeader() {
    constexpr size_t kBytes = sizeof(rx_.preamble);
    while (rx_.nread < kBytes) {
      auto* const header = reinterpret_cast<char*>(&rx_.preamble);
      const ssize_t got = ::recv(fd_, header + rx_.nread, kBytes - rx_.nread, MSG_DONTWAIT);
      if (got > 0) {
        rx_.nread += static_cast<size_t>(got);
      } else if (got == 0) {
        throw std::runtime_error("the other side closed the connection");
      } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
        return false;
      } else if (errno != EINTR) {
        throw std::runtime_error("the connection broke (" + std::generic_category().message(errno) +
                                 ")");
      }
    }
    if (!IsExpected()) throw std::runtime_error("a message came that nobody expects");
    return true;
  }

  bool IsExpected() const {
    const auto& header = rx_.preamble;
    constexpr size_t kBytes = sizeof(header);
    switch (header.opcode) {
      case Op::NOTIFY_SEND_READY:
      case Op::NOTIFY_RECV_READY:
        return header.nbytes == kBytes;
      case Op::SEND_UNBOUND_BUFFER: {
        // The ranks agree on the bytes before they meet: a receive that takes fewer is none.
        const auto receives = localPendingRecv_.find(header.slot);
        return header.nbytes == kBytes + header.length && receives != localPendingRecv_.end() &&
               !receives->second.empty() && std::get<2>(receives->second.front()) == header.length;
      }
      default:
        return false;
    }
  }

  Arrivals* const arrivals_;
};

// While it lives, Gloo's thread does not sleep. Who takes a descriptor from it waits for its next
// turn, which may be 10 ms away. Without a descriptor for it, it does nothing.
class Awake final : public gloo::transport::tcp::Handler {
 public:
  explicit Awake(gloo::transport::tcp::Device& device)
      : device_(device), descriptor_(eventfd(1, EFD_CLOEXEC)) {
    try {
      if (descriptor_ >= 0) device_.registerDescriptor(descriptor_, EPOLLIN, this);
    } catch (const std::exception&) {
      ::close(std::exchange(descriptor_, -1));
    }
  }
  ~Awake() override {
    if (descriptor_ < 0) return;
    device_.unregisterDescriptor(descriptor_, this);
    ::close(descriptor_);
  }
  void handleEvents(int) override {}

 private:
  gloo::transport::tcp::Device& device_;
  int descriptor_;
};

}  // namespace aclimb::collectives
