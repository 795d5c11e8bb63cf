// The place where ranks meet: what it takes from whom, and what it tells.

#include "aclimb/collectives/hub.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <future>
#include <mutex>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "aclimb/collectives/link.h"
#include "aclimb/collectives/used_tokens.h"
#include "tests/support/free_ports.h"
#include "tests/support/in_time.h"

namespace {

// No allocation is larger, as if memory ran out.
std::atomic<size_t> largest_allocation{SIZE_MAX};

}  // namespace

// The compiler sees that the other one frees what malloc returned.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"
void* operator new(size_t bytes) {
  void* const memory = bytes <= largest_allocation ? std::malloc(bytes) : nullptr;
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }

namespace aclimb::collectives {
namespace {

using Clock = std::chrono::steady_clock;

// What a channel hears of the other ranks.
class Listener final : public Watcher {
 public:
  void RankGone(uint32_t rank, const std::string&) override { Note("gone", rank); }
  void RankLeft(uint32_t rank) override { Note("left", rank); }
  void RankFailed(uint32_t rank, uint32_t code, const std::string& what) override {
    Note("failed " + std::to_string(code) + " " + what, rank);
  }
  Stand WhereItStands() override { return {}; }

  // The first that it hears.
  std::string Await() {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait_for(lock, std::chrono::seconds(60), [this] { return !heard_.empty(); });
    return heard_;
  }

 private:
  void Note(const std::string& what, uint32_t rank) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (heard_.empty()) heard_ = "rank " + std::to_string(rank) + " " + what;
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::string heard_;
};

// While it lives, the process gets no descriptor.
class NoDescriptorLeft {
 public:
  NoDescriptorLeft() {
    EXPECT_EQ(getrlimit(RLIMIT_NOFILE, &before_), 0);
    const int lowest = dup(0);
    close(lowest);
    rlimit limit = before_;
    limit.rlim_cur = static_cast<rlim_t>(lowest);
    EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
  }
  ~NoDescriptorLeft() { EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &before_), 0); }

 private:
  rlimit before_ = {};
};

class HubTest : public ::testing::Test {
 protected:
  using LinkResult = Result<std::shared_ptr<Link>>;

  void Start() {
    settings_.address = "127.0.0.1";
    Result<Token> token = Hub::Start(settings_);
    ASSERT_TRUE(token.ok()) << token.status().refusal().what;
    token_ = token.value();
    ASSERT_TRUE(ParseEndpoint(token_.address, token_.port, &root_));
  }
  // Ranks 0 to count - 1, of `size`.
  std::vector<std::shared_ptr<Link>> Join(uint32_t count, uint32_t size) {
    std::vector<std::future<LinkResult>> joins;
    for (uint32_t rank = 0; rank < count; ++rank) {
      joins.push_back(std::async(std::launch::async, [this, rank, size] {
        return Link::Join(token_, size, rank, In(60));
      }));
    }
    std::vector<std::shared_ptr<Link>> links;
    for (auto& join : joins) {
      LinkResult link = join.get();
      EXPECT_TRUE(link.ok()) << link.status().refusal().what;
      links.push_back(link.ok() ? std::move(link.value()) : nullptr);
    }
    return links;
  }
  static Clock::time_point In(int seconds) { return Clock::now() + std::chrono::seconds(seconds); }
  // A rank that speaks for itself.
  Socket Speak(uint32_t rank, uint32_t size) {
    Socket made;
    EXPECT_TRUE(Connect(root_, In(60), &made).ok());
    std::string hello = Encode(FrameType::kHello, ByteWriter()
                                                      .Add(token_.secret)
                                                      .Number(size)
                                                      .Number(rank)
                                                      .Text(ByteWriter().Add(Secret{}).Take())
                                                      .Take());
    EXPECT_TRUE(SendSome(made, &hello));
    return made;
  }
  // What those are told that join too late, once it is too late.
  TooLate AwaitEnd() {
    const auto end = In(30);
    std::optional<TooLate> found;
    while (!(found = FindUsed(token_.secret)) && Clock::now() < end) usleep(1000);
    EXPECT_TRUE(found.has_value());
    return found.value_or(TooLate());
  }
  // The body of the next frame of that type; a frame of another version is none.
  static std::string Await(const Socket& socket, FrameParser* parser, FrameType type,
                           uint16_t version = kProtocolVersion) {
    const auto end = In(30);
    for (std::string bytes; Clock::now() < end; bytes.clear()) {
      while (const std::optional<Frame> frame = parser->Next()) {
        if (frame->type == type && frame->version == version) return frame->body;
      }
      if (ReceiveSome(socket, &bytes) == Received::kNothing) usleep(1000);
      parser->Append(bytes);
    }
    ADD_FAILURE() << "no such frame came";
    return "";
  }
  // Whether the other side closes the connection.
  static bool Ends(const Socket& socket) {
    std::string bytes;
    Received received = Received::kNothing;
    for (const auto end = In(30); received == Received::kNothing && Clock::now() < end;) {
      received = ReceiveSome(socket, &bytes);
      usleep(1000);
    }
    return received == Received::kEnd;
  }

