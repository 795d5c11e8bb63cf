#include "aclimb/collectives/gloo/connections.h"

#include <gloo/common/error.h>
#include <gloo/transport/tcp/unbound_buffer.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "aclimb/collectives/gloo/connected_pair.h"

namespace aclimb::collectives {
namespace {

// What goes as one message of Gloo's. Of a longer one nobody would hear for long whether it gets
// on.
constexpr size_t kPieceBytes = size_t{4} << 20;

// A buffer that its connections know. Long messages go in pieces, on both sides alike: the number
// of bytes is part of what the ranks agree on before they meet.
class TrackedBuffer final : public gloo::transport::tcp::UnboundBuffer {
 public:
  using Gloo = gloo::transport::tcp::UnboundBuffer;
  using Milliseconds = std::chrono::milliseconds;

  TrackedBuffer(const std::shared_ptr<Connections>& connections, void* data, size_t bytes)
      : Gloo(connections, data, bytes), connections_(*connections) {
    connections_.Add(this);
  }
  ~TrackedBuffer() override { connections_.Remove(this); }

  bool waitRecv(int* from, Milliseconds) override {
    return WaitFor(
        &receives_, [&] { return IsOver(recvCompletions_); },
        [&] { return Gloo::waitRecv(from, connections_.Left()); });
  }
  bool waitSend(int* to, Milliseconds) override {
    return WaitFor(
        &sends_, [&] { return IsOver(sendCompletions_); },
        [&] { return Gloo::waitSend(to, connections_.Left()); });
  }
  void send(int to, uint64_t slot, size_t offset, size_t bytes) override {
    InPieces(offset, bytes, &sends_,
             [&](size_t at, size_t piece) { Gloo::send(to, slot, at, piece); });
  }
  void recv(int from, uint64_t slot, size_t offset, size_t bytes) override {
    InPieces(offset, bytes, &receives_,
             [&](size_t at, size_t piece) { Gloo::recv(from, slot, at, piece); });
  }
  // Who sends it is not known, so it is one piece; of Gloo's algorithms that are used here only the
  // barrier does so.
  void recv(std::vector<int> from, uint64_t slot, size_t offset, size_t bytes) override {
    receives_.push_back(1);
    Gloo::recv(std::move(from), slot, offset, bytes);
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
  template <typename Over, typename Wait>
  bool WaitFor(Pieces* pieces, Over&& over, Wait&& wait) {
    size_t left = 1;
    if (!pieces->empty()) {
      left = pieces->front();
      pieces->erase(pieces->begin());
    }
    bool done = true;
    for (; left > 0; --left) {
      connections_.ThrowIfAborted();
      connections_.HandleUntil(over);
      try {
        done = wait();
      } catch (const gloo::IoException&) {
        connections_.ThrowIfAborted();
        if (!connections_.late()) throw;
        throw TransportFailure(ACLIMB_TRANSPORT_TIME, "the transfer was not done in time");
      }
      connections_.ThrowIfAborted();
      connections_.CountWait();
    }
    return done;
  }

  // Whether a wait for one of the completions would end at once.
  bool IsOver(const int& completions) {
    const std::lock_guard<std::mutex> lock(m_);
    return completions > 0 || ex_ != nullptr;
  }

  Connections& connections_;
  Pieces sends_, receives_;
};

}  // namespace

Connections::Connections(std::shared_ptr<gloo::transport::tcp::Device> device, int own_rank,
                         int ranks)
    : gloo::transport::tcp::Context(std::move(device), own_rank, ranks) {}

// The pairs know arrivals_.
Connections::~Connections() {
  const Awake awake(*device_);
  pairs_.clear();
}

void Connections::Connect(int peer, int socket) {
  auto& pair = pairs_[static_cast<size_t>(peer)];
  try {
    // Each wait has a time of its own.
    pair = std::make_unique<ConnectedPair>(this, device_.get(), peer, &arrivals_);
  } catch (...) {
    ::close(socket);
    throw;
  }
  static_cast<ConnectedPair&>(*pair).Take(socket);
}

std::unique_ptr<Connections::Buffer> Connections::createUnboundBuffer(void* data, size_t bytes) {
  return std::make_unique<TrackedBuffer>(std::static_pointer_cast<Connections>(shared_from_this()),
                                         data, bytes);
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
  arrivals_.Wake();
  const Awake awake(*device_);
  signalException(kEnded);
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
