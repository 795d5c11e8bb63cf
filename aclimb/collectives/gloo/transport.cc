// The transport over Gloo. The only file that sees it.

#include "aclimb/collectives/transport.h"

#include <gloo/allgatherv.h>
#include <gloo/allreduce.h>
#include <gloo/barrier.h>
#include <gloo/broadcast.h>
#include <gloo/context.h>
#include <gloo/reduce.h>
#include <gloo/scatter.h>
#include <gloo/transport/address.h>
#include <gloo/transport/context.h>
#include <gloo/transport/device.h>
#include <gloo/transport/tcp/device.h>
#include <gloo/transport/unbound_buffer.h>

#include <sys/random.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <exception>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <unordered_set>
#include <vector>

#include "aclimb/core/quiet_thread.h"

namespace {

using Milliseconds = std::chrono::milliseconds;

using Clock = std::chrono::steady_clock;

class TrackedBuffer;

// Gloo's context of connections, which knows the buffers in flight, so that an abort ends every
// wait. Gloo of itself wakes only buffers of which nothing has been moved yet.
class Connections final : public gloo::transport::Context,
                          public std::enable_shared_from_this<Connections> {
 public:
  using Pair = std::unique_ptr<gloo::transport::Pair>;
  using Buffer = std::unique_ptr<gloo::transport::UnboundBuffer>;

  explicit Connections(std::shared_ptr<gloo::transport::Context> gloo)
      : gloo::transport::Context(gloo->rank, gloo->size), gloo_(std::move(gloo)) {}

  Pair& getPair(int peer) override { return gloo_->getPair(peer); }
  Pair& createPair(int peer) override { return gloo_->createPair(peer); }
  Buffer createUnboundBuffer(void* data, size_t bytes) override;

  // All waits of the operation that begins share one deadline.
  void Begin(int64_t timeout_ms) {
    deadline_ = Clock::now() + Milliseconds(timeout_ms);
    ThrowIfAborted();
  }
  Milliseconds Left() const {
    const auto left = std::chrono::ceil<Milliseconds>(deadline_ - Clock::now());
    return std::max(left, Milliseconds(1));
  }
  // What waits or will wait fails, here, and on the other ranks by their connections' end.
  void Abort() {
    {
      const std::lock_guard<std::mutex> lock(buffers_mutex_);
      aborted_ = true;
      for (gloo::transport::UnboundBuffer* const each : buffers_) {
        each->abortWaitRecv();
        each->abortWaitSend();
      }
    }
    // A wait that runs out of time closes, in Gloo, all connections of its context; there is no
    // other way to have that.
    char nothing = 0;
    gloo_->createUnboundBuffer(&nothing, sizeof(nothing))->waitRecv(Milliseconds(1));
  }
  void ThrowIfAborted() const {
    if (aborted_) throw std::runtime_error("the operation was ended");
  }
  void Add(gloo::transport::UnboundBuffer* buffer) {
    const std::lock_guard<std::mutex> lock(buffers_mutex_);
    buffers_.insert(buffer);
  }
  void Remove(gloo::transport::UnboundBuffer* buffer) {
    const std::lock_guard<std::mutex> lock(buffers_mutex_);
    buffers_.erase(buffer);
  }
  void CountWait() { ++waits_; }
  uint64_t waits() const { return waits_; }

 private:
  const std::shared_ptr<gloo::transport::Context> gloo_;
  Clock::time_point deadline_;  // of the thread that runs operations
  std::atomic<bool> aborted_{false};
  std::atomic<uint64_t> waits_{0};  // that ended well
  std::mutex buffers_mutex_;
  std::unordered_set<gloo::transport::UnboundBuffer*> buffers_;
};

class TrackedBuffer final : public gloo::transport::UnboundBuffer {
 public:
  TrackedBuffer(std::shared_ptr<Connections> connections, Connections::Buffer gloo)
      : gloo::transport::UnboundBuffer(gloo->ptr, gloo->size),
        connections_(std::move(connections)),
        gloo_(std::move(gloo)) {
    connections_->Add(gloo_.get());
  }
  ~TrackedBuffer() override { connections_->Remove(gloo_.get()); }

