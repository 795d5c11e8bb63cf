// How ranks are connected with each other, and what strangers at their ports can do about it.

#include "aclimb/collectives/peers.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <future>
#include <random>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "aclimb/collectives/bytes.h"
#include "hccl/hccl_types.h"
#include "tests/support/free_ports.h"
#include "tests/support/in_time.h"

namespace aclimb::collectives {
namespace {

using Sockets = Result<std::vector<Socket>>;

// Says what is there instead.
bool IsRefused(const Sockets& sockets, int code, const std::string& said) {
  const int got = sockets.ok() ? 0 : sockets.status().code();
  const std::string what = sockets.ok() ? "no refusal" : sockets.status().refusal().what;
  const bool is = got == code && what.find(said) != std::string::npos;
  if (!is)
    std::printf("expected %d with \"%s\"; got %d: %s\n", code, said.c_str(), got, what.c_str());
  return is;
}
void ExpectRefused(const Sockets& sockets, int code, const std::string& said) {
  EXPECT_TRUE(IsRefused(sockets, code, said));
}

// While it lives, the process may have descriptors below this number alone.
class DescriptorLimit {
 public:
  explicit DescriptorLimit(rlim_t soft) {
    EXPECT_EQ(getrlimit(RLIMIT_NOFILE, &before_), 0);
    rlimit limit = before_;
    limit.rlim_cur = std::min(limit.rlim_max, soft);
    EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
  }
  ~DescriptorLimit() { EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &before_), 0); }

 private:
  rlimit before_ = {};
};

class PeersTest : public ::testing::Test {
 protected:
  // Ranks that listen and have told each other where they are.
  void Start(uint32_t size) {
    for (uint32_t rank = 0; rank < size; ++rank) {
      Result<Peers> peers = Peers::Listen("127.0.0.1", rank, size);
      ASSERT_TRUE(peers.ok()) << peers.status().refusal().what;
      peers_.push_back(std::move(peers.value()));
    }
    invitations_.assign(size, std::vector<std::string>(size));
    for (uint32_t rank = 0; rank < size; ++rank) {
      for (uint32_t peer = 0; peer < size; ++peer) {
        invitations_[peer][rank] = peers_[rank].InvitationFor(peer);
      }
    }
  }
  std::future<Sockets> Connect(uint32_t rank, std::chrono::milliseconds time) {
    return std::async(std::launch::async, [this, rank, time] {
      return peers_[rank].Connect(invitations_[rank], std::chrono::steady_clock::now() + time);
    });
  }
  // All of them; each reads from each who is there.
  void ConnectAll() {
    std::vector<std::future<Sockets>> joins;
    const auto size = static_cast<uint32_t>(peers_.size());
    for (uint32_t rank = 0; rank < size; ++rank) {
      joins.push_back(Connect(rank, std::chrono::seconds(60)));
    }
    std::vector<std::vector<Socket>> sockets;
    for (auto& join : joins) {
      Sockets come = join.get();
      ASSERT_TRUE(come.ok()) << come.status().refusal().what;
      sockets.push_back(std::move(come.value()));
    }
    const auto name = [](uint32_t from, uint32_t to) {
      return "from " + std::to_string(from) + " to " + std::to_string(to);
    };
    for (uint32_t from = 0; from < size; ++from) {
      EXPECT_FALSE(sockets[from][from]);
      for (uint32_t to = 0; to < size; ++to) {
        std::string text = name(from, to);
        EXPECT_TRUE(from == to || SendSome(sockets[from][to], &text));
      }
    }
    for (uint32_t to = 0; to < size; ++to) {
      for (uint32_t from = 0; from < size; ++from) {
        std::string text;
        while (from != to && text.empty()) ReceiveSome(sockets[to][from], &text);
        EXPECT_EQ(text, from == to ? "" : name(from, to));
      }
    }
  }
  // Where a rank listens.
  Endpoint PortOf(uint32_t rank) {
    const std::string invitation = peers_[rank].InvitationFor(rank);
    ByteReader reader(invitation);
    const std::string address(reader.Text());
    Endpoint endpoint;
    EXPECT_TRUE(ParseEndpoint(address, reader.Number<uint16_t>(), &endpoint));
    return endpoint;
  }
  // Rank 0 of `size` alone; the others have told it that they are somewhere.
  void StartFirst(uint32_t size) {
    Result<Peers> first = Peers::Listen("127.0.0.1", 0, size);
    ASSERT_TRUE(first.ok()) << first.status().refusal().what;
    peers_.push_back(std::move(first.value()));
    const std::string somewhere =
        ByteWriter().Text("127.0.0.1").Number(uint16_t{1}).Add(Secret{}).Take();
    invitations_.assign(1, std::vector<std::string>(size, somewhere));
  }
  // As a rank comes to rank 0.
  Socket KnockAs(uint32_t rank) {
    Socket made = Knock(PortOf(0));
    const std::string invitation = peers_[0].InvitationFor(rank);
    std::string greeting =
        ByteWriter().Number(rank).Take() + invitation.substr(invitation.size() - sizeof(Secret));
    EXPECT_TRUE(SendSome(made, &greeting));
    return made;
  }
  // What rank 1 is told of where rank 0 is.
  void PutFirstAt(const Endpoint& at) {
    std::string& told = invitations_[1][0];
    const std::string secret = told.substr(told.size() - sizeof(Secret));
    told = ByteWriter().Text("127.0.0.1").Number(collectives::PortOf(at)).Take() + secret;
  }
  static Socket ListenOnLoopback() {
    Endpoint any;
    EXPECT_TRUE(ParseEndpoint("127.0.0.1", 0, &any));
    return Listen(any);
  }
  static Socket Knock(const Endpoint& at) {
    Socket stranger;
    EXPECT_EQ(TryConnect(at, std::chrono::seconds(30), &stranger), 0);
    return stranger;
  }

