#pragma once

#include <gloo/transport/tcp/context.h>
#include <gloo/transport/tcp/device.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_set>

#include "aclimb/collectives/gloo/arrivals.h"
#include "aclimb/collectives/gloo/failure.h"

namespace aclimb::collectives {

class ConnectedPair;

// Gloo's context of connections, which knows the buffers in flight, so that an abort ends every
// wait: Gloo of itself wakes only buffers of which nothing has been moved yet.
class Connections final : public gloo::transport::tcp::Context {
 public:
  using Clock = std::chrono::steady_clock;
  using Milliseconds = std::chrono::milliseconds;
  using Buffer = gloo::transport::UnboundBuffer;

  Connections(std::shared_ptr<gloo::transport::tcp::Device> device, int own_rank, int ranks);
  ~Connections() override;

  // Connects with the peer by the socket, which is the connection's in any case. Throws.
  void Connect(int peer, int socket);

  std::unique_ptr<Buffer> createUnboundBuffer(void* data, size_t bytes) override;

  // All waits of the operation that begins share one deadline.
  void Begin(Clock::time_point deadline);
  Milliseconds Left() const;
  bool late() const { return Clock::now() >= deadline_; }
  // Handles what comes until `done` says so; at an abort and at the deadline too.
  template <typename Done>
  void HandleUntil(const Done& done) {
    arrivals_.HandleUntil([&] { return aborted_ || done(); }, deadline_);
  }

  // What waits or will wait fails, here, and on the other ranks by their connections' end. From any
  // thread.
  void Abort();
  void ThrowIfAborted() const {
    if (aborted_) throw TransportFailure(ACLIMB_TRANSPORT_ENDED, kEnded);
  }

  void Add(Buffer* buffer);
  void Remove(Buffer* buffer);
  void CountWait() { waits_.fetch_add(1, std::memory_order_relaxed); }
  uint64_t waits() const { return waits_.load(std::memory_order_relaxed); }

 private:
  static constexpr const char* kEnded = "the operation was ended";

  Arrivals arrivals_;
  Clock::time_point deadline_;  // of the thread that runs operations
  std::atomic<bool> aborted_{false};
  std::atomic<uint64_t> waits_{0};  // that ended well
  std::mutex buffers_mutex_;
  std::unordered_set<Buffer*> buffers_;
};

}  // namespace aclimb::collectives