  Settings settings_;
  Token token_;
  Endpoint root_;
};

TEST_F(HubTest, ARankThatBringsTooMuchEndsAlone) {
  Start();
  // The third speaks for itself.
  Socket third = Speak(2, 3);
  const auto links = Join(2, 3);
  Listener listener;
  links[0]->Watch("channel", &listener);

  const std::string large = Encode(FrameType::kExchange, std::string(size_t{32} << 20, 'x'));
  largest_allocation = size_t{1} << 20;
  size_t sent = 0;
  std::string part;
  part.reserve(1 << 16);
  while (sent < large.size()) {
    part.assign(large, sent, 1 << 16);
    const size_t before = part.size();
    if (!SendSome(third, &part)) break;
    sent += before - part.size();
  }
  EXPECT_LT(sent, large.size()) << "all of it was read";
  EXPECT_EQ(listener.Await(), "rank 2 gone");
  largest_allocation = SIZE_MAX;
  // The others are as they were.
  EXPECT_TRUE(links[0]->Ask("channel", {0}).has_value());
  links[0]->Unwatch("channel");
}

// Ranks of different builds: who speaks another version is told so in its own, and so are those
// that have joined.
TEST_F(HubTest, ARankOfAnotherVersionIsRefused) {
  for (const int other : {kProtocolVersion - 1, kProtocolVersion + 1}) {
    const auto version = static_cast<uint16_t>(other);
    Start();
    auto first =
        std::async(std::launch::async, [this] { return Link::Join(token_, 3, 0, In(60)); });
    const auto speak = [this](uint32_t rank, uint16_t as, const std::string& more) {
      Socket made;
      EXPECT_TRUE(Connect(root_, In(60), &made).ok());
      const std::string hello = ByteWriter()
                                    .Add(token_.secret)
                                    .Number(uint32_t{3})
                                    .Number(rank)
                                    .Text(ByteWriter().Add(Secret{}).Take())
                                    .Take();
      std::string bytes = Encode(FrameType::kHello, hello + more, as);
      EXPECT_TRUE(SendSome(made, &bytes));
      return made;
    };
    const Socket second = speak(1, kProtocolVersion, "");
    FrameParser of_second, of_third;
    while (Await(second, &of_second, FrameType::kWaiting).find("2 of 3") == std::string::npos) {
      ASSERT_FALSE(HasFailure());
    }
    const Socket third = speak(2, version, "what only that version has");
    const std::string said = "rank 2 speaks version " + std::to_string(other);
    const std::string own = "the root version " + std::to_string(kProtocolVersion);
    std::vector<std::string> texts = {Await(third, &of_third, FrameType::kRefused, version),
                                      Await(second, &of_second, FrameType::kRefused)};
    EXPECT_TRUE(Ends(third));
    const LinkResult link = first.get();
    ASSERT_FALSE(link.ok());
    EXPECT_EQ(link.status().code(), HCCL_E_NOT_SUPPORT);
    texts.push_back(link.status().refusal().what);
    for (const std::string& text : texts) {
      EXPECT_NE(text.find(said), std::string::npos) << text;
      EXPECT_NE(text.find(own), std::string::npos) << text;
    }
  }
}

