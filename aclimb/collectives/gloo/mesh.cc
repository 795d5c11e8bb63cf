#include "aclimb/collectives/gloo/mesh.h"

#include <gloo/transport/address.h>
#include <gloo/transport/device.h>
#include <gloo/transport/pair.h>
#include <gloo/transport/tcp/device.h>
#include <sys/random.h>

#include <algorithm>
#include <array>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <string>
#include <vector>

#include "aclimb/core/quiet_thread.h"

namespace aclimb::collectives {
namespace {

using Clock = Connections::Clock;
using Milliseconds = Connections::Milliseconds;

// What a rank draws for each of the others, hands over where the ranks meet, and wants to read
// from the connection: who took the port without having been there does not know it.
using Password = std::array<char, 32>;

// Ends what the connections wait for at a deadline, unless it ends before.
class Watchdog {
 public:
  Watchdog(Connections& connections, Clock::time_point deadline)
      : thread_([this, &connections, deadline] {
          std::unique_lock<std::mutex> lock(mutex_);
          if (changed_.wait_until(lock, deadline, [this] { return over_; })) return;
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
  QuietThread thread_;
};

void Draw(char* password) {
  if (getrandom(password, sizeof(Password), 0) != static_cast<ssize_t>(sizeof(Password))) {
    throw TransportFailure(ACLIMB_TRANSPORT_SYSTEM, "the system has no random numbers");
  }
}

// Names the peer in a failure of the body.
template <typename Body>
void WithName(int peer, Clock::time_point deadline, Body&& body) {
  try {
    body();
  } catch (const std::exception& failure) {
    const bool late = Clock::now() >= deadline;
    throw TransportFailure(late ? ACLIMB_TRANSPORT_TIME : CauseOf(failure),
                           "no connection with rank " + std::to_string(peer) + " (" +
                               WithoutPlace(failure.what()) + ")");
  }
}

}  // namespace

Clock::time_point DeadlineOf(int64_t deadline_ns) {
  return Clock::time_point(std::chrono::nanoseconds(deadline_ns));
}

Mesh::Mesh(const AclimbMeshConfig& config)
    : gloo::Context(static_cast<int>(config.rank), static_cast<int>(config.size)) {
  const auto deadline = DeadlineOf(config.deadline_ns);
  gloo::transport::tcp::attr attributes;
  attributes.hostname = config.address;
  {
    const SignalsBlocked blocked;  // they belong to the program's threads
    device_ = gloo::transport::tcp::CreateDevice(attributes);
  }
  const auto connections = device_->createContext(rank, size);
  connections_ = std::make_shared<Connections>(connections);
  connections_->Begin(deadline);
  // Gloo waits five times as long for a connection.
  connections->setTimeout(std::max(connections_->Left() / 5, Milliseconds(1)));
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
  const Watchdog watchdog(*connections_, deadline);
  for (int peer = 0; peer < size; ++peer) {
    if (peer == rank) continue;
    const char* const place = theirs.data() + bytes * static_cast<size_t>(peer);
    const auto length = static_cast<uint8_t>(place[0]);
    WithName(peer, deadline, [&] {
      if (length >= address_bytes) {
        throw TransportFailure(ACLIMB_TRANSPORT_CONNECTION, "its address is too long");
      }
      transportContext_->getPair(peer)->connect({place + 1, place + 1 + length});
    });
  }
  for (int peer = 0; peer < size; ++peer) {
    if (peer == rank) continue;
    const size_t place = bytes * static_cast<size_t>(peer) + address_bytes;
    WithName(peer, deadline, [&] { Greet(peer, mine.data() + place, theirs.data() + place); });
  }
}

void Mesh::Greet(int peer, const char* wanted, char* theirs) {
  constexpr uint64_t kSlot = ~uint64_t{0};
  Password come = {};
  const auto out = createUnboundBuffer(theirs, sizeof(Password));
  const auto in = createUnboundBuffer(come.data(), sizeof(Password));
  out->send(peer, kSlot, 0, sizeof(Password));
  in->recv(peer, kSlot, 0, sizeof(Password));
  in->waitRecv();
  out->waitSend();
  if (std::memcmp(come.data(), wanted, sizeof(Password)) != 0) {
    throw TransportFailure(ACLIMB_TRANSPORT_CONNECTION, "somebody else took the port");
  }
}

}  // namespace aclimb::collectives