  // Gloo ends such a wait once it was aborted, even when the abort came before it. Its algorithms
  // do not look at the result.
  bool waitRecv(int* from, Milliseconds) override {
    connections_->ThrowIfAborted();
    return Ended(gloo_->waitRecv(from, connections_->Left()));
  }
  bool waitSend(int* to, Milliseconds) override {
    connections_->ThrowIfAborted();
    return Ended(gloo_->waitSend(to, connections_->Left()));
  }
  void abortWaitRecv() override { gloo_->abortWaitRecv(); }
  void abortWaitSend() override { gloo_->abortWaitSend(); }
  void send(int to, uint64_t slot, size_t offset, size_t bytes) override {
    gloo_->send(to, slot, offset, bytes);
  }
  void recv(int from, uint64_t slot, size_t offset, size_t bytes) override {
    gloo_->recv(from, slot, offset, bytes);
  }
  void recv(std::vector<int> from, uint64_t slot, size_t offset, size_t bytes) override {
    gloo_->recv(std::move(from), slot, offset, bytes);
  }

 private:
  bool Ended(bool done) {
    connections_->ThrowIfAborted();
    connections_->CountWait();
    return done;
  }

  const std::shared_ptr<Connections> connections_;
  const Connections::Buffer gloo_;
};

Connections::Buffer Connections::createUnboundBuffer(void* data, size_t bytes) {
  return std::make_unique<TrackedBuffer>(shared_from_this(),
                                         gloo_->createUnboundBuffer(data, bytes));
}

// Ends what the connections wait for at a deadline, unless it ends before.
class Watchdog {
 public:
  Watchdog(Connections& connections, Milliseconds patience)
      : thread_([this, &connections, patience] {
          std::unique_lock<std::mutex> lock(mutex_);
          if (changed_.wait_for(lock, patience, [this] { return over_; })) return;
          lock.unlock();
          try {
            connections.Abort();
          } catch (const std::exception&) {
            // So it ends.
          }
        }) {}
  ~Watchdog() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      over_ = true;
    }
    changed_.notify_all();
    thread_.Join();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool over_ = false;
  aclimb::QuietThread thread_;
};

// What a rank draws for each of the others, hands over where the ranks meet, and wants to read
// from the connection: who took the port without having been there does not know it.
using Password = std::array<char, 32>;

// A message of Gloo's without the place in its sources, "[/.../pair.cc:589] ".
const char* WithoutPlace(const char* text) {
  const char* const end = text[0] == '[' ? std::strstr(text, "] ") : nullptr;
  return end != nullptr ? end + 2 : text;
}

// Connected to all ranks by addresses that `config.exchange` carries.
class Mesh : public gloo::Context {
 public:
  explicit Mesh(const AclimbMeshConfig& config)
      : gloo::Context(static_cast<int>(config.rank), static_cast<int>(config.size)) {
    const auto deadline = Clock::now() + Milliseconds(config.timeout_ms);
    gloo::transport::tcp::attr attributes;
    attributes.hostname = config.address;
    {
      const aclimb::SignalsBlocked blocked;  // they belong to the program's threads
      device_ = gloo::transport::tcp::CreateDevice(attributes);
    }
    const auto connections = device_->createContext(rank, size);
    // Gloo waits five times as long for a connection.
    connections->setTimeout(Milliseconds(std::max<int64_t>(config.timeout_ms / 5, 1)));
    connections_ = std::make_shared<Connections>(connections);
    transportContext_ = connections_;
    const size_t address_bytes = gloo::transport::Address::kMaxByteSize;
    const size_t bytes = address_bytes + sizeof(Password);
    const auto ranks = static_cast<size_t>(size);
    std::vector<char> mine(bytes * ranks), theirs(bytes * ranks);
    for (int peer = 0; peer < size; ++peer) {
      if (peer == rank) continue;
      const std::vector<char> address = transportContext_->createPair(peer)->address().bytes();
      char* const place = mine.data() + bytes * static_cast<size_t>(peer);
      place[0] = static_cast<char>(address.size());
      std::memcpy(place + 1, address.data(), address.size());
      Draw(place + address_bytes);
    }
    if (config.exchange(config.context, mine.data(), bytes, theirs.data()) != 0) {
      throw std::runtime_error("the ranks' addresses were not exchanged");
    }
    const auto left = std::chrono::ceil<Milliseconds>(deadline - Clock::now());
    const Watchdog watchdog(*connections_, std::max(left, Milliseconds(1)));
    for (int peer = 0; peer < size; ++peer) {
      if (peer == rank) continue;
      const char* const place = theirs.data() + bytes * static_cast<size_t>(peer);
      const auto length = static_cast<uint8_t>(place[0]);
      if (length >= address_bytes) throw std::runtime_error("an address is too long");
      WithName(peer, [&] {
        transportContext_->getPair(peer)->connect({place + 1, place + 1 + length});
      });
    }
    connections_->Begin(std::max<int64_t>(left.count(), 1));
    for (int peer = 0; peer < size; ++peer) {
      if (peer == rank) continue;
      const size_t place = bytes * static_cast<size_t>(peer) + address_bytes;
      WithName(peer, [&] { Greet(peer, mine.data() + place, theirs.data() + place); });
    }
  }