TEST_F(HubTest, OnlyWhomTheWhitelistNames) {
  const std::string file = ::testing::TempDir() + "/whitelist." + std::to_string(getpid());
  std::ofstream(file) << R"({"host_ip": ["127.0.0.3"]})";
  settings_.whitelist = file;
  Start();
  const auto from = [this](const char* address) {
    Endpoint own;
    EXPECT_TRUE(ParseEndpoint(address, 0, &own));
    Socket made(socket(AF_INET, SOCK_STREAM, 0));
    EXPECT_EQ(bind(made.descriptor(), reinterpret_cast<sockaddr*>(&own.address), own.bytes), 0);
    EXPECT_EQ(connect(made.descriptor(), reinterpret_cast<sockaddr*>(&root_.address), root_.bytes),
              0);
    return made;
  };
  const Socket stranger = from("127.0.0.2"), named = from("127.0.0.3");
  EXPECT_TRUE(Ends(stranger));
  // The other one stays: it is dropped for what it says, and no earlier.
  char byte = 0;
  EXPECT_EQ(recv(named.descriptor(), &byte, 1, MSG_DONTWAIT), -1);
  std::string nonsense = "nonsense";
  ASSERT_TRUE(SendSome(named, &nonsense));
  EXPECT_TRUE(Ends(named));
  Join(2, 2);
  unlink(file.c_str());
}

// Of many that say nothing the oldest make room.
TEST_F(HubTest, RanksComeThroughAFloodOfStrangers) {
  Start();
  std::vector<Socket> strangers(300);
  for (Socket& stranger : strangers) ASSERT_TRUE(Connect(root_, In(60), &stranger).ok());
  Join(2, 2);
  EXPECT_TRUE(Ends(strangers[0]));
}

// Who waits for a rank that does not come tells those that wait too.
TEST_F(HubTest, AnExchangeEndsForAllWhenTimeIsUpForOne) {
  Start();
  const auto links = Join(3, 3);
  const std::vector<uint32_t> ranks = {0, 1, 2};
  const std::vector<std::string> pieces(3, "piece");
  auto patient = std::async(std::launch::async,
                            [&] { return links[1]->Exchange("key", ranks, pieces, In(60)); });
  // Again where the other one came after the time was up.
  do {
    const auto hasty = links[0]->Exchange("key", ranks, pieces, In(1));
    EXPECT_EQ(hasty.status().code(), HCCL_E_TIMEOUT);
  } while (patient.wait_for(std::chrono::seconds(1)) != std::future_status::ready);
  const auto told = patient.get();
  EXPECT_EQ(told.status().code(), HCCL_E_TIMEOUT);
  EXPECT_NE(told.status().refusal().what.find("until its time was up"), std::string::npos)
      << told.status().refusal().what;
}

// Groups of one key may share a rank, which comes to one after the other.
TEST_F(HubTest, ExchangesOfOneKeyWaitSideBySide) {
  Start();
  const auto links = Join(3, 3);
  const std::vector<std::string> pieces(2, "piece");
  const auto join = [&](size_t rank, const std::vector<uint32_t>& ranks) {
    return links[rank]->Exchange("key", ranks, pieces, In(60)).ok();
  };
  auto first = std::async(std::launch::async, [&] { return join(0, {0, 1}); });
  auto second = std::async(std::launch::async, [&] { return join(2, {1, 2}); });
  // Most often both wait by then; the result is the same otherwise.
  usleep(100 * 1000);
  EXPECT_TRUE(join(1, {0, 1}));
  EXPECT_TRUE(join(1, {1, 2}));
  EXPECT_TRUE(first.get());
  EXPECT_TRUE(second.get());
}

