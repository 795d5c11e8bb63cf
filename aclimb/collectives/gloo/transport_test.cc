// The transport's own promises, between ranks that are threads.

#include "aclimb/collectives/transport.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <iterator>
#include <memory>
#include <new>
#include <random>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

namespace {

// Of this thread, that succeed before one fails.
thread_local size_t allocations_left = SIZE_MAX;

}  // namespace

// The compiler sees that the other one frees what malloc returned.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"
void* operator new(size_t bytes) {
  void* const memory = allocations_left > 0 ? std::malloc(bytes) : nullptr;
  if (memory == nullptr) throw std::bad_alloc();
  if (allocations_left != SIZE_MAX) --allocations_left;
  return memory;
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }

namespace {

using std::chrono::milliseconds;

const AclimbTransport& Transport() {
  static const AclimbTransport* const transport = [] {
    void* const library = dlopen(ACLIMB_GLOO_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    const auto entry =
        reinterpret_cast<AclimbTransportEntry>(dlsym(library, "aclimb_transport_entry"));
    return entry();
  }();
  return *transport;
}

int64_t In(milliseconds time) {
  return std::chrono::nanoseconds((std::chrono::steady_clock::now() + time).time_since_epoch())
      .count();
}
constexpr milliseconds kLong{60000};

// Two sockets that are connected.
std::pair<int, int> ConnectedSockets() {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t bytes = sizeof(address);
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  const int listener = socket(AF_INET, SOCK_STREAM, 0), first = socket(AF_INET, SOCK_STREAM, 0);
  EXPECT_EQ(bind(listener, generic, bytes), 0);
  EXPECT_EQ(listen(listener, 1), 0);
  EXPECT_EQ(getsockname(listener, generic, &bytes), 0);
  EXPECT_EQ(connect(first, generic, bytes), 0);
  const int second = accept(listener, nullptr, nullptr);
  EXPECT_GE(second, 0);
  close(listener);
  return {first, second};
}

struct Rank {
  uint32_t rank = 0;
  AclimbMesh* mesh = nullptr;
  AclimbTransportError error = {};

  Rank(uint32_t own, const std::vector<int>& sockets) : rank(own) {
    const AclimbMeshConfig config = {own, static_cast<uint32_t>(sockets.size()), sockets.data(),
                                     "127.0.0.1"};
    EXPECT_EQ(Transport().make(&config, &mesh, &error), 0) << error.text;
  }
  ~Rank() {
    if (mesh != nullptr) Transport().destroy(mesh);
  }
  AclimbTransportCall Call(uint64_t tag, milliseconds time = kLong) {
    return {tag, In(time), &error};
  }
};

// Each rank on a thread.
void OnRanks(uint32_t size, const std::function<void(Rank&)>& body) {
  std::vector<std::vector<int>> sockets(size, std::vector<int>(size, -1));
  for (uint32_t a = 0; a < size; ++a) {
    for (uint32_t b = 0; b < a; ++b) std::tie(sockets[a][b], sockets[b][a]) = ConnectedSockets();
  }
  std::vector<std::thread> threads;
  for (uint32_t r = 0; r < size; ++r) {
    threads.emplace_back([&, r] {
      Rank rank(r, sockets[r]);
      ASSERT_NE(rank.mesh, nullptr);
      body(rank);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

// Eight bytes at a time (splitmix64): it is asked for hundreds of MiB.
std::vector<char> Pattern(uint32_t seed, size_t bytes) {
  std::vector<char> data(bytes);
  char* const to = data.data();
  uint64_t state = seed;
  for (size_t at = 0; at < bytes; at += sizeof(state)) {
    uint64_t z = (state += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    z ^= z >> 31;
    std::memcpy(to + at, &z, std::min(sizeof(z), bytes - at));
  }
  return data;
}

// What is longer than one message of Gloo's comes whole, and one sees that it gets on.
TEST(Transport, LongMessagesGoInPieces) {
  constexpr size_t kBytes = (size_t{21} << 20) + 5;
  OnRanks(3, [&](Rank& rank) {
    const uint32_t next = (rank.rank + 1) % 3, last = (rank.rank + 2) % 3;
    std::vector<char> mine = Pattern(rank.rank, kBytes), theirs(kBytes);
    const uint64_t before = Transport().progress(rank.mesh);
    const AclimbPiece send = {next, mine.data(), kBytes, 7},
                      receive = {last, theirs.data(), kBytes, 7};
    AclimbTransportCall call = rank.Call(1);
    ASSERT_EQ(Transport().transfer(rank.mesh, &call, &send, 1, &receive, 1), 0) << rank.error.text;
    EXPECT_TRUE(theirs == Pattern(last, kBytes));
    EXPECT_GE(Transport().progress(rank.mesh) - before, 2 * (kBytes >> 22));

    call = rank.Call(2);
    ASSERT_EQ(Transport().broadcast(rank.mesh, &call, mine.data(), kBytes, 1), 0);
    EXPECT_TRUE(mine == Pattern(1, kBytes));

    const std::vector<char> own = Pattern(rank.rank, kBytes);
    std::vector<char> all(3 * kBytes);
    const std::vector<uint64_t> counts(3, kBytes);
    call = rank.Call(3);
    ASSERT_EQ(Transport().all_gather(rank.mesh, &call, own.data(), all.data(), counts.data()), 0);
    for (uint32_t r = 0; r < 3; ++r) {
      const std::vector<char> truth = Pattern(r, kBytes);
      EXPECT_EQ(std::memcmp(all.data() + r * kBytes, truth.data(), kBytes), 0) << r;
    }

    void* blocks[3];
    for (uint32_t r = 0; r < 3; ++r) blocks[r] = all.data() + r * kBytes;
    call = rank.Call(4);
    ASSERT_EQ(Transport().scatter(rank.mesh, &call, rank.rank == 2 ? blocks : nullptr,
                                  theirs.data(), kBytes, 2),
              0);
    EXPECT_TRUE(theirs == own);
  });
}

void Add(void* out, const void* a, const void* b, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    static_cast<uint64_t*>(out)[i] =
        static_cast<const uint64_t*>(a)[i] + static_cast<const uint64_t*>(b)[i];
  }
}

// Of few elements and of many, on numbers of ranks that halve and that do not, in place or not.
TEST(Transport, AllReduceAddsAllRanks) {
  for (const uint32_t size : {2U, 3U, 4U, 5U, 6U, 9U}) {
    OnRanks(size, [&](Rank& rank) {
      uint64_t tag = 1;
      for (const size_t count : {size_t{1}, size_t{2}, size_t{7}, size_t{1000},
                                 (size_t{16} << 10) * size, (size_t{16} << 10) * size + 1}) {
        for (const bool in_place : {false, true}) {
          std::vector<uint64_t> in(count), out(count, 77), truth(count);
          uint64_t factors = 0;
          for (uint32_t r = 0; r < size; ++r) factors += uint64_t{1} << (6 * r);
          for (size_t i = 0; i < count; ++i) {
            in[i] = (i + 1) << (6 * rank.rank);
            truth[i] = (i + 1) * factors;
          }
          const AclimbTransportCall call = rank.Call(tag++);
          if (in_place) out = in;
          const void* const from = in_place ? out.data() : in.data();
          ASSERT_EQ(Transport().all_reduce(rank.mesh, &call, from, out.data(), count,
                                           sizeof(uint64_t), &Add),
                    0)
              << rank.error.text;
          EXPECT_TRUE(out == truth) << count << " on " << size;
        }
      }
    });
  }
}

// Gloo's header.
struct Header {
  uint64_t all, kind, slot, offset, length, there;
};
constexpr uint64_t kHeader = sizeof(Header);
// Where a transfer with this tag goes.
constexpr uint64_t SlotOf(uint64_t tag) { return tag | uint64_t{1} << 63; }

// What the system has taken from a rank reaches the peer, which reads it later.
TEST(Transport, ARankThatIsDoneTakesNothingBack) {
  constexpr size_t kBytes = size_t{128} << 10;
  constexpr uint64_t kTag = 7;
  const auto [here, there] = ConnectedSockets();
  // Most of the bytes wait on the side of the sender.
  const int much = 4 * kBytes, little = 4096;
  ASSERT_EQ(setsockopt(here, SOL_SOCKET, SO_SNDBUF, &much, sizeof(much)), 0);
  ASSERT_EQ(setsockopt(there, SOL_SOCKET, SO_RCVBUF, &little, sizeof(little)), 0);
  std::vector<char> sent = Pattern(1, kBytes);
  {
    Rank rank(0, {-1, here});
    // The peer is ready to receive (Gloo's message of kind 3).
    const Header ready = {kHeader, 3, SlotOf(kTag), 0, kBytes, 0};
    ASSERT_EQ(send(there, &ready, sizeof(ready), 0), static_cast<ssize_t>(sizeof(ready)));
    const AclimbPiece piece = {1, sent.data(), kBytes, kTag};
    const AclimbTransportCall call = rank.Call(1);
    ASSERT_EQ(Transport().transfer(rank.mesh, &call, &piece, 1, nullptr, 0), 0) << rank.error.text;
  }
  std::string come;
  char part[4096];
  ssize_t got = 0;
  while ((got = recv(there, part, sizeof(part), 0)) > 0)
    come.append(part, static_cast<size_t>(got));
  EXPECT_EQ(got, 0) << std::strerror(errno);
  ASSERT_GE(come.size(), kBytes);
  EXPECT_EQ(come.substr(come.size() - kBytes), std::string(sent.begin(), sent.end()));
  close(there);
}

// Whatever the thread that waits is about then: it sleeps until something comes.
TEST(Transport, AnAbortEndsAWait) {
  const auto [here, there] = ConnectedSockets();
  Rank rank(0, {-1, here});
  char byte = 0, announced[kHeader];
  const AclimbPiece receive = {1, &byte, 1, 7};
  std::thread waiting([&] {
    const AclimbTransportCall call = rank.Call(1);
    EXPECT_NE(Transport().transfer(rank.mesh, &call, nullptr, 0, &receive, 1), 0);
    EXPECT_EQ(rank.error.cause, ACLIMB_TRANSPORT_ENDED) << rank.error.text;
  });
  EXPECT_EQ(recv(there, announced, sizeof(announced), MSG_WAITALL),
            static_cast<ssize_t>(sizeof(announced)));
  std::this_thread::sleep_for(milliseconds(20));
  Transport().abort(rank.mesh);
  waiting.join();
  close(there);
}

TEST(Transport, EachFailureHasItsCause) {
  OnRanks(2, [&](Rank& rank) {
    char byte = 0;
    const AclimbPiece receive = {1 - rank.rank, &byte, 1, 3};
    const auto wait = [&](milliseconds time) {
      const AclimbTransportCall call = rank.Call(1, time);
      EXPECT_NE(Transport().transfer(rank.mesh, &call, nullptr, 0, &receive, 1), 0);
      return rank.error.cause;
    };
    if (rank.rank == 0) {
      EXPECT_EQ(wait(milliseconds(50)), ACLIMB_TRANSPORT_TIME) << rank.error.text;
      return;
    }
    // The other one closes its connections when its time is up.
    EXPECT_EQ(wait(kLong), ACLIMB_TRANSPORT_CONNECTION) << rank.error.text;
    Transport().abort(rank.mesh);
    EXPECT_EQ(wait(kLong), ACLIMB_TRANSPORT_ENDED) << rank.error.text;
  });
}

// The sockets are the mesh's from the beginning.
TEST(Transport, AMeshThatCannotBeMadeClosesItsSockets) {
  const AclimbTransport& transport = Transport();  // loading it allocates too
  enum class Failure { kFirstAllocation, kSecondAllocation, kSocket };
  for (const Failure failure :
       {Failure::kFirstAllocation, Failure::kSecondAllocation, Failure::kSocket}) {
    const auto [first, second] = ConnectedSockets();
    const auto [third, fourth] = ConnectedSockets();
    const bool memory = failure != Failure::kSocket;
    const int unconnected = socket(AF_INET, SOCK_STREAM, 0);
    const int sockets[] = {-1, memory ? first : unconnected, third};
    const AclimbMeshConfig config = {0, 3, sockets, "127.0.0.1"};
    AclimbMesh* mesh = nullptr;
    AclimbTransportError error = {};
    if (memory) allocations_left = static_cast<size_t>(failure);
    const int failed = transport.make(&config, &mesh, &error);
    allocations_left = SIZE_MAX;
    EXPECT_EQ(failed, 1);
    EXPECT_EQ(error.cause, memory ? ACLIMB_TRANSPORT_MEMORY : ACLIMB_TRANSPORT_CONNECTION)
        << error.text;
    for (const int each : {sockets[1], sockets[2]}) EXPECT_EQ(fcntl(each, F_GETFD), -1);
    for (const int each : {memory ? unconnected : first, second, fourth}) close(each);
  }
}

// Gloo's header has six numbers: all bytes, the kind of the message, its slot, offset, bytes of
// data and offset there.
std::string Garbage(std::mt19937_64* random) {
  constexpr uint64_t kNumbers[] = {
      0, 1, 2, 3, 48, 50, 1000, uint64_t{1} << 32, uint64_t{1} << 63, ~uint64_t{0}};
  std::string bytes;
  const uint64_t messages = 1 + (*random)() % 4, kind = (*random)() % 3;
  for (uint64_t i = 0; i < messages; ++i) {
    for (int number = 0; number < 6; ++number) {
      uint64_t value = (*random)();
      if (kind != 0) value = kNumbers[value % std::size(kNumbers)];
      if (kind == 2 && number == 1) value %= 4;
      bytes.append(reinterpret_cast<const char*>(&value), sizeof(value));
    }
    bytes.append((*random)() % 300, static_cast<char>((*random)()));
  }
  return bytes;
}

// What is no message, or one that nobody expects, ends its connection at most: the process lives
// and the other connections carry data.
TEST(Transport, GarbageHarmsItsConnectionAlone) {
  constexpr uint32_t kPeers = 20, kFirst = 2;  // that send garbage to rank 0
  constexpr size_t kBytes = 50;
  for (uint32_t seed = 0; seed < 30; ++seed) {
    std::mt19937_64 random(seed);
    std::vector<int> of_first(kFirst + kPeers, -1), of_second(kFirst + kPeers, -1), others;
    std::tie(of_first[1], of_second[0]) = ConnectedSockets();
    for (std::vector<int>* each : {&of_first, &of_second}) {
      for (uint32_t peer = kFirst; peer < kFirst + kPeers; ++peer) {
        const auto [here, there] = ConnectedSockets();
        (*each)[peer] = here;
        others.push_back(there);
      }
    }
    Rank first(0, of_first), second(1, of_second);
    // Some of the garbage may meet a receive: the slots of these tags are in it.
    std::thread waiting([&] {
      std::vector<char> come(kPeers * kBytes);
      std::vector<AclimbPiece> receives;
      for (uint32_t i = 0; i < kPeers; ++i) {
        receives.push_back({kFirst + i, &come[i * kBytes], kBytes, i % 2 == 0 ? 0 : ~uint64_t{0}});
      }
      const AclimbTransportCall call = first.Call(1);
      const int failed =
          Transport().transfer(first.mesh, &call, nullptr, 0, receives.data(), receives.size());
      EXPECT_TRUE(failed == 0 || first.error.cause == ACLIMB_TRANSPORT_CONNECTION)
          << first.error.text;
    });
    for (uint32_t i = 0; i < kPeers; ++i) {
      const std::string bytes = Garbage(&random);
      EXPECT_EQ(send(others[i], bytes.data(), bytes.size(), MSG_NOSIGNAL),
                static_cast<ssize_t>(bytes.size()));
      // Some end with a reset.
      const linger reset = {static_cast<int>(i % 2), 0};
      setsockopt(others[i], SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
      close(others[i]);
    }
    waiting.join();
    const std::vector<char> sent = Pattern(seed, kBytes);
    std::vector<char> come(kBytes);
    const AclimbPiece send = {0, const_cast<char*>(sent.data()), kBytes, 7};
    const AclimbPiece receive = {1, come.data(), kBytes, 7};
    std::thread sending([&] {
      const AclimbTransportCall call = second.Call(2);
      EXPECT_EQ(Transport().transfer(second.mesh, &call, &send, 1, nullptr, 0), 0)
          << second.error.text;
    });
    const AclimbTransportCall call = first.Call(2);
    EXPECT_EQ(Transport().transfer(first.mesh, &call, nullptr, 0, &receive, 1), 0)
        << first.error.text;
    sending.join();
    EXPECT_TRUE(come == sent);
    for (uint32_t i = kPeers; i < others.size(); ++i) close(others[i]);
  }
}

// Every header that Gloo does not send here, to a rank that waits for 50 bytes; the connection
// stays open. It is seen at the header's last byte.
TEST(Transport, AMessageThatNobodyExpectsEndsItsConnection) {
  constexpr uint64_t kBytes = 50, kSlot = SlotOf(7);
  for (const Header& header :
       {Header{kHeader + kBytes, 0, kSlot, 0, kBytes, 0}, Header{kHeader, 4, kSlot, 0, 0, 0},
        Header{kHeader, uint64_t{1} << 32 | 2, kSlot, 0, kBytes, 0},
        Header{kHeader, 1, kSlot, 0, 0, 0},
        Header{kHeader + kBytes - 1, 1, kSlot, 0, kBytes - 1, 0},
        Header{kHeader + kBytes + 1, 1, kSlot, 0, kBytes + 1, 0},
        Header{kHeader, 1, kSlot, 0, kBytes, 0}, Header{kHeader + 1, 2, kSlot, 0, kBytes, 0},
        Header{kHeader + 1, 3, kSlot, 0, kBytes, 0},
        Header{kHeader + kBytes, 1, kSlot + 1, 0, kBytes, 0}}) {
    const auto [here, there] = ConnectedSockets();
    Rank rank(0, {-1, here});
    std::vector<char> come(kBytes);
    const AclimbPiece receive = {1, come.data(), kBytes, 7};
    std::thread waiting([&, end = there] {
      // The receive has begun when it is announced.
      char announced[kHeader];
      EXPECT_EQ(recv(end, announced, sizeof(announced), MSG_WAITALL),
                static_cast<ssize_t>(sizeof(announced)));
      EXPECT_EQ(send(end, &header, sizeof(header), MSG_NOSIGNAL),
                static_cast<ssize_t>(sizeof(header)));
    });
    const AclimbTransportCall call = rank.Call(1, milliseconds(5000));
    EXPECT_NE(Transport().transfer(rank.mesh, &call, nullptr, 0, &receive, 1), 0);
    EXPECT_EQ(rank.error.cause, ACLIMB_TRANSPORT_CONNECTION)
        << rank.error.text << ", kind " << header.kind << ", length " << header.length;
    waiting.join();
    close(there);
  }
}

// While garbage comes, the connections are closed from another thread.
TEST(Transport, GarbageMeetsAbortAndDestroy) {
  constexpr uint32_t kPeers = 6;
  const std::string garbage(48, '\xff');
  for (int round = 0; round < 16; ++round) {
    std::vector<int> sockets(1 + kPeers, -1), others;
    for (uint32_t peer = 1; peer <= kPeers; ++peer) {
      int there = -1;
      std::tie(sockets[peer], there) = ConnectedSockets();
      others.push_back(there);
    }
    auto rank = std::make_unique<Rank>(0, sockets);
    std::thread aborting([&] {
      if (round % 2 == 0) Transport().abort(rank->mesh);
      rank.reset();
    });
    for (const int other : others) {
      // The other end may be closed by now.
      (void)send(other, garbage.data(), garbage.size(), MSG_NOSIGNAL);
    }
    aborting.join();
    for (const int other : others) close(other);
  }
}

}  // namespace