  Connections& connections() { return *connections_; }

 private:
  static void Draw(char* password) {
    if (getrandom(password, sizeof(Password), 0) != static_cast<ssize_t>(sizeof(Password))) {
      throw std::runtime_error("the system has no random numbers");
    }
  }
  template <typename Body>
  static void WithName(int peer, Body&& body) {
    try {
      body();
    } catch (const std::exception& failure) {
      throw std::runtime_error("no connection with rank " + std::to_string(peer) + " (" +
                               WithoutPlace(failure.what()) + ")");
    }
  }
  // Sends what the peer wants to read, and reads what this rank does.
  void Greet(int peer, const char* wanted, char* theirs) {
    constexpr uint64_t kSlot = ~uint64_t{0};
    Password come = {};
    const auto out = createUnboundBuffer(theirs, sizeof(Password));
    const auto in = createUnboundBuffer(come.data(), sizeof(Password));
    out->send(peer, kSlot, 0, sizeof(Password));
    in->recv(peer, kSlot, 0, sizeof(Password));
    in->waitRecv();
    out->waitSend();
    if (std::memcmp(come.data(), wanted, sizeof(Password)) != 0) {
      throw std::runtime_error("somebody else took the port");
    }
  }

  std::shared_ptr<Connections> connections_;
};

// Of Gloo's 64 bits it has 32 for the caller.
uint32_t GlooTag(uint64_t tag) { return static_cast<uint32_t>(tag ^ tag >> 32); }

// Apart from the slots of Gloo's own collectives, whose upper bits are 0.
uint64_t Slot(uint64_t tag) { return tag | uint64_t{1} << 63; }

template <typename Options>
void Prepare(Mesh& mesh, const AclimbTransportCall& call, Options* options) {
  mesh.connections().Begin(call.timeout_ms);
  options->setTag(GlooTag(call.tag));
  options->setTimeout(Milliseconds(call.timeout_ms));
}

}  // namespace

struct AclimbMesh {
  std::shared_ptr<Mesh> gloo;
};