// Of one key: two at once of one rank, and one after another that was given up.
TEST_F(HubTest, AnAnswerIsOfItsExchange) {
  Start();
  const auto links = Join(3, 3);
  const auto join = [&](size_t rank, const std::vector<uint32_t>& ranks, Clock::time_point until) {
    const std::vector<std::string> pieces(2, "of " + std::to_string(rank));
    return links[rank]->Exchange("key", ranks, pieces, until);
  };
  EXPECT_EQ(join(0, {0, 1}, Clock::now()).status().code(), HCCL_E_TIMEOUT);
  // The hub has heard of that before rank 1 comes.
  EXPECT_TRUE(links[0]->Ask("channel", {0}).has_value());
  std::vector<std::future<Result<Link::Exchanged>>> joins;
  for (const uint32_t other : {1, 2}) {
    for (const uint32_t rank : {uint32_t{0}, other}) {
      joins.push_back(
          std::async(std::launch::async, join, rank, std::vector<uint32_t>{0, other}, In(60)));
    }
  }
  std::vector<Link::Exchanged> made;
  for (auto& each : joins) {
    auto exchanged = each.get();
    ASSERT_TRUE(exchanged.ok()) << exchanged.status().refusal().what;
    made.push_back(std::move(exchanged.value()));
  }
  for (size_t i = 0; i < made.size(); ++i) {
    const std::vector<std::string> expected = {"of 0", i < 2 ? "of 1" : "of 2"};
    EXPECT_EQ(made[i].pieces, expected) << i;
    EXPECT_EQ(made[i].number, made[i / 2 * 2].number) << i;
  }
  EXPECT_NE(made[0].number, made[2].number);
}

// Who comes later to one of the two is told, and the next group has the same key.
TEST_F(HubTest, ADisagreementEndsBothExchanges) {
  Start();
  const auto links = Join(3, 3);
  const auto join = [&](size_t rank, const std::vector<uint32_t>& ranks) {
    return std::async(std::launch::async, [&links, rank, ranks] {
      return links[rank]
          ->Exchange("key", ranks, std::vector<std::string>(ranks.size()), In(60))
          .TakeStatus();
    });
  };
  auto first = join(0, {0, 1, 2}), second = join(1, {0, 1});
  for (auto* const each : {&first, &second}) EXPECT_EQ(each->get().code(), HCCL_E_PARA);
  EXPECT_EQ(join(2, {0, 1, 2}).get().code(), HCCL_E_PARA);
  std::vector<std::future<Status>> again;
  for (size_t rank = 0; rank < 3; ++rank) again.push_back(join(rank, {0, 1, 2}));
  for (auto& each : again) EXPECT_TRUE(each.get().ok());
}

// A root that hands on less than it should: the ranks read nothing that is not there.
TEST_F(HubTest, AnExchangeWithPiecesMissingIsRefused) {
  Endpoint any, from;
  ASSERT_TRUE(ParseEndpoint("127.0.0.1", 0, &any));
  const Socket listener = Listen(any);
  token_ = {"127.0.0.1", PortOf(LocalEndpoint(listener)), DrawSecret(), Secret()};
  auto join = std::async(std::launch::async, [this] { return Link::Join(token_, 2, 0, In(60)); });
  Socket come;
  while (!come) come = Accept(listener, &from);
  const std::string member = ByteWriter().Add(Secret{}).Take();
  std::string said = Encode(FrameType::kWelcome, ByteWriter().Text(member).Text(member).Take());
  ASSERT_TRUE(SendSome(come, &said));
  const LinkResult link = join.get();
  ASSERT_TRUE(link.ok()) << link.status().refusal().what;
  auto exchange = std::async(std::launch::async, [&] {
    return link.value()->Exchange("key", {0, 1}, {"a", "b"}, In(60));
  });
  FrameParser parser;
  parser.Trust();
  Await(come, &parser, FrameType::kExchange);
  said = Encode(FrameType::kExchanged,
                ByteWriter().Number(uint64_t{1}).Number(uint64_t{1}).Text("piece").Take());
  ASSERT_TRUE(SendSome(come, &said));
  const auto pieces = exchange.get();
  come.Close();
  ASSERT_FALSE(pieces.ok());
  EXPECT_EQ(pieces.status().code(), HCCL_E_INTERNAL);
  EXPECT_NE(pieces.status().refusal().what.find("expected 2 ranks"), std::string::npos)
      << pieces.status().refusal().what;
}

