// The bytes of all that ranks say to each other and to the hub, written out. Other builds have to
// read them: who changes one of them raises kProtocolVersion, and writes the new ones here.

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "aclimb/collectives/bytes.h"
#include "aclimb/collectives/hub.h"
#include "aclimb/collectives/link.h"
#include "aclimb/collectives/peers.h"
#include "hccl/hccl_types.h"
#include "tests/support/in_time.h"

namespace aclimb::collectives {
namespace {

static_assert(kProtocolVersion == 3, "the bytes below are those of version 3");

using Clock = std::chrono::steady_clock;
Clock::time_point In(int seconds) { return Clock::now() + std::chrono::seconds(seconds); }

std::string Hex(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) {
    text += "0123456789abcdef"[static_cast<uint8_t>(byte) >> 4];
    text += "0123456789abcdef"[static_cast<uint8_t>(byte) & 15];
  }
  return text;
}
std::string Hex(const Secret& secret) { return Hex(ByteWriter().Add(secret).Take()); }
std::string WithoutSpaces(std::string text) {
  std::erase(text, ' ');
  return text;
}
std::string Bytes(const std::string& hex) {
  const std::string digits = WithoutSpaces(hex);
  std::string bytes;
  for (size_t i = 0; i < digits.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
  }
  return bytes;
}

void Say(const Socket& socket, const std::string& hex) {
  std::string bytes = Bytes(hex);
  EXPECT_TRUE(SendSome(socket, &bytes));
  EXPECT_TRUE(bytes.empty());
}
// The next bytes that come.
std::string Await(const Socket& socket, size_t bytes) {
  std::string come;
  for (const auto end = In(30); come.size() < bytes && Clock::now() < end;) {
    const Received got = ReceiveSome(socket, &come, bytes - come.size());
    if (got == Received::kEnd) break;
    if (got == Received::kNothing) usleep(1000);
  }
  return Hex(come);
}
// As many as are expected.
void Expect(const Socket& socket, const std::string& hex) {
  const std::string expected = WithoutSpaces(hex);
  EXPECT_EQ(Await(socket, expected.size() / 2), expected);
}

Endpoint Loopback(uint16_t port) {
  Endpoint endpoint;
  EXPECT_TRUE(ParseEndpoint("127.0.0.1", port, &endpoint));
  return endpoint;
}
Socket AwaitGuest(const Socket& listener) {
  Socket come;
  Endpoint from;
  for (const auto end = In(30); !come && Clock::now() < end; usleep(1000)) {
    come = Accept(listener, &from);
  }
  return come;
}

// Each begins with "ACHB", its type, the version and the bytes behind that. What ranks say:
// All but the secret of the join, which is drawn.
std::string HelloFrame(const Secret& group, uint32_t size, uint32_t rank, const Secret& process) {
  const std::string numbers = Hex(ByteWriter().Number(size).Number(rank).Take());
  return "41434842 0100 0300 6c000000" + Hex(group) + numbers + "40000000" + Hex(process);
}
// "key", ranks 0 and 1, for them "a" and "bc".
std::string ExchangeFrame(const std::string& number) {
  return "41434842 0500 0300 26000000" + number +
         "03000000 6b6579 02000000 00000000 01000000 01000000 61 02000000 6263";
}
const std::string kFirst = "0100000000000000", kSecond = "0200000000000000";
// Of three ranks, with the number 2.
const std::string kExchangeOfThree =
    "41434842 0500 0300 2e000000 0200000000000000 03000000 6b6579 03000000 00000000 01000000"
    " 02000000 01000000 61 01000000 62 01000000 63";
// Rank 0, code 1, channel "ch", "why". The hub hands it on as it is.
const std::string kFailed =
    "41434842 0700 0300 15000000 00000000 01000000 02000000 6368 03000000 776879";
const std::string kLeave = "41434842 0800 0300 00000000";
// Channel "ch", ranks 0 and 1.
const std::string kAsk = "41434842 0b00 0300 12000000 02000000 6368 02000000 00000000 01000000";
// Channel "ch", question 1, call 7 with signature 8 and text "t", which sends 3 bytes to a rank as
// number 2.
std::string StandFrame(const std::string& peer, const std::string& question = kFirst) {
  return "41434842 0c00 0300 3c000000 02000000 6368 " + question +
         " 0700000000000000 "
         "0800000000000000 01000000 74"
         " 01000000 " +
         peer + " 01 0200000000000000 0300000000000000";
}
// Number 2, code 1, "why".
const std::string kExchangeFailed =
    "41434842 0e00 0300 13000000 0200000000000000 01000000 03000000 776879";
// What the hub says:
std::string WelcomeFrame(const std::vector<Secret>& processes, const std::vector<Secret>& joins) {
  std::string body;
  for (size_t rank = 0; rank < processes.size(); ++rank) {
    body += "40000000" + Hex(processes[rank]) + Hex(joins[rank]);
  }
  const auto bytes = static_cast<uint32_t>(body.size() / 2);
  return "41434842 0300 0300" + Hex(ByteWriter().Number(bytes).Take()) + body;
}
// Channel "ch", and which question it is.
std::string AskRankFrame(const std::string& question = kFirst) {
  return "41434842 0b00 0300 0e000000 02000000 6368 " + question;
}
// Channel "ch"; of rank 1 that it has answered, and what it did.
const std::string kStands =
    "41434842 0d00 0300 39000000 02000000 6368 01000000 01 0700000000000000 0800000000000000"
    " 01000000 74 01000000 00000000 01 0200000000000000 0300000000000000";

class Heard final : public Watcher {
 public:
  void RankGone(uint32_t rank, const std::string& why) override { Note("gone " + why, rank); }
  void RankLeft(uint32_t rank) override { Note("left", rank); }
  void RankFailed(uint32_t rank, uint32_t code, const std::string& what) override {
    Note("failed " + std::to_string(code) + " " + what, rank);
  }
  Stand WhereItStands() override { return {0, true, 7, 8, "t", {{1, true, 2, 3}}}; }

