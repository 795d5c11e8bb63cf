// The transport's own promises, between ranks that are threads.

#include "aclimb/collectives/transport.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <cstring>
#include <functional>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

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

// Where ranks that are threads tell each other their addresses.
class Board {
 public:
  // Looks at a rank's addresses before the others have them.
  using Look = std::function<void(uint32_t rank, const char* pieces, size_t bytes)>;

  explicit Board(uint32_t size, Look look = {}) : look_(std::move(look)), pieces_(size) {}

  int Exchange(uint32_t rank, const char* pieces, size_t bytes, char* theirs) {
    if (look_) look_(rank, pieces, bytes);
    std::vector<char> mine(pieces, pieces + bytes * pieces_.size());
    std::unique_lock<std::mutex> lock(mutex_);
    pieces_[rank] = std::move(mine);
    ++come_;
    changed_.notify_all();
    changed_.wait(lock, [this] { return come_ == pieces_.size(); });
    for (size_t from = 0; from < pieces_.size(); ++from) {
      std::memcpy(theirs + from * bytes, pieces_[from].data() + rank * bytes, bytes);
    }
    return 0;
  }

 private:
  const Look look_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::vector<char>> pieces_;
  size_t come_ = 0;
};

struct Rank {
  uint32_t rank = 0;
  Board* board = nullptr;
  AclimbMesh* mesh = nullptr;
  AclimbTransportError error = {};

  int Connect(uint32_t size, milliseconds time) {
    const AclimbMeshConfig config = {
        rank,
        size,
        "127.0.0.1",
        In(time),
        [](void* self, const char* pieces, size_t bytes, char* theirs) {
          auto* const mine = static_cast<Rank*>(self);
          return mine->board->Exchange(mine->rank, pieces, bytes, theirs);
        },
        this};
    return Transport().connect(&config, &mesh, &error);
  }
  AclimbTransportCall Call(uint64_t tag, milliseconds time = kLong) {
    return {tag, In(time), &error};
  }
};

// Each rank on a thread, connected.
void OnRanks(uint32_t size, const std::function<void(Rank&)>& body) {
  Board board(size);
  std::vector<std::thread> threads;
  for (uint32_t r = 0; r < size; ++r) {
    threads.emplace_back([&, r] {
      Rank rank{r, &board, nullptr, {}};
      ASSERT_EQ(rank.Connect(size, kLong), 0) << rank.error.text;
      body(rank);
      Transport().destroy(rank.mesh);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

std::vector<char> Pattern(uint32_t seed, size_t bytes) {
  std::vector<char> data(bytes);
  std::minstd_rand random(seed + 1);
  for (char& byte : data) byte = static_cast<char>(random());
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

// Somebody is at the port of each rank before the other one is. He gets no data and gives none: the
// ranks do not come together, and say whose port it was.
TEST(Transport, AStrangerAtThePortKeepsRanksApart) {
  std::vector<int> strangers(2, -1);
  Board board(2, [&](uint32_t rank, const char* pieces, size_t bytes) {
    // A length, and then Gloo's bytes, which begin with the socket's address.
    sockaddr_in address;
    std::memcpy(&address, pieces + (1 - rank) * bytes + 1, sizeof(address));
    ASSERT_EQ(address.sin_family, AF_INET);
    strangers[rank] = socket(AF_INET, SOCK_STREAM, 0);
    ASSERT_EQ(
        connect(strangers[rank], reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
  });
  std::vector<std::thread> threads;
  for (uint32_t r = 0; r < 2; ++r) {
    threads.emplace_back([&, r] {
      Rank rank{r, &board, nullptr, {}};
      ASSERT_NE(rank.Connect(2, milliseconds(1000)), 0);
      EXPECT_TRUE(rank.error.cause == ACLIMB_TRANSPORT_CONNECTION ||
                  rank.error.cause == ACLIMB_TRANSPORT_TIME)
          << rank.error.cause << " " << rank.error.text;
      EXPECT_NE(std::strstr(rank.error.text, r == 0 ? "rank 1" : "rank 0"), nullptr)
          << rank.error.text;
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const int stranger : strangers) close(stranger);
}

}  // namespace
