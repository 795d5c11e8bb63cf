#pragma once

#include <poll.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "aclimb/collectives/bytes.h"
#include "aclimb/collectives/forming.h"
#include "aclimb/collectives/frame.h"
#include "aclimb/collectives/operation.h"
#include "aclimb/collectives/settings.h"
#include "aclimb/collectives/socket.h"
#include "aclimb/collectives/token.h"
#include "aclimb/collectives/used_tokens.h"
#include "aclimb/core/status.h"

namespace aclimb::collectives {

// Where the ranks of one HcclRootInfo meet, in the process that called HcclGetRootInfo: it lets in
// who has the secret, hands small messages on, and tells the others who has left or died. The data
// of collectives does not pass here. Lives on a thread of its own until all ranks have left, or
// until nobody has come for long.
class Hub {
 public:
  // Listens and starts the thread. The token is what ranks need to join.
  static Result<Token> Start(const Settings& settings);
  // Starts the hub at a place that all ranks know already.
  static Status StartAt(const Token& token, const Settings& settings);

 private:
  using Clock = std::chrono::steady_clock;

  struct Connection {
    Socket socket;
    std::string from;
    FrameParser parser;
    std::string out;
    Clock::time_point since;
    bool joined = false;
    bool over = false;  // to be closed once `out` is sent
    bool left = false;  // said good-bye
    uint32_t rank = 0;
  };
  struct Rank {
    Connection* connection = nullptr;  // null before it came and after it went
    std::string about;                 // what kWelcome tells of it
  };
  // One piece for each of those that take part, from each of them.
  struct Exchange : Forming {
    // By place in `ranks`:
    std::vector<std::vector<std::string>> pieces;
    std::vector<uint64_t> numbers;  // that the ranks gave it
  };
  struct Stand {
    bool answered = false;
    uint64_t number = 0;
    uint64_t signature = 0;
    std::string text;
    std::vector<Flow> flows;  // by numbers at the link
  };
  // Where the ranks of a channel stand.
  struct Question {
    uint64_t number = 0;
    std::map<uint32_t, Stand> stands;
    std::vector<uint32_t> askers;
    size_t open = 0;
    Clock::time_point deadline;
  };

  static Status StartOn(Socket listener, const Token& token, const Settings& settings, bool once);

  Hub(Token token, Socket listener, const Settings& settings, std::vector<std::string> whitelist,
      bool once);

  void Run();
  void Turn();
  bool Over() const;
  void StopListening();
  void AcceptAll();
  void NoneAccepted(int error);
  // One that has not shown the secret. False when there is none.
  bool DropOldest(const char* why);
  static bool IsStranger(const std::unique_ptr<Connection>& connection);
  void ReadOrClose(Connection& connection);
  void Read(Connection& connection);
  void Handle(Connection& connection, const Frame& frame);
  void HandleHello(Connection& connection, const Frame& frame);
  void HandleExchange(Connection& connection, ByteReader reader);
  void HandleExchangeFailed(Connection& connection, ByteReader reader);
  // Tells those that have come that nothing comes of it.
  void FailExchange(const Exchange& exchange, uint32_t code, const std::string& text,
                    const Connection* but = nullptr);
  void HandleFailed(Connection& connection, ByteReader reader);
  void HandleAsk(Connection& connection, ByteReader reader);
  void HandleStand(Connection& connection, ByteReader reader);
  void Answer(const std::string& channel, Question& question);
  void Send(Connection& connection, FrameType type, std::string_view body);
  void SendToAll(FrameType type, std::string_view body, const Connection* but = nullptr);
  // Refuses what one rank, or all that wait for the last, came for.
  void RefuseAll(uint32_t code, const std::string& text);
  // Whoever joins after this comes too late.
  void Settle(uint32_t code, const std::string& text);
  // Not a rank of this group: nobody is told, it is counted.
  void DropStranger(Connection& connection, const char* why);
  void Close(Connection& connection);
  // Of a rank that has joined: nothing more comes of it.
  void EndRank(Connection& connection);
  void Tick();
  std::string WhoIsMissing() const;

  const Token token_;
  Socket listener_;
  const std::vector<std::string> whitelist_;
  const bool once_;                  // the token is of one group alone
  const Clock::duration late_time_;  // for which those that come too late are told so
  Clock::time_point listens_until_;
  bool rests_ = false;  // the listener, until the next tick
  std::vector<std::unique_ptr<Connection>> connections_;
  std::vector<pollfd> waits_;
  std::vector<Rank> ranks_;  // none before the first has come
  uint32_t come_ = 0;
  bool complete_ = false;
  bool failed_ = false;  // to come together
  TooLate too_late_;     // once it is complete, or has failed
  bool missing_changed_ = false;
  uint64_t strangers_ = 0;
  // By key; groups of other ranks may have the same one.
  std::multimap<std::string, Exchange, std::less<>> exchanges_;
  uint64_t groups_ = 0;  // that have exchanged all
  uint64_t asked_ = 0;   // questions
  std::map<std::string, Question, std::less<>> questions_;
  std::map<std::string, bool, std::less<>> channel_failed_;
  Clock::time_point next_tick_;
};

}  // namespace aclimb::collectives