namespace {

// Runs the body; an exception becomes a text.
template <typename Body>
int Guarded(AclimbTransportError* error, Body&& body) noexcept {
  try {
    body();
    return 0;
  } catch (const std::exception& failure) {
    std::snprintf(error->text, sizeof(error->text), "%s", WithoutPlace(failure.what()));
  } catch (...) {
    std::snprintf(error->text, sizeof(error->text), "an unknown failure");
  }
  return 1;
}

int ConnectMesh(const AclimbMeshConfig* config, AclimbMesh** mesh, AclimbTransportError* error) {
  return Guarded(error, [&] {
    auto made = std::make_unique<AclimbMesh>();
    made->gloo = std::make_shared<Mesh>(*config);
    *mesh = made.release();
  });
}

void DestroyMesh(AclimbMesh* mesh) {
  AclimbTransportError ignored;
  Guarded(&ignored, [&] { delete mesh; });
}

void AbortMesh(AclimbMesh* mesh) {
  AclimbTransportError ignored;
  Guarded(&ignored, [&] { mesh->gloo->connections().Abort(); });
}

uint64_t CountWaits(AclimbMesh* mesh) { return mesh->gloo->connections().waits(); }

// Gloo's buffers have an element type; these stand for its size.
template <size_t kBytes>
struct Element {
  char bytes[kBytes];
};

template <typename Body>
void WithElement(uint32_t bytes, Body&& body) {
  switch (bytes) {
    case 1:
      return body(Element<1>());
    case 2:
      return body(Element<2>());
    case 4:
      return body(Element<4>());
    case 8:
      return body(Element<8>());
    default:
      return body(Element<16>());
  }
}

int AllReduce(AclimbMesh* mesh, const AclimbTransportCall* call, const void* in, void* out,
              uint64_t count, uint32_t element_bytes, AclimbCombine combine) {
  return Guarded(call->error, [&] {
    WithElement(element_bytes, [&](auto element) {
      using T = decltype(element);
      gloo::AllreduceOptions options(mesh->gloo);
      Prepare(*mesh->gloo, *call, &options);
      if (in != out) options.setInput(static_cast<T*>(const_cast<void*>(in)), count);
      options.setOutput(static_cast<T*>(out), count);
      options.setReduceFunction(combine);
      gloo::allreduce(options);
    });
  });
}

int Reduce(AclimbMesh* mesh, const AclimbTransportCall* call, const void* in, void* out,
           uint64_t count, uint32_t element_bytes, AclimbCombine combine, uint32_t root) {
  return Guarded(call->error, [&] {
    WithElement(element_bytes, [&](auto element) {
      using T = decltype(element);
      gloo::ReduceOptions options(mesh->gloo);
      Prepare(*mesh->gloo, *call, &options);
      if (in != out) options.setInput(static_cast<T*>(const_cast<void*>(in)), count);
      options.setOutput(static_cast<T*>(out), count);
      options.setReduceFunction(combine);
      options.setRoot(static_cast<int>(root));
      gloo::reduce(options);
    });
  });
}

int Broadcast(AclimbMesh* mesh, const AclimbTransportCall* call, void* data, uint64_t bytes,
              uint32_t root) {
  return Guarded(call->error, [&] {
    gloo::BroadcastOptions options(mesh->gloo);
    Prepare(*mesh->gloo, *call, &options);
    options.setOutput(static_cast<char*>(data), bytes);
    options.setRoot(static_cast<int>(root));
    gloo::broadcast(options);
  });
}

int AllGather(AclimbMesh* mesh, const AclimbTransportCall* call, const void* in, void* out,
              const uint64_t* bytes) {
  return Guarded(call->error, [&] {
    const auto rank = static_cast<size_t>(mesh->gloo->rank);
    std::vector<size_t> all(bytes, bytes + mesh->gloo->size);
    size_t place = 0;
    for (size_t i = 0; i < rank; ++i) place += all[i];
    gloo::AllgathervOptions options(mesh->gloo);
    Prepare(*mesh->gloo, *call, &options);
    if (in != static_cast<char*>(out) + place) {
      options.setInput(static_cast<char*>(const_cast<void*>(in)), all[rank]);
    }
    options.setOutput(static_cast<char*>(out), std::move(all));
    gloo::allgatherv(options);
  });
}

int Scatter(AclimbMesh* mesh, const AclimbTransportCall* call, void* const* blocks, void* out,
            uint64_t bytes, uint32_t root) {
  return Guarded(call->error, [&] {
    gloo::ScatterOptions options(mesh->gloo);
    Prepare(*mesh->gloo, *call, &options);
    if (blocks != nullptr) {
      std::vector<char*> inputs;
      for (int i = 0; i < mesh->gloo->size; ++i) inputs.push_back(static_cast<char*>(blocks[i]));
      options.setInputs(std::move(inputs), bytes);
    }
    options.setOutput(static_cast<char*>(out), bytes);
    options.setRoot(static_cast<int>(root));
    gloo::scatter(options);
  });
}

int TransferAll(AclimbMesh* mesh, const AclimbTransportCall* call, const AclimbPiece* sends,
                size_t send_count, const AclimbPiece* receives, size_t receive_count) {
  return Guarded(call->error, [&] {
    mesh->gloo->connections().Begin(call->timeout_ms);
    std::vector<std::unique_ptr<gloo::transport::UnboundBuffer>> buffers;
    const auto add = [&](const AclimbPiece& piece) {
      buffers.push_back(mesh->gloo->createUnboundBuffer(piece.data, piece.bytes));
      return buffers.back().get();
    };
    for (size_t i = 0; i < receive_count; ++i) {
      add(receives[i])->recv(static_cast<int>(receives[i].peer), Slot(receives[i].tag));
    }
    for (size_t i = 0; i < send_count; ++i) {
      add(sends[i])->send(static_cast<int>(sends[i].peer), Slot(sends[i].tag));
    }
    for (size_t i = 0; i < buffers.size(); ++i) {
      if (i < receive_count) {
        buffers[i]->waitRecv();
      } else {
        buffers[i]->waitSend();
      }
    }
  });
}

int Barrier(AclimbMesh* mesh, const AclimbTransportCall* call) {
  return Guarded(call->error, [&] {
    gloo::BarrierOptions options(mesh->gloo);
    Prepare(*mesh->gloo, *call, &options);
    gloo::barrier(options);
  });
}

constexpr AclimbTransport kTransport = {
    .api_version = ACLIMB_TRANSPORT_API_VERSION,
    .struct_size = sizeof(AclimbTransport),
    .connect = &ConnectMesh,
    .destroy = &DestroyMesh,
    .abort = &AbortMesh,
    .progress = &CountWaits,
    .all_reduce = &AllReduce,
    .reduce = &Reduce,
    .broadcast = &Broadcast,
    .all_gather = &AllGather,
    .scatter = &Scatter,
    .transfer = &TransferAll,
    .barrier = &Barrier,
};

}  // namespace

extern "C" __attribute__((visibility("default"))) const AclimbTransport* aclimb_transport_entry() {
  return &kTransport;
}
