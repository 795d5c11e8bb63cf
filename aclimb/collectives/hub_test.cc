// The place where ranks meet: what it takes from whom, and what it tells.

#include "aclimb/collectives/hub.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <fstream>
#include <future>
#include <mutex>
#include <new>
#include <string>
#include <vector>

#include "aclimb/collectives/link.h"

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

class HubTest : public testing::Test {
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
  Socket third;
  ASSERT_TRUE(Connect(root_, In(60), &third).ok());
  std::string hello = Encode(FrameType::kHello, ByteWriter()
                                                    .Add(token_.secret)
                                                    .Number(uint32_t{3})
                                                    .Number(uint32_t{2})
                                                    .Text(ByteWriter().Add(Secret{}).Take())
                                                    .Take());
  ASSERT_TRUE(SendSome(third, &hello));
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
  const std::string file = testing::TempDir() + "/whitelist." + std::to_string(getpid());
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
                            [&] { return links[1]->Exchange("key", ranks, pieces, In(600)); });
  const auto hasty = links[0]->Exchange("key", ranks, pieces, In(1));
  EXPECT_EQ(hasty.status().code(), HCCL_E_TIMEOUT);
  const auto told = patient.get();
  EXPECT_EQ(told.status().code(), HCCL_E_TIMEOUT);
  EXPECT_NE(told.status().refusal().what.find("until its time was up"), std::string::npos)
      << told.status().refusal().what;
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
  std::string said = Encode(FrameType::kWelcome, ByteWriter().Text(member).Text(member).Take()) +
                     Encode(FrameType::kExchanged, ByteWriter().Text("key").Text("piece").Take());
  ASSERT_TRUE(SendSome(come, &said));
  const LinkResult link = join.get();
  ASSERT_TRUE(link.ok()) << link.status().refusal().what;
  const auto pieces = link.value()->Exchange("key", {0, 1}, {"a", "b"}, In(60));
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

}  // namespace
}  // namespace aclimb::collectives
