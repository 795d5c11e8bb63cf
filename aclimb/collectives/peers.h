#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "aclimb/collectives/socket.h"
#include "aclimb/collectives/token.h"
#include "aclimb/core/status.h"

namespace aclimb::collectives {

// Connects a rank with all others of its group, each pair once, for the transport. Each end shows
// the other one a secret that only that one can know; what else comes to the port is dropped and
// counted, and the transport never sees it.
class Peers {
 public:
  using Deadline = std::chrono::steady_clock::time_point;

  // Listens on an address of this host, at a port that is free.
  static Result<Peers> Listen(const std::string& address, uint32_t rank, uint32_t size);

  // Where this rank is, and the secret that the peer has to show it.
  std::string InvitationFor(uint32_t peer) const;
  // By what each of the others has for this rank. The sockets are by rank; this one's own is none.
  Result<std::vector<Socket>> Connect(const std::vector<std::string>& invitations,
                                      Deadline deadline);

 private:
  using Clock = std::chrono::steady_clock;

  struct Peer {
    Endpoint at;
    Secret expected = {};  // of it
    Secret own = {};       // that it expects
    Socket socket;
    std::string come;
    int attempts = 0;
    bool connected = false;
  };
  // Who has come to the port and has not said yet who it is.
  struct Guest {
    Socket socket;
    std::string from;
    std::string come;
    Clock::time_point since;
  };

  Peers(std::string address, Socket listener, uint32_t rank, uint32_t size)
      : address_(std::move(address)),
        listener_(std::move(listener)),
        rank_(rank),
        peers_(size),
        open_(size - 1) {}

  // Waits for something to happen, and sees to it.
  Status Turn(Deadline deadline);
  // Opens the connection to a rank that listens, and says who this one is.
  Status Reach(uint32_t rank, Deadline deadline);
  Status ReadAnswer(uint32_t rank, Deadline deadline);
  void AcceptAll();
  void ReadGreeting(Guest& guest);
  void Drop(Guest& guest, const char* why);
  void DropOldest(const char* why);
  void Connected(Peer& peer);
  std::string PlaceOf(uint32_t rank) const;
  Status Failed(int code, const std::string& why) const;

  const std::string address_;
  Socket listener_;
  const uint32_t rank_;
  std::vector<Peer> peers_;  // by rank
  std::vector<Guest> guests_;
  size_t open_;  // peers that are not connected yet
  uint64_t strangers_ = 0;
};

}  // namespace aclimb::collectives
