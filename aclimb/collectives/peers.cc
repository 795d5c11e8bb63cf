#include "aclimb/collectives/peers.h"

#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <thread>
#include <utility>

#include "acl/acl_base.h"
#include "aclimb/bridge/bridge.h"
#include "aclimb/collectives/bytes.h"
#include "aclimb/core/text.h"
#include "hccl/hccl_types.h"

namespace aclimb::collectives {
namespace {

constexpr size_t kAnswerBytes = sizeof(Secret);
constexpr size_t kGreetingBytes = sizeof(uint32_t) + sizeof(Secret);
constexpr auto kGreetingTime = std::chrono::seconds(10);
constexpr size_t kMostGuests = 256;
constexpr size_t kMostGuestsAtOnce = 64;  // accepted before those that are there are read again
// A rank may have dropped a connection among many strangers'.
constexpr int kAttempts = 5;

}  // namespace

Result<Peers> Peers::Listen(const std::string& address, uint32_t rank, uint32_t size) {
  Endpoint any;
  Socket listener;
  if (ParseEndpoint(address, 0, &any)) listener = collectives::Listen(any);
  if (!listener) {
    return Refuse(HCCL_E_UNAVAIL,
                  Cat("the address ", address, " cannot be listened on (",
                      std::generic_category().message(errno),
                      "); expected an address of this host, and a free port."),
                  "correct HCCL_IF_IP or HCCL_SOCKET_IFNAME, or unset them", "collective/listen");
  }
  Peers peers(address, std::move(listener), rank, size);
  for (Peer& peer : peers.peers_) peer.expected = DrawSecret();
  return peers;
}

std::string Peers::InvitationFor(uint32_t peer) const {
  return ByteWriter()
      .Text(address_)
      .Number(PortOf(LocalEndpoint(listener_)))
      .Add(peers_[peer].expected)
      .Take();
}

// Of each pair the one with the higher number goes to the other.
Result<std::vector<Socket>> Peers::Connect(const std::vector<std::string>& invitations,
                                           Deadline deadline) {
  for (uint32_t rank = 0; rank < peers_.size(); ++rank) {
    if (rank == rank_) continue;
    ByteReader reader(invitations[rank]);
    const std::string address(reader.Text());
    const auto port = reader.Number<uint16_t>();
    peers_[rank].own = reader.ReadSecret();
    if (!reader.Complete() || !ParseEndpoint(address, port, &peers_[rank].at)) {
      return Failed(HCCL_E_INTERNAL, Cat("rank ", rank, " does not say where it is"));
    }
  }
  for (uint32_t rank = 0; rank < rank_; ++rank) {
    if (Status status = Reach(rank, deadline); !status.ok()) return status;
  }
  while (open_ > 0) {
    if (Status status = Turn(deadline); !status.ok()) return status;
  }
  std::vector<Socket> sockets;
  for (Peer& peer : peers_) sockets.push_back(std::move(peer.socket));
  return sockets;
}

Status Peers::Turn(Deadline deadline) {
  const auto now = Clock::now();
  if (now >= deadline) {
    std::string missing;
    for (uint32_t rank = 0; rank < peers_.size(); ++rank) {
      if (rank == rank_ || peers_[rank].connected) continue;
      missing += Cat(missing.empty() ? "no connection with rank " : ", ", rank);
    }
    return Failed(HCCL_E_TIMEOUT, Cat(missing, " within HCCL_CONNECT_TIMEOUT"));
  }
  std::vector<pollfd> waits = {{listener_.descriptor(), POLLIN, 0}};
  const size_t known = guests_.size();
  for (const Guest& guest : guests_) waits.push_back({guest.socket.descriptor(), POLLIN, 0});
  std::vector<uint32_t> hosts;
  for (uint32_t rank = 0; rank < rank_; ++rank) {
    if (peers_[rank].connected) continue;
    hosts.push_back(rank);
    waits.push_back({peers_[rank].socket.descriptor(), POLLIN, 0});
  }
  const auto patience = std::min<Clock::duration>(deadline - now, std::chrono::seconds(1));
  const int ready =
      poll(waits.data(), waits.size(),
           static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(patience).count()));
  if (ready < 0) {
    if (errno == EINTR) return Ok();
    throw std::system_error(errno, std::generic_category(), "poll");
  }
  for (size_t i = 0; i < hosts.size(); ++i) {
    if (waits[1 + known + i].revents == 0) continue;
    if (Status status = ReadAnswer(hosts[i], deadline); !status.ok()) return status;
  }
  for (size_t i = 0; i < known; ++i) {
    if (waits[1 + i].revents != 0) ReadGreeting(guests_[i]);
    if (now - guests_[i].since > kGreetingTime) Drop(guests_[i], "said nothing");
  }
  std::erase_if(guests_, [](const Guest& guest) { return !guest.socket; });
  if (waits[0].revents != 0) AcceptAll();
  return Ok();
}