// A rank may fail before another has made its communicator.
TEST_F(HubTest, AFailureWaitsForWhoHearsIt) {
  Start();
  const auto links = Join(2, 2);
  links[0]->TellFailure("channel", HCCL_E_PARA, "why");
  // What comes behind it has been heard.
  const std::vector<std::string> pieces(2, "piece");
  auto other = std::async(std::launch::async, [&] {
    return links[1]->Exchange("key", {0, 1}, pieces, In(60));
  });
  ASSERT_TRUE(links[0]->Exchange("key", {0, 1}, pieces, In(60)).ok());
  ASSERT_TRUE(other.get().ok());
  Listener late;
  links[1]->Watch("channel", &late);
  EXPECT_EQ(late.Await(), "rank 0 failed 1 why");
  links[1]->Unwatch("channel");
}

// So that nobody waits for it.
TEST_F(HubTest, WhoWatchesLateHearsWhoHasLeft) {
  Start();
  auto links = Join(2, 2);
  Listener early, late;
  links[0]->Watch("early", &early);
  links[1].reset();
  EXPECT_EQ(early.Await(), "rank 1 left");
  links[0]->Watch("late", &late);
  EXPECT_EQ(late.Await(), "rank 1 left");
  links[0]->Unwatch("early");
  links[0]->Unwatch("late");
}

// Rank 0 of the next group listens at the same one.
TEST_F(HubTest, ThePortOfATableIsFreeWhenTheRanksAreTold) {
  token_ = {"127.0.0.1", testing::FreePorts(1), DrawSecret(), Secret()};
  ASSERT_TRUE(ParseEndpoint(token_.address, token_.port, &root_));
  Socket rank;
  for (int group = 0; group < 100; ++group) {
    const Status started = Hub::StartAt(token_, settings_);
    ASSERT_TRUE(started.ok()) << "group " << group << ": " << started.refusal().what;
    if (rank) {
      // Who ends a connection first keeps its port busy for a while: not this side.
      std::string leave = Encode(FrameType::kLeave, {});
      EXPECT_TRUE(SendSome(rank, &leave));
      EXPECT_TRUE(Ends(rank));
    }
    rank = Speak(0, 1);
    std::string welcome;
    while (ReceiveSome(rank, &welcome) == Received::kNothing) std::this_thread::yield();
    EXPECT_FALSE(welcome.empty());
  }
}

// A rank of another process finds the port open for a while, one of this process needs none.
TEST_F(HubTest, WhoComesTooLateIsToldWhy) {
  Start();
  const auto links = Join(2, 2);
  const auto expect = [this](uint32_t size, int code, const std::string& part) {
    const Socket late = Speak(0, size);
    FrameParser parser;
    const std::string body = Await(late, &parser, FrameType::kRefused);
    ByteReader reader(body);
    EXPECT_EQ(reader.Number<uint32_t>(), static_cast<uint32_t>(code));
    EXPECT_NE(reader.Text().find(part), std::string::npos) << body;
    const LinkResult link = Link::Join(token_, size, 0, In(60));
    ASSERT_FALSE(link.ok());
    EXPECT_EQ(link.status().code(), code);
    EXPECT_NE(link.status().refusal().what.find(part), std::string::npos)
        << link.status().refusal().what;
  };
  expect(2, HCCL_E_PARA, "all 2 ranks have joined already");
  Start();
  const LinkResult wrong = Link::Join(token_, 100000, 0, In(60));
  ASSERT_FALSE(wrong.ok());
  EXPECT_EQ(wrong.status().code(), HCCL_E_PARA);
  EXPECT_NE(wrong.status().refusal().what.find("nRanks = 100000"), std::string::npos)
      << wrong.status().refusal().what;
  expect(3, HCCL_E_PARA, "failed to come together before: rank 0 passed nRanks = 100000");
}

