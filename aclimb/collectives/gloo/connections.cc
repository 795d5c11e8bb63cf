#include "aclimb/collectives/gloo/connections.h"

#include <gloo/common/error.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <system_error>
#include <utility>
#include <vector>

namespace aclimb::collectives {
namespace {

// What goes as one message of Gloo's. Of a longer one nobody would hear for long whether it gets
// on.
constexpr size_t kPieceBytes = size_t{4} << 20;

// A buffer that its connections know. Long messages go in pieces, on both sides alike: the number
// of bytes is part of what the ranks agree on before they meet.
class TrackedBuffer final : public gloo::transport::UnboundBuffer {
 public:
  using Milliseconds = std::chrono::milliseconds;

  TrackedBuffer(std::shared_ptr<Connections> connections,
                std::unique_ptr<gloo::transport::UnboundBuffer> gloo)
      : gloo::transport::UnboundBuffer(gloo->ptr, gloo->size),
        connections_(std::move(connections)),
        gloo_(std::move(gloo)) {
    connections_->Add(gloo_.get());
  }
  ~TrackedBuffer() override { connections_->Remove(gloo_.get()); }

  bool waitRecv(int* from, Milliseconds) override {
    return WaitFor(&receives_, [&] { return gloo_->waitRecv(from, connections_->Left()); });
  }
  bool waitSend(int* to, Milliseconds) override {
    return WaitFor(&sends_, [&] { return gloo_->waitSend(to, connections_->Left()); });
  }
  void abortWaitRecv() override { gloo_->abortWaitRecv(); }
  void abortWaitSend() override { gloo_->abortWaitSend(); }
  void send(int to, uint64_t slot, size_t offset, size_t bytes) override {
    InPieces(offset, bytes, &sends_,
             [&](size_t at, size_t piece) { gloo_->send(to, slot, at, piece); });
  }
  void recv(int from, uint64_t slot, size_t offset, size_t bytes) override {
    InPieces(offset, bytes, &receives_,
             [&](size_t at, size_t piece) { gloo_->recv(from, slot, at, piece); });
  }
  // Who sends it is not known, so it is one piece; of Gloo's algorithms that are used here only the
  // barrier does so.
  void recv(std::vector<int> from, uint64_t slot, size_t offset, size_t bytes) override {
    receives_.push_back(1);
    gloo_->recv(std::move(from), slot, offset, bytes);
  }

 private:
  using Pieces = std::vector<size_t>;  // of each message that is not waited for yet

  template <typename Move>
  void InPieces(size_t offset, size_t bytes, Pieces* pieces, Move&& move) {
    if (bytes == kUnspecifiedByteCount) bytes = size - offset;
    size_t count = 0;
    do {
      const size_t piece = std::min(bytes, kPieceBytes);
      move(offset, piece);
      offset += piece;
      bytes -= piece;
      ++count;
    } while (bytes > 0);
    pieces->push_back(count);
  }

  // For as many pieces as the oldest message has. Which message they are of does not matter: all
  // are waited for, and those of one peer come in their order.
  //
  // Gloo ends such a wait once it was aborted, even when the abort came before it. Its algorithms
  // do not look at the result.
  template <typename Wait>
  bool WaitFor(Pieces* pieces, Wait&& wait) {
    size_t left = 1;
    if (!pieces->empty()) {
      left = pieces->front();
      pieces->erase(pieces->begin());
    }
    bool done = true;
    for (; left > 0; --left) {
      connections_->ThrowIfAborted();
      try {
        done = wait();
      } catch (const gloo::IoException&) {
        connections_->ThrowIfAborted();
        if (!connections_->late()) throw;
        throw TransportFailure(ACLIMB_TRANSPORT_TIME, "the transfer was not done in time");
      }
      connections_->ThrowIfAborted();
      connections_->CountWait();
    }
    return done;
  }

  const std::shared_ptr<Connections> connections_;
  const std::unique_ptr<gloo::transport::UnboundBuffer> gloo_;
  Pieces sends_, receives_;
};

}  // namespace

AclimbTransportCause CauseOf(const std::exception& failure) {
  if (const auto* const known = dynamic_cast<const TransportFailure*>(&failure)) {
    return known->cause();
  }
  if (dynamic_cast<const gloo::IoException*>(&failure) != nullptr) {
    return ACLIMB_TRANSPORT_CONNECTION;
  }
  if (dynamic_cast<const std::bad_alloc*>(&failure) != nullptr) return ACLIMB_TRANSPORT_MEMORY;
  if (dynamic_cast<const std::system_error*>(&failure) != nullptr) return ACLIMB_TRANSPORT_SYSTEM;
  return ACLIMB_TRANSPORT_BUG;
}

const char* WithoutPlace(const char* text) {
  const char* const end = text[0] == '[' ? std::strstr(text, "] ") : nullptr;
  return end != nullptr ? end + 2 : text;
}

std::unique_ptr<Connections::Buffer> Connections::createUnboundBuffer(void* data, size_t bytes) {
  return std::make_unique<TrackedBuffer>(shared_from_this(),
                                         gloo_->createUnboundBuffer(data, bytes));
}

void Connections::Begin(Clock::time_point deadline) {
  deadline_ = deadline;
  ThrowIfAborted();
}

Connections::Milliseconds Connections::Left() const {
  const auto left = std::chrono::ceil<Milliseconds>(deadline_ - Clock::now());
  return std::max(left, Milliseconds(1));
}

void Connections::Abort() {
  {
    const std::lock_guard<std::mutex> lock(buffers_mutex_);
    aborted_ = true;
    for (Buffer* const each : buffers_) {
      each->abortWaitRecv();
      each->abortWaitSend();
    }
  }
  // A wait that runs out of time closes, in Gloo, all connections of its context; there is no
  // other way to have that.
  char nothing = 0;
  gloo_->createUnboundBuffer(&nothing, sizeof(nothing))->waitRecv(Milliseconds(1));
}

void Connections::Add(Buffer* buffer) {
  const std::lock_guard<std::mutex> lock(buffers_mutex_);
  buffers_.insert(buffer);
}

void Connections::Remove(Buffer* buffer) {
  const std::lock_guard<std::mutex> lock(buffers_mutex_);
  buffers_.erase(buffer);
}

}  // namespace aclimb::collectives