  std::vector<Peers> peers_;
  std::vector<std::vector<std::string>> invitations_;  // of each rank, by who has sent it
};

TEST_F(PeersTest, EachIsConnectedWithEachOther) {
  Start(7);
  ConnectAll();
}

// Strangers who were first at the ports, and say nothing, garbage, or what a rank says but with
// another secret, keep no rank from another.
TEST_F(PeersTest, StrangersKeepNobodyApart) {
  Start(3);
  std::mt19937 random(3);
  std::vector<Socket> strangers;
  for (int i = 0; i < 640; ++i) {
    Socket stranger = Knock(PortOf(i / 4 % 2));
    std::string bytes;
    if (i % 4 == 1) {
      bytes = ByteWriter().Number(uint32_t{2}).Add(DrawSecret()).Take();
    } else if (i % 4 != 0) {
      bytes.resize(random() % 200);
      for (char& byte : bytes) byte = static_cast<char>(random());
    }
    EXPECT_TRUE(SendSome(stranger, &bytes));
    if (i % 4 != 3) strangers.push_back(std::move(stranger));
  }
  ConnectAll();
}

// More ranks than there is room for strangers come at once, and have all said who they are before
// anybody looks.
TEST_F(PeersTest, ManyRanksAtOnceAreAllTaken) {
  constexpr uint32_t kRanks = 600;
  const DescriptorLimit limit(4096);
  StartFirst(kRanks);
  std::vector<Socket> others;
  for (uint32_t rank = 1; rank < kRanks; ++rank) others.push_back(KnockAs(rank));
  const Sockets come = Connect(0, std::chrono::seconds(30)).get();
  EXPECT_TRUE(come.ok()) << come.status().refusal().what;
}

// Strangers do not take the last descriptors from a rank that comes behind them.
TEST_F(PeersTest, StrangersMakeRoomWhenDescriptorsRunOut) {
  StartFirst(2);
  std::vector<Socket> strangers;
  for (int i = 0; i < 40; ++i) strangers.push_back(Knock(PortOf(0)));
  const Socket second = KnockAs(1);
  auto first = Connect(0, std::chrono::seconds(30));
  {
    const DescriptorLimit limit(static_cast<rlim_t>(second.descriptor()) + 10);
    first.wait();
  }
  const Sockets come = first.get();
  EXPECT_TRUE(come.ok()) << come.status().refusal().what;
}

