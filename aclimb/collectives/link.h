#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "aclimb/collectives/frame.h"
#include "aclimb/collectives/settings.h"
#include "aclimb/collectives/socket.h"
#include "aclimb/collectives/token.h"
#include "aclimb/core/quiet_thread.h"
#include "aclimb/core/status.h"

namespace aclimb::collectives {

// Who is behind a rank.
struct Member {
  Secret process = {};
  Secret join = {};  // drawn for this join alone: one rank table makes many groups
};

// Where a rank stands. In a collective: its number and signature. Elsewhere: the number of the last
// one that it has done, and 0.
struct Stand {
  uint32_t rank = 0;  // of the hub's group
  bool answered = true;
  uint64_t number = 0;
  uint64_t signature = 0;
  std::string text;
  std::vector<Flow> flows;  // of what runs; peers by their numbers at the link
};

// What a communicator hears of the other ranks, on the link's thread. It must not call the link.
class Watcher {
 public:
  virtual ~Watcher() = default;
  // A rank has ended without having left; all ranks are of the hub's group.
  virtual void RankGone(uint32_t rank, const std::string& why) = 0;
  virtual void RankLeft(uint32_t rank) = 0;
  // With the HcclResult that all ranks return for it.
  virtual void RankFailed(uint32_t rank, uint32_t code, const std::string& what) = 0;
  virtual Stand WhereItStands() = 0;
};

// A rank's connection to the hub, with a thread that listens to it.
class Link {
 public:
  using Deadline = std::chrono::steady_clock::time_point;

  // Joins and waits for all ranks.
  static Result<std::shared_ptr<Link>> Join(const Token& token, uint32_t size, uint32_t rank,
                                            Deadline deadline);
  ~Link();  // says good-bye, and waits a moment until the others have been told
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  const std::vector<Member>& members() const { return members_; }
  // The socket's own address: it reaches the root, so others reach it.
  std::string local_address() const;

  struct Exchanged {
    uint64_t number = 0;              // of the group: the same on all ranks, and of no other one
    std::vector<std::string> pieces;  // in the order of the ranks
  };
  // Among `ranks`, who all call it with the same key: hands pieces[i] to the i-th of them, and
  // returns theirs. Groups of one key come about in the order of the calls.
  Result<Exchanged> Exchange(const std::string& key, const std::vector<uint32_t>& ranks,
                             const std::vector<std::string>& pieces, Deadline deadline);

  // Until Unwatch returns, the watcher hears of what concerns the channel, and at once of what came
  // before.
  void Watch(const std::string& channel, Watcher* watcher);
  void Unwatch(const std::string& channel);
  // Tells the others that this rank's part of the channel has failed.
  void TellFailure(const std::string& channel, uint32_t code, const std::string& what);
  // Those of `ranks` that stand elsewhere than this one, or have flows with it, or do not answer
  // within a moment. Nothing when the hub does not.
  std::optional<std::vector<Stand>> Ask(const std::string& channel,
                                        const std::vector<uint32_t>& ranks);

 private:
  struct Failure {
    uint32_t rank = 0;  // of a channel
    uint32_t code = 0;
    std::string text;
  };

  struct Answer {
    std::optional<Exchanged> exchanged;
    std::optional<Failure> failed;
  };

  Link(const Token& token, uint32_t rank, Socket socket);

  // One attempt; null when it ended before the hub had answered.
  static Result<std::shared_ptr<Link>> TryJoin(const Token& token, uint32_t size, uint32_t rank,
                                               Deadline reach, Deadline deadline);
  void Run();
  void Handle(const Frame& frame);
  void HandleStands(std::string_view body);
  void Lost();
  void TellGone(uint32_t rank, const std::string& why);
  void Send(FrameType type, std::string_view body);
  void Wake();

  const Token token_;
  const uint32_t rank_;
  Socket socket_;
  int wake_ = -1;  // an eventfd
  std::vector<Member> members_;
  FrameParser parser_;  // of the thread

  std::mutex send_mutex_;  // guards out_, and what is written to the socket
  std::string out_;
  std::optional<Deadline> closing_;  // until when the hub's end is awaited

  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  bool welcome_ = false;
  bool lost_ = false;
  std::string waiting_;  // who has not joined yet
  std::optional<Failure> refused_;
  uint64_t exchanges_ = 0;
  std::map<uint64_t, Answer> answers_;  // to exchanges that wait, by their numbers
  std::map<std::string, std::vector<Stand>> stands_;
  std::map<std::string, std::mutex> asks_;  // by channel, held while its stands are asked for

  std::mutex watch_mutex_;  // held while a watcher is called
  std::map<std::string, Watcher*> watchers_;
  std::map<uint32_t, std::string> gone_;  // why, by rank
  std::set<uint32_t> left_;
  std::map<std::string, Failure> unheard_;  // failures of channels that nobody watches yet

  std::optional<QuietThread> thread_;
};

}  // namespace aclimb::collectives
