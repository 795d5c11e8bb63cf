#pragma once

#include <gloo/transport/tcp/context.h>
#include <gloo/transport/tcp/device.h>
#include <gloo/transport/tcp/pair.h>
#include <unistd.h>

#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>

#include "aclimb/collectives/gloo/connections.h"

namespace aclimb::collectives {

// One of Gloo's connections, made of a socket that is connected already. Gloo's own listens for the
// peer, on a port that anybody may come to first, and throws on Gloo's thread, which ends the
// process, when what it reads is no message.
class ConnectedPair final : public gloo::transport::tcp::Pair {
 public:
  using Pair::Pair;

  // Instead of the socket on which Gloo listens since the constructor.
  void Take(int socket) {
    const std::lock_guard<std::mutex> lock(m_);
    ::close(std::exchange(fd_, socket));
    try {
      handleConnected();
    } catch (const std::exception& failure) {
      ::close(std::exchange(fd_, -1));
      throw TransportFailure(ACLIMB_TRANSPORT_CONNECTION,
                             "the connection with rank " + std::to_string(rank_) +
                                 " cannot be used (" + WithoutPlace(failure.what()) + ")");
    }
    connected_ = true;
  }

  // On Gloo's thread.
  void handleEvents(int events) override {
    if (!connected_) return;
    try {
      Pair::handleEvents(events);
    } catch (const std::exception& failure) {
      const std::lock_guard<std::mutex> lock(m_);
      if (state_ != CLOSED) signalException(failure.what());
    }
  }

 protected:
  bool read() override {
    // Gloo would look for the buffer of such a message until it is made; none is ever made here.
    const bool header = rx_.nread >= sizeof(rx_.preamble);
    if (header && rx_.getOpcode() == gloo::transport::tcp::Op::SEND_BUFFER) {
      throw std::runtime_error("a message of a kind that is not used came");
    }
    return Pair::read();
  }

 private:
  std::atomic<bool> connected_{false};
};

class ConnectedContext final : public gloo::transport::tcp::Context {
 public:
  using Context::Context;

  // The socket is the connection's, which closes it.
  void Take(int peer, int socket) {
    // Each wait has a time of its own.
    auto pair = std::make_unique<ConnectedPair>(this, device_.get(), peer, gloo::kNoTimeout);
    ConnectedPair& connected = *pair;
    pairs_[static_cast<size_t>(peer)] = std::move(pair);
    connected.Take(socket);
  }
};

}  // namespace aclimb::collectives