  std::string Await(const std::string& expected) {
    std::string all;
    for (const auto end = In(30); all != expected && Clock::now() < end; usleep(1000)) {
      const std::lock_guard<std::mutex> lock(mutex_);
      all = heard_;
    }
    return all;
  }

 private:
  void Note(const std::string& what, uint32_t rank) {
    const std::lock_guard<std::mutex> lock(mutex_);
    heard_ += std::to_string(rank) + " " + what + "; ";
  }
  std::mutex mutex_;
  std::string heard_;
};

TEST(Protocol, WhatARankSaysToTheHubAndHearsFromIt) {
  Secret group, other, join_of_other;
  group.fill(0x11);
  other.fill(0x22);
  join_of_other.fill(0x33);
  const Socket listener = Listen(Loopback(0));
  const Token token = {"127.0.0.1", PortOf(LocalEndpoint(listener)), group, Secret()};
  auto join = std::async(std::launch::async, [&] { return Link::Join(token, 2, 0, In(60)); });
  Socket hub = AwaitGuest(listener);
  Expect(hub, HelloFrame(group, 2, 0, ProcessSecret()));
  const std::string drawn = Await(hub, sizeof(Secret));
  EXPECT_EQ(drawn.size(), 2 * sizeof(Secret));
  Say(hub, WelcomeFrame({ProcessSecret(), other}, {Secret(), join_of_other}));
  Result<std::shared_ptr<Link>> joined = join.get();
  ASSERT_TRUE(joined.ok()) << joined.status().refusal().what;
  std::shared_ptr<Link> link = std::move(joined.value());
  ASSERT_EQ(link->members().size(), 2u);
  EXPECT_TRUE(Equal(link->members()[1].process, other));
  EXPECT_TRUE(Equal(link->members()[1].join, join_of_other));

  const auto exchange = [&] { return link->Exchange("key", {0, 1}, {"a", "bc"}, In(60)); };
  auto pieces = std::async(std::launch::async, exchange);
  Expect(hub, ExchangeFrame(kFirst));
  Say(hub,
      "41434842 0600 0300 1b000000 0100000000000000 0700000000000000 01000000 64"
      " 02000000 6566");
  const Link::Exchanged exchanged = pieces.get().value();
  EXPECT_EQ(exchanged.number, 7u);
  EXPECT_EQ(exchanged.pieces, (std::vector<std::string>{"d", "ef"}));
  auto none = std::async(std::launch::async, exchange);
  Expect(hub, ExchangeFrame(kSecond));
  Say(hub, kExchangeFailed);
  const Status failed = none.get().TakeStatus();
  EXPECT_EQ(failed.code(), 1);
  EXPECT_EQ(failed.refusal().what.substr(0, 4), "why;");

  Heard heard;
  link->Watch("ch", &heard);
  link->TellFailure("ch", 1, "why");
  Expect(hub, kFailed);
  Say(hub, "41434842 0700 0300 15000000 01000000 02000000 02000000 6368 03000000 776879");
  Say(hub, "41434842 0900 0300 04000000 01000000");
  Say(hub, "41434842 0a00 0300 0b000000 01000000 03000000 776879");
  const std::string all = "1 failed 2 why; 1 left; 1 gone why; ";
  EXPECT_EQ(heard.Await(all), all);

  auto asked = std::async(std::launch::async, [&] { return link->Ask("ch", {0, 1}); });
  Expect(hub, kAsk);
  Say(hub, AskRankFrame());
  Expect(hub, StandFrame("01000000"));
  Say(hub, kStands);
  const auto stands = asked.get();
  ASSERT_TRUE(stands.has_value() && stands->size() == 1 && (*stands)[0].flows.size() == 1);
  const collectives::Stand& stand = (*stands)[0];
  EXPECT_TRUE(stand.rank == 1 && stand.answered && stand.number == 7 && stand.signature == 8);
  EXPECT_TRUE(stand.text == "t" && stand.flows[0].number == 2 && stand.flows[0].bytes == 3);
  link->Unwatch("ch");
  auto leaves = std::async(std::launch::async, [&] { link.reset(); });
  Expect(hub, kLeave);
  // The others have been told when the hub ends the connection.
  EXPECT_EQ(leaves.wait_for(std::chrono::milliseconds(20)), std::future_status::timeout);
  hub.Close();
  leaves.get();
}

// A rank that knows the bytes alone.
struct Speaker {
  Socket socket;
  FrameParser parser;