Status Peers::Reach(uint32_t rank, Deadline deadline) {
  Peer& peer = peers_[rank];
  peer.come.clear();
  for (;;) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
    int error = TryConnect(peer.at, left, &peer.socket);
    if (error == 0) {
      std::string greeting = ByteWriter().Number(rank_).Add(peer.own).Take();
      // It is short: a connection that does not take all of it is broken.
      if (SendSome(peer.socket, &greeting) && greeting.empty()) return Ok();
      error = errno;
    }
    const bool late = Clock::now() >= deadline;
    if (late || ++peer.attempts >= kAttempts) {
      return Failed(
          late ? HCCL_E_TIMEOUT : HCCL_E_TCP_CONNECT,
          Cat(PlaceOf(rank), " cannot be reached (", std::generic_category().message(error), ")"));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(100 * peer.attempts));
  }
}

Status Peers::ReadAnswer(uint32_t rank, Deadline deadline) {
  Peer& peer = peers_[rank];
  // No more: what comes behind the answer is the transport's.
  const Received received = ReceiveSome(peer.socket, &peer.come, kAnswerBytes - peer.come.size());
  if (peer.come.size() == kAnswerBytes) {
    if (Equal(ByteReader(peer.come).ReadSecret(), peer.expected)) {
      Connected(peer);
      return Ok();
    }
    return Failed(HCCL_E_TCP_CONNECT, Cat("somebody else answers for ", PlaceOf(rank)));
  }
  if (received != Received::kEnd) return Ok();
  if (++peer.attempts < kAttempts) return Reach(rank, deadline);
  return Failed(HCCL_E_TCP_CONNECT,
                Cat(PlaceOf(rank), " closed the connection before it had answered"));
}

void Peers::AcceptAll() {
  for (size_t i = 0; i < kMostGuestsAtOnce; ++i) {
    Guest guest;
    Endpoint from;
    guest.socket = Accept(listener_, &from);
    if (!guest.socket) {
      const int error = errno;
      if (error != EMFILE && error != ENFILE && error != ENOBUFS && error != ENOMEM) return;
      if (guests_.empty()) throw std::system_error(error, std::generic_category(), "accept");
      return DropOldest("said nothing while the process had no descriptor left");
    }
    guest.from = AddressText(from);
    guest.since = Clock::now();
    // Before it can be the one that makes room.
    ReadGreeting(guest);
    if (!guest.socket) continue;
    guests_.push_back(std::move(guest));
    if (guests_.size() > kMostGuests) DropOldest("said nothing while many came after it");
  }
}

void Peers::DropOldest(const char* why) {
  Drop(guests_.front(), why);
  guests_.erase(guests_.begin());
}

void Peers::ReadGreeting(Guest& guest) {
  const Received received =
      ReceiveSome(guest.socket, &guest.come, kGreetingBytes - guest.come.size());
  if (guest.come.size() < kGreetingBytes) {
    if (received == Received::kEnd) Drop(guest, "said nothing and went away");
    return;
  }
  ByteReader reader(guest.come);
  const auto rank = reader.Number<uint32_t>();
  const Secret secret = reader.ReadSecret();
  if (rank <= rank_ || rank >= peers_.size() || !Equal(secret, peers_[rank].expected)) {
    return Drop(guest, "does not know the secret of a rank");
  }
  Peer& peer = peers_[rank];
  std::string answer = ByteWriter().Add(peer.own).Take();
  if (!SendSome(guest.socket, &answer) || !answer.empty()) return guest.socket.Close();
  peer.socket = std::move(guest.socket);
  Connected(peer);
}

void Peers::Drop(Guest& guest, const char* why) {
  if (!guest.socket) return;
  ++strangers_;
  guest.socket.Close();
  // A flood of them does not flood the log.
  if (strangers_ > 10 && strangers_ % 100 != 0) return;
  aclimb_log(ACL_WARNING, Cat("hccl: a connection from ", guest.from, " to the port of rank ",
                              rank_, " was dropped: it ", why, " (", strangers_, " so far)")
                              .c_str());
}

// Once for each: who comes again has lost its first connection.
void Peers::Connected(Peer& peer) {
  if (!std::exchange(peer.connected, true)) --open_;
}

std::string Peers::PlaceOf(uint32_t rank) const {
  const Endpoint& at = peers_[rank].at;
  return Cat("rank ", rank, " at ", AddressText(at), " port ", PortOf(at));
}

Status Peers::Failed(int code, const std::string& why) const {
  return Refuse(code,
                Cat("rank ", rank_, " at ", address_, " is not connected with all other ranks: ",
                    why, "; expected connections between all of them."),
                "check that the hosts reach each other at these addresses and that no firewall is "
                "between; HCCL_IF_IP or HCCL_SOCKET_IFNAME choose others",
                "collective/connect");
}

}  // namespace aclimb::collectives