// A secret opens the port to the one rank that it was given to.
TEST_F(PeersTest, ARankWithTheSecretOfAnotherIsAStranger) {
  constexpr std::chrono::seconds kFirst(4), kOthers(8);
  // The others have to come while the first one looks for them.
  EXPECT_TRUE(testing::HoldsInTime(kOthers, [&] {
    peers_.clear();
    Start(3);
    std::swap(invitations_[1][0], invitations_[2][0]);
    auto first = Connect(0, kFirst), second = Connect(1, kOthers), third = Connect(2, kOthers);
    bool holds = IsRefused(first.get(), HCCL_E_TIMEOUT, "no connection with rank 1, 2");
    for (auto* const each : {&second, &third}) {
      holds &= IsRefused(each->get(), HCCL_E_TCP_CONNECT, " closed the connection before");
    }
    return holds;
  }));
}

// Who answers at a rank's address has to know the secret too.
TEST_F(PeersTest, SomebodyElseAtTheAddressIsNotTaken) {
  Start(2);
  const Socket stranger = ListenOnLoopback();
  PutFirstAt(LocalEndpoint(stranger));
  auto second = Connect(1, std::chrono::seconds(60));
  Endpoint from;
  Socket come;
  while (!come) come = Accept(stranger, &from);
  std::string answer = ByteWriter().Add(DrawSecret()).Take();
  EXPECT_TRUE(SendSome(come, &answer));
  ExpectRefused(second.get(), HCCL_E_TCP_CONNECT, "somebody else answers for rank 0");
}

TEST_F(PeersTest, ARankThatIsNotThereIsNamedWithItsPort) {
  Start(2);
  Endpoint at;
  ASSERT_TRUE(ParseEndpoint("127.0.0.1", testing::FreePorts(1), &at));
  PutFirstAt(at);
  ExpectRefused(Connect(1, std::chrono::seconds(60)).get(), HCCL_E_TCP_CONNECT,
                "rank 0 at 127.0.0.1 port " + std::to_string(collectives::PortOf(at)) +
                    " cannot be reached (Connection refused)");
}

// What the system refuses is no rank's fault.
TEST_F(PeersTest, AWaitThatTheSystemRefusesIsNoTimeOut) {
  Start(2);
  const Socket silent = ListenOnLoopback();
  PutFirstAt(LocalEndpoint(silent));
  auto second = Connect(1, std::chrono::seconds(20));
  Endpoint from;
  Socket come;
  while (!come) come = Accept(silent, &from);
  // poll refuses more descriptors than a process may have.
  const DescriptorLimit limit(1);
  EXPECT_THROW(static_cast<void>(second.get()), std::system_error);
}

TEST(SocketTest, ASignalEndsNoConnect) {
  struct sigaction nothing = {}, before = {};
  nothing.sa_handler = [](int) {};
  ASSERT_EQ(sigaction(SIGUSR1, &nothing, &before), 0);
  Endpoint any, from;
  ASSERT_TRUE(ParseEndpoint("127.0.0.1", 0, &any));
  const Socket listener(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0));
  ASSERT_EQ(bind(listener.descriptor(), reinterpret_cast<sockaddr*>(&any.address), any.bytes), 0);
  // There is room for one who waits, so the other is not answered.
  ASSERT_EQ(listen(listener.descriptor(), 0), 0);
  const Endpoint at = LocalEndpoint(listener);
  Socket first, second;
  ASSERT_EQ(TryConnect(at, std::chrono::seconds(30), &first), 0);
  std::atomic<bool> done{false};
  int error = -1;
  std::thread caller([&] {
    error = TryConnect(at, std::chrono::seconds(60), &second);
    done = true;
  });
  for (int i = 0; i < 30; ++i) {
    pthread_kill(caller.native_handle(), SIGUSR1);
    usleep(10000);
  }
  while (!done) {
    Accept(listener, &from);
    usleep(1000);
  }
  caller.join();
  EXPECT_EQ(error, 0) << strerror(error);
  EXPECT_EQ(sigaction(SIGUSR1, &before, nullptr), 0);
}

}  // namespace
}  // namespace aclimb::collectives
