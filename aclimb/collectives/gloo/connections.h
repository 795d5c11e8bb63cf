#pragma once

#include <gloo/transport/context.h>
#include <gloo/transport/unbound_buffer.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <unordered_set>

#include "aclimb/collectives/transport.h"

namespace aclimb::collectives {

// A failure whose cause is known where it is met.
class TransportFailure : public std::runtime_error {
 public:
  TransportFailure(AclimbTransportCause cause, const std::string& text)
      : std::runtime_error(text), cause_(cause) {}
  AclimbTransportCause cause() const { return cause_; }

 private:
  const AclimbTransportCause cause_;
};

// What any failure of the transport comes from.
AclimbTransportCause CauseOf(const std::exception& failure);

// Gloo's context of connections, which knows the buffers in flight, so that an abort ends every
// wait: Gloo of itself wakes only buffers of which nothing has been moved yet.
class Connections final : public gloo::transport::Context,
                          public std::enable_shared_from_this<Connections> {
 public:
  using Clock = std::chrono::steady_clock;
  using Milliseconds = std::chrono::milliseconds;
  using Buffer = gloo::transport::UnboundBuffer;
  using Pair = std::unique_ptr<gloo::transport::Pair>;

  explicit Connections(std::shared_ptr<gloo::transport::Context> gloo)
      : gloo::transport::Context(gloo->rank, gloo->size), gloo_(std::move(gloo)) {}

  Pair& getPair(int peer) override { return gloo_->getPair(peer); }
  Pair& createPair(int peer) override { return gloo_->createPair(peer); }
  std::unique_ptr<Buffer> createUnboundBuffer(void* data, size_t bytes) override;

  // All waits of the operation that begins share one deadline.
  void Begin(Clock::time_point deadline);
  Milliseconds Left() const;
  bool late() const { return Clock::now() >= deadline_; }

  // What waits or will wait fails, here, and on the other ranks by their connections' end. From any
  // thread.
  void Abort();
  void ThrowIfAborted() const {
    if (aborted_) throw TransportFailure(ACLIMB_TRANSPORT_ENDED, "the operation was ended");
  }

  void Add(Buffer* buffer);
  void Remove(Buffer* buffer);
  void CountWait() { waits_.fetch_add(1, std::memory_order_relaxed); }
  uint64_t waits() const { return waits_.load(std::memory_order_relaxed); }

 private:
  const std::shared_ptr<gloo::transport::Context> gloo_;
  Clock::time_point deadline_;  // of the thread that runs operations
  std::atomic<bool> aborted_{false};
  std::atomic<uint64_t> waits_{0};  // that ended well
  std::mutex buffers_mutex_;
  std::unordered_set<Buffer*> buffers_;
};

// A message of Gloo's without the place in its sources, "[/.../pair.cc:589] ".
const char* WithoutPlace(const char* text);

}  // namespace aclimb::collectives
