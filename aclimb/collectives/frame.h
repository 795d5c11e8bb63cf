#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "aclimb/collectives/bytes.h"
#include "aclimb/collectives/operation.h"

namespace aclimb::collectives {

// Of all that ranks say to each other: these frames, what is in them, and what they send on the
// connections between them. It is raised with each change of that. Ranks of different builds come
// together when they have the same one; else the hub refuses them. protocol_test.cc has the bytes.
// For that to be readable everywhere, a frame's header, the begin of kHello and kRefused stay as
// they are.
constexpr uint16_t kProtocolVersion = 3;

// What ranks and the hub, where they meet, say to each other. Behind each name: who says it, and
// what it has.
enum class FrameType : uint16_t {
  kHello = 1,      // rank: secret, number of ranks, rank, secrets of the process and the join
  kWaiting = 2,    // hub: text of who has not come yet
  kWelcome = 3,    // hub: of each rank its two secrets
  kRefused = 4,    // hub: code, text
  kExchange = 5,   // rank: its number, key, ranks that take part, a piece for each of them
  kExchanged = 6,  // hub: the rank's number, the group's, one piece of each rank that takes part
  kFailed = 7,     // rank, and hub to the others: rank, code, channel, text
  kLeave = 8,      // rank: nothing
  kLeft = 9,       // hub: rank
  kGone = 10,      // hub: rank, text
  kAsk = 11,       // rank: channel, ranks; hub to each of them: channel, the question's number
  kStand = 12,     // rank: channel, the question's number, and where it stands: number, signature,
                   // text of a call, flows
  kStands = 13,    // hub: channel, and of each rank that stands elsewhere, or has flows with this
                   // one: rank, whether it answered, where it stands
  kExchangeFailed = 14,  // rank, and hub to those that take part: the rank's number, code, text
};
constexpr uint16_t kLastFrameType = 14;

// Why a rank has gone whose connection ended without a good-bye.
inline constexpr const char* kConnectionClosed =
    "its connection closed: the process ended, or its host was cut off";
// So long the hub waits for where a rank stands.
inline constexpr auto kAnswerTime = std::chrono::seconds(2);

// Flows in a frame's body. What is read of a broken one has none.
void WriteFlows(const std::vector<Flow>& flows, ByteWriter* writer);
std::vector<Flow> ReadFlows(ByteReader* reader);

struct Frame {
  FrameType type;
  std::string body;
  uint16_t version = kProtocolVersion;
};

// The frame as it is sent.
std::string Encode(FrameType type, std::string_view body, uint16_t version = kProtocolVersion);

// Cuts a stream of bytes, which anybody may have sent, into frames.
class FrameParser {
 public:
  // Of a body. Before somebody has shown the secret, little is read from him.
  static constexpr size_t kMostOfStranger = 1024;
  static constexpr size_t kMost = size_t{64} << 20;

  void Append(std::string_view bytes) { bytes_ += bytes; }
  // The next frame once all of it is there. Nothing more comes after a violation. All frames of a
  // stream have one version, whichever.
  std::optional<Frame> Next();
  // What was sent is no frame.
  bool broken() const { return broken_; }
  void Trust() { most_ = kMost; }

 private:
  std::string bytes_;
  size_t read_ = 0;
  size_t most_ = kMostOfStranger;
  bool broken_ = false;
  std::optional<uint16_t> version_;  // of the first
};

}  // namespace aclimb::collectives