// Nobody joins: the port is given back.
TEST_F(HubTest, EndsWhenNobodyComes) {
  settings_.connect_timeout = std::chrono::seconds(0);
  Start();
  EXPECT_EQ(AwaitEnd().code, static_cast<uint32_t>(HCCL_E_TIMEOUT));
  int error = 0;
  for (const auto end = In(30); error == 0 && Clock::now() < end; usleep(10000)) {
    Socket late;
    error = TryConnect(root_, std::chrono::seconds(30), &late);
  }
  EXPECT_EQ(error, ECONNREFUSED);
}

// In a process of its own: the hubs of other tests may close descriptors meanwhile.
TEST_F(HubTest, WithoutADescriptorTheRanksThatWaitAreTold) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  const auto run = [this](bool waiting) {
    Start();
    Socket rank;
    FrameParser parser;
    if (waiting) {
      rank = Speak(0, 2);
      Await(rank, &parser, FrameType::kWaiting);
    }
    const Socket comes(socket(AF_INET, SOCK_STREAM, 0));
    {
      const NoDescriptorLeft none;
      EXPECT_EQ(
          connect(comes.descriptor(), reinterpret_cast<sockaddr*>(&root_.address), root_.bytes), 0);
      EXPECT_EQ(AwaitEnd().code, static_cast<uint32_t>(HCCL_E_SYSCALL));
      // Who cannot be accepted keeps the thread from nothing, and it sleeps.
      const std::clock_t before = std::clock();
      usleep(500000);
      EXPECT_LT(std::clock() - before, CLOCKS_PER_SEC / 4);
    }
    const Socket late = Speak(1, 2);
    FrameParser of_late;
    Await(late, &of_late, FrameType::kRefused);
    if (waiting) Await(rank, &parser, FrameType::kRefused);
    std::fflush(stdout);
    _exit(HasFailure() ? 1 : 0);
  };
  EXPECT_EXIT(run(/*waiting=*/false), ::testing::ExitedWithCode(0), "");
  EXPECT_EXIT(run(/*waiting=*/true), ::testing::ExitedWithCode(0), "");
}

// Who asks where a rank stands that ends now has its answer at once.
TEST_F(HubTest, ARankThatEndsIsNotWaitedFor) {
  EXPECT_TRUE(testing::HoldsInTime(kAnswerTime, [this] {
    Start();
    Socket third = Speak(2, 3);
    const auto links = Join(2, 3);
    FrameParser parser;
    const auto start = Clock::now();
    auto asked = std::async(std::launch::async, [&] {
      return links[0]->Ask("channel", {0, 1, 2});
    });
    Await(third, &parser, FrameType::kAsk);
    third.Close();
    const auto stands = asked.get();
    return Clock::now() - start < kAnswerTime && stands && !stands->empty() &&
           stands->back().rank == 2 && !stands->back().answered;
  }));
}

// The observer of a communicator asks, and so does its worker after a failure.
TEST_F(HubTest, EachOfTwoThatAskForOneChannelHasItsAnswer) {
  Start();
  const auto links = Join(2, 2);
  const auto ask = [&] {
    bool answered = true;
    for (int i = 0; i < 100 && answered; ++i)
      answered = links[0]->Ask("channel", {0, 1}).has_value();
    return answered;
  };
  auto other = std::async(std::launch::async, ask);
  EXPECT_TRUE(ask());
  EXPECT_TRUE(other.get());
}

}  // namespace
}  // namespace aclimb::collectives