  // The next frame of that type, as the bytes that came.
  std::string Await(FrameType type) {
    std::string bytes;
    for (const auto end = In(30); Clock::now() < end; bytes.clear()) {
      while (const std::optional<Frame> frame = parser.Next()) {
        if (frame->type == type) return Hex(Encode(type, frame->body, frame->version));
      }
      if (ReceiveSome(socket, &bytes) == Received::kNothing) usleep(1000);
      parser.Append(bytes);
    }
    return "nothing";
  }
};

TEST(Protocol, WhatTheHubSaysAndHears) {
  Settings settings;
  settings.address = "127.0.0.1";
  const Result<Token> token = Hub::Start(settings);
  ASSERT_TRUE(token.ok()) << token.status().refusal().what;
  std::vector<Secret> processes(3), joins(3);
  std::vector<Speaker> ranks(4);  // the last is one too many
  for (Speaker& each : ranks) {
    ASSERT_TRUE(Connect(Loopback(token.value().port), In(60), &each.socket).ok());
  }
  for (uint32_t rank = 0; rank < 3; ++rank) {
    processes[rank].fill(static_cast<uint8_t>(0x31 + rank));
    joins[rank].fill(static_cast<uint8_t>(0x41 + rank));
    Say(ranks[rank].socket,
        HelloFrame(token.value().secret, 3, rank, processes[rank]) + Hex(joins[rank]));
    if (rank == 2) continue;
    // A text alone.
    const std::string waiting = Bytes(ranks[rank].Await(FrameType::kWaiting));
    ByteReader reader(std::string_view(waiting).substr(12));
    EXPECT_NE(reader.Text(), "");
    EXPECT_TRUE(reader.Complete());
  }
  const auto expect = [&](uint32_t rank, FrameType type, const std::string& hex) {
    EXPECT_EQ(ranks[rank].Await(type), WithoutSpaces(hex)) << "rank " << rank;
  };
  for (uint32_t rank = 0; rank < 3; ++rank) {
    expect(rank, FrameType::kWelcome, WelcomeFrame(processes, joins));
  }
  Say(ranks[3].socket, HelloFrame(token.value().secret, 3, 0, Secret()) + Hex(Secret()));
  const std::string refused = Bytes(ranks[3].Await(FrameType::kRefused));
  ByteReader reader(std::string_view(refused).substr(12));
  EXPECT_EQ(reader.Number<uint32_t>(), static_cast<uint32_t>(HCCL_E_PARA));
  EXPECT_NE(reader.Text(), "");
  EXPECT_TRUE(reader.Complete());

  // Each has its own number for the first group.
  Say(ranks[0].socket, ExchangeFrame(kFirst));
  Say(ranks[1].socket, ExchangeFrame(kSecond));
  expect(0, FrameType::kExchanged,
         "41434842 0600 0300 1a000000 0100000000000000 0100000000000000 01000000 61 01000000 61");
  expect(1, FrameType::kExchanged,
         "41434842 0600 0300 1c000000 0200000000000000 0100000000000000 02000000 6263"
         " 02000000 6263");
  Say(ranks[0].socket, kExchangeOfThree);
  Say(ranks[0].socket, kFailed);
  expect(1, FrameType::kFailed, kFailed);
  // The hub has read what rank 0 said before.
  Say(ranks[1].socket, kExchangeOfThree);
  Say(ranks[1].socket, kExchangeFailed);
  expect(0, FrameType::kExchangeFailed, kExchangeFailed);
  // The hub waits for the answers for kAnswerTime.
  int asked = 0;
  EXPECT_TRUE(testing::HoldsInTime(kAnswerTime, [&] {
    const std::string question = "0" + std::to_string(++asked) + "00000000000000";
    Say(ranks[0].socket, kAsk);
    for (uint32_t rank = 0; rank < 2; ++rank) {
      expect(rank, FrameType::kAsk, AskRankFrame(question));
      Say(ranks[rank].socket, StandFrame(rank == 0 ? "01000000" : "00000000", question));
    }
    const std::string stands = ranks[0].Await(FrameType::kStands);
    if (stands != WithoutSpaces(kStands)) std::printf("%s\n", stands.c_str());
    return stands == WithoutSpaces(kStands);
  }));
  Say(ranks[1].socket, kLeave);
  expect(0, FrameType::kLeft, "41434842 0900 0300 04000000 01000000");
  ranks[2].socket.Close();
  const std::string gone = Bytes(ranks[0].Await(FrameType::kGone));
  ByteReader of_gone(std::string_view(gone).substr(12));
  EXPECT_EQ(of_gone.Number<uint32_t>(), 2u);
  EXPECT_NE(of_gone.Text(), "");
  EXPECT_TRUE(of_gone.Complete());
}

// Where a rank is and what the peer has to show; the greeting of the one that comes, and the
// answer.
TEST(Protocol, WhatRanksSayToEachOther) {
  const std::string address = "09000000 3132372e302e302e31";  // "127.0.0.1"
  Secret other;
  other.fill(0x22);
  for (uint32_t rank = 0; rank < 2; ++rank) {
    Result<Peers> peers = Peers::Listen("127.0.0.1", rank, 2);
    ASSERT_TRUE(peers.ok()) << peers.status().refusal().what;
    const std::string own = Hex(peers.value().InvitationFor(1 - rank));
    ASSERT_EQ(own.size(), 2 * (13 + 2 + sizeof(Secret)));
    EXPECT_EQ(own.substr(0, 26), WithoutSpaces(address));
    const std::string secret = own.substr(30);
    const auto port =
        static_cast<uint16_t>(std::stoi(own.substr(28, 2) + own.substr(26, 2), nullptr, 16));
    const Socket listener = Listen(Loopback(0));
    const std::string place = Hex(ByteWriter().Number(PortOf(LocalEndpoint(listener))).Take());
    std::vector<std::string> invitations(2);
    invitations[1 - rank] = Bytes(address + place + Hex(other));
    auto connect =
        std::async(std::launch::async, [&] { return peers.value().Connect(invitations, In(60)); });
    Socket peer;
    if (rank == 0) {
      ASSERT_EQ(TryConnect(Loopback(port), std::chrono::seconds(30), &peer), 0);
      Say(peer, "01000000" + secret);
      Expect(peer, Hex(other));
    } else {
      peer = AwaitGuest(listener);
      Expect(peer, "01000000" + Hex(other));
      Say(peer, secret);
    }
    const Result<std::vector<Socket>> sockets = connect.get();
    EXPECT_TRUE(sockets.ok()) << sockets.status().refusal().what;
  }
}

}  // namespace
}  // namespace aclimb::collectives
