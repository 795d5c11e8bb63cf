#include "aclimb/collectives/link.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <thread>
#include <utility>

#include "aclimb/collectives/bytes.h"
#include "aclimb/collectives/used_tokens.h"
#include "aclimb/core/text.h"
#include "hccl/hccl_types.h"

namespace aclimb::collectives {
namespace {

// The hub ends the connection of a rank that leaves when the others have been told: before that the
// process does not end, which would end the hub of its own as well. One that is cut off says
// nothing.
constexpr auto kFarewellTime = std::chrono::seconds(1);

std::string About() { return ByteWriter().Add(ProcessSecret()).Add(DrawSecret()).Take(); }

Member ReadMember(std::string_view about) {
  ByteReader reader(about);
  Member member;
  member.process = reader.ReadSecret();
  member.join = reader.ReadSecret();
  return member;
}

Status RefusedByRoot(uint32_t code, const std::string& text, uint32_t size, uint32_t rank) {
  const bool versions = code == HCCL_E_NOT_SUPPORT;
  return Refuse(
      static_cast<int>(code),
      Cat("the root refused rank ", rank, " of ", size, ": ", text,
          versions ? "; expected one release of Aclimb on all ranks."
                   : "; expected every rank from 0 to nRanks - 1 to join once, in time."),
      versions
          ? "install the same release of Aclimb for all ranks"
          : "give each rank its own number, all of them the same nRanks and rootInfo, and each "
            "group a rootInfo of its own; look at those that did not join",
      versions ? "collective/version" : "collective/join");
}

}  // namespace

Link::Link(const Token& token, uint32_t rank, Socket socket)
    : token_(token), rank_(rank), socket_(std::move(socket)), wake_(eventfd(0, EFD_CLOEXEC)) {
  if (wake_ < 0) throw std::system_error(errno, std::generic_category(), "eventfd");
  parser_.Trust();
  thread_.emplace([this] {
    try {
      Run();
    } catch (const std::exception&) {
      // Without memory nothing more is heard.
      const std::lock_guard<std::mutex> lock(mutex_);
      lost_ = true;
      changed_.notify_all();
    }
  });
  thread_->Name("hccl_link");
}

Link::~Link() {
  Send(FrameType::kLeave, {});
  {
    const std::lock_guard<std::mutex> lock(send_mutex_);
    closing_ = std::chrono::steady_clock::now() + kFarewellTime;
  }
  Wake();
  thread_->Join();
  close(wake_);
}

Result<std::shared_ptr<Link>> Link::Join(const Token& token, uint32_t size, uint32_t rank,
                                         Deadline deadline) {
  // Among many strangers the hub may have dropped this connection before it read from it.
  constexpr int kAttempts = 5;
  for (int attempt = 1;; ++attempt) {
    const auto soon = std::chrono::steady_clock::now() + std::chrono::seconds(2);
    Result<std::shared_ptr<Link>> link =
        TryJoin(token, size, rank, attempt == 1 ? deadline : std::min(deadline, soon), deadline);
    if (link.ok() && link.value() != nullptr) return link;
    const bool reached = link.ok() || (link.status().code() != HCCL_E_TIMEOUT &&
                                       link.status().code() != HCCL_E_TCP_CONNECT);
    if (!link.ok() && (attempt == 1 || reached)) return link;
    if (link.ok() && attempt < kAttempts) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100 * attempt));
      continue;
    }
    return Refuse(HCCL_E_TCP_CONNECT,
                  Cat("the root at ", token.address, " port ", token.port,
                      " closed the connection while the ranks joined; expected it to wait for all "
                      "of them."),
                  "check that its process, which called HcclGetRootInfo or has rank 0 of the rank "
                  "table, still runs, has the same release of Aclimb, gave this rank its rootInfo, "
                  "has it in its whitelist, and has a descriptor left (ulimit -n)",
                  "collective/join");
  }
}

Result<std::shared_ptr<Link>> Link::TryJoin(const Token& token, uint32_t size, uint32_t rank,
                                            Deadline reach, Deadline deadline) {
  Endpoint root;
  if (!ParseEndpoint(token.address, token.port, &root)) {
    return Refuse(HCCL_E_PARA, "rootInfo names no address; expected the bytes of HcclGetRootInfo.",
                  "hand all 4108 bytes of HcclGetRootInfo to every rank", "collective/root-info");
  }
  if (const auto late = FindUsed(token.secret)) {
    return RefusedByRoot(late->code, late->text, size, rank);
  }
  Socket socket;
  Status connected = Connect(root, reach, &socket);
  if (!connected.ok()) return connected;
  KeepAlive(socket);
  std::shared_ptr<Link> link(new Link(token, rank, std::move(socket)));
  link->Send(FrameType::kHello,
             ByteWriter().Add(token.secret).Number(size).Number(rank).Text(About()).Take());
  std::unique_lock<std::mutex> lock(link->mutex_);
  const bool told = link->changed_.wait_until(
      lock, deadline, [&] { return link->welcome_ || link->lost_ || link->refused_; });
  if (link->welcome_) return link;
  if (link->refused_) {
    return RefusedByRoot(link->refused_->code, link->refused_->text, size, rank);
  }
  if (told) return std::shared_ptr<Link>();
  const std::string missing =
      link->waiting_.empty() ? std::string("some ranks have not joined") : link->waiting_;
  lock.unlock();
  link->TellFailure("", HCCL_E_TIMEOUT, missing);
  // The hub refuses all of them then. Where it is in this process, which may end now, it has time
  // to.
  lock.lock();
  link->changed_.wait_for(lock, std::chrono::seconds(1),
                          [&] { return link->lost_ || link->refused_.has_value(); });
  lock.unlock();
  return Refuse(HCCL_E_TIMEOUT,
                Cat("not all ranks joined in time: ", missing,
                    "; expected all of them within HCCL_CONNECT_TIMEOUT."),
                "look at the missing ranks: they have not called HcclCommInitRootInfo with this "
                "rootInfo; or raise HCCL_CONNECT_TIMEOUT",
                "collective/join-timeout");
}

std::string Link::local_address() const { return AddressText(LocalEndpoint(socket_)); }

Result<Link::Exchanged> Link::Exchange(const std::string& key, const std::vector<uint32_t>& ranks,
                                       const std::vector<std::string>& pieces, Deadline deadline) {
  std::unique_lock<std::mutex> lock(mutex_);
  const uint64_t number = ++exchanges_;
  const Answer& waiting = answers_[number];
  lock.unlock();
  ByteWriter writer;
  writer.Number(number).Text(key).Number(static_cast<uint32_t>(ranks.size()));
  for (const uint32_t rank : ranks) writer.Number(rank);
  for (const std::string& piece : pieces) writer.Text(piece);
  Send(FrameType::kExchange, writer.Take());
  lock.lock();
  const bool told = changed_.wait_until(
      lock, deadline, [&] { return lost_ || waiting.exchanged || waiting.failed; });
  Answer answer = std::move(answers_[number]);
  answers_.erase(number);
  lock.unlock();
  if (answer.exchanged) {
    const size_t come = answer.exchanged->pieces.size();
    if (come == ranks.size()) return std::move(*answer.exchanged);
    return Refuse(HCCL_E_INTERNAL,
                  Cat("the root handed on what ", come, " ranks have for this one; expected ",
                      ranks.size(), " ranks."),
                  "report it as a bug, with the programs' calls", "collective/internal");
  }
  if (answer.failed) {
    return Refuse(
        static_cast<int>(answer.failed->code),
        Cat(answer.failed->text, "; expected all of its ranks to make the group with one list."),
        "call with the same ranks and the same number of the group everywhere", "collective/group");
  }
  if (!told) {
    const char* const text = "a rank of the group waited for the others until its time was up";
    Send(FrameType::kExchangeFailed, ByteWriter()
                                         .Number(number)
                                         .Number(static_cast<uint32_t>(HCCL_E_TIMEOUT))
                                         .Text(text)
                                         .Take());
  }
  return Refuse(told ? HCCL_E_REMOTE : HCCL_E_TIMEOUT,
                told ? "the root's process, which called HcclGetRootInfo or has rank 0 of the rank "
                       "table, has ended while ranks connected; expected it to run as long as they "
                       "do."
                     : "the ranks of the group did not all come to connect in time; expected all "
                       "of them within HCCL_CONNECT_TIMEOUT.",
                "check that all of them make the same calls",
                told ? "collective/root-gone" : "collective/join-timeout");
}

void Link::Watch(const std::string& channel, Watcher* watcher) {
  const std::lock_guard<std::mutex> watch(watch_mutex_);
  watchers_[channel] = watcher;
  for (const auto& [rank, why] : gone_) watcher->RankGone(rank, why);
  for (const uint32_t rank : left_) watcher->RankLeft(rank);
  const auto failed = unheard_.find(channel);
  if (failed == unheard_.end()) return;
  const Failure& failure = failed->second;
  watcher->RankFailed(failure.rank, failure.code, failure.text);
  unheard_.erase(failed);
}

void Link::Unwatch(const std::string& channel) {
  const std::lock_guard<std::mutex> watch(watch_mutex_);
  watchers_.erase(channel);
}

void Link::TellFailure(const std::string& channel, uint32_t code, const std::string& what) {
  Send(FrameType::kFailed, ByteWriter().Number(rank_).Number(code).Text(channel).Text(what).Take());
}

std::optional<std::vector<Stand>> Link::Ask(const std::string& channel,
                                            const std::vector<uint32_t>& ranks) {
  std::unique_lock<std::mutex> lock(mutex_);
  std::mutex& asks = asks_[channel];
  lock.unlock();
  // An answer names no asker but the channel: two at a time could take each other's.
  const std::lock_guard<std::mutex> asker(asks);
  lock.lock();
  stands_.erase(channel);
  lock.unlock();
  ByteWriter writer;
  writer.Text(channel).Number(static_cast<uint32_t>(ranks.size()));
  for (const uint32_t rank : ranks) writer.Number(rank);
  Send(FrameType::kAsk, writer.Take());
  lock.lock();
  changed_.wait_for(lock, 2 * kAnswerTime, [&] { return lost_ || stands_.count(channel) != 0; });
  const auto found = stands_.find(channel);
  if (found == stands_.end()) return std::nullopt;
  std::vector<Stand> stands = std::move(found->second);
  stands_.erase(found);
  return stands;
}

// What cannot be sent at once is left to the thread.
void Link::Send(FrameType type, std::string_view body) {
  bool rest = false;
  {
    const std::lock_guard<std::mutex> lock(send_mutex_);
    out_ += Encode(type, body);
    rest = !SendSome(socket_, &out_) || !out_.empty();
  }
  if (rest) Wake();
}

void Link::Wake() {
  const uint64_t one = 1;
  [[maybe_unused]] const ssize_t wrote = write(wake_, &one, sizeof(one));
}

void Link::Run() {
  for (;;) {
    bool rest = false;
    int patience = -1;
    {
      const std::lock_guard<std::mutex> lock(send_mutex_);
      const bool sent = SendSome(socket_, &out_);
      rest = sent && !out_.empty();
      if (closing_) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(
            *closing_ - std::chrono::steady_clock::now());
        if (left.count() <= 0) return;
        patience = static_cast<int>(left.count());
      }
    }
    pollfd waits[] = {{socket_.descriptor(), static_cast<short>(POLLIN | (rest ? POLLOUT : 0)), 0},
                      {wake_, POLLIN, 0}};
    poll(waits, 2, patience);
    if (waits[1].revents != 0) {
      uint64_t count = 0;
      [[maybe_unused]] const ssize_t got = read(wake_, &count, sizeof(count));
    }
    if ((waits[0].revents & ~POLLOUT) == 0) continue;
    std::string bytes;
    const Received received = ReceiveSome(socket_, &bytes);
    parser_.Append(bytes);
    while (const std::optional<Frame> frame = parser_.Next()) Handle(*frame);
    if (received == Received::kEnd || parser_.broken()) return Lost();
  }
}

void Link::Handle(const Frame& frame) {
  ByteReader reader(frame.body);
  std::unique_lock<std::mutex> lock(mutex_);
  switch (frame.type) {
    case FrameType::kWaiting:
      waiting_ = reader.Text();
      return;
    case FrameType::kWelcome:
      while (reader.ok() && reader.left() > 0) members_.push_back(ReadMember(reader.Text()));
      welcome_ = true;
      break;
    case FrameType::kRefused:
      refused_ = Failure();
      refused_->code = reader.Number<uint32_t>();
      refused_->text = reader.Text();
      break;
    case FrameType::kExchangeFailed: {
      const auto waiting = answers_.find(reader.Number<uint64_t>());
      if (waiting == answers_.end()) return;
      Failure& failure = *(waiting->second.failed = Failure());
      failure.code = reader.Number<uint32_t>();
      failure.text = reader.Text();
      break;
    }
    case FrameType::kExchanged: {
      const auto waiting = answers_.find(reader.Number<uint64_t>());
      if (waiting == answers_.end()) return;
      Exchanged& exchanged = *(waiting->second.exchanged = Exchanged());
      exchanged.number = reader.Number<uint64_t>();
      while (reader.ok() && reader.left() > 0) exchanged.pieces.emplace_back(reader.Text());
      break;
    }
    case FrameType::kStands:
      HandleStands(frame.body);
      break;
    case FrameType::kFailed: {
      Failure failure;
      failure.rank = reader.Number<uint32_t>();
      failure.code = reader.Number<uint32_t>();
      const std::string channel(reader.Text());
      failure.text = reader.Text();
      lock.unlock();
      const std::lock_guard<std::mutex> watch(watch_mutex_);
      const auto found = watchers_.find(channel);
      if (found == watchers_.end()) {
        unheard_.emplace(channel, std::move(failure));
      } else {
        found->second->RankFailed(failure.rank, failure.code, failure.text);
      }
      return;
    }
    case FrameType::kLeft: {
      const uint32_t rank = reader.Number<uint32_t>();
      lock.unlock();
      const std::lock_guard<std::mutex> watch(watch_mutex_);
      left_.insert(rank);
      for (const auto& [channel, watcher] : watchers_) watcher->RankLeft(rank);
      return;
    }
    case FrameType::kGone: {
      const uint32_t rank = reader.Number<uint32_t>();
      const std::string text(reader.Text());
      lock.unlock();
      return TellGone(rank, text);
    }
    case FrameType::kAsk: {
      const std::string channel(reader.Text());
      const auto question = reader.Number<uint64_t>();
      lock.unlock();
      Stand stand;
      {
        const std::lock_guard<std::mutex> watch(watch_mutex_);
        const auto found = watchers_.find(channel);
        if (found != watchers_.end()) stand = found->second->WhereItStands();
      }
      ByteWriter writer;
      writer.Text(channel).Number(question).Number(stand.number).Number(stand.signature);
      writer.Text(stand.text);
      WriteFlows(stand.flows, &writer);
      return Send(FrameType::kStand, writer.Take());
    }
    default:
      return;
  }
  changed_.notify_all();
}

void Link::HandleStands(std::string_view body) {
  ByteReader reader(body);
  std::vector<Stand>& stands = stands_[std::string(reader.Text())];
  stands.clear();
  while (reader.ok() && reader.left() > 0) {
    Stand stand;
    stand.rank = reader.Number<uint32_t>();
    stand.answered = reader.Number<uint8_t>() != 0;
    stand.number = reader.Number<uint64_t>();
    stand.signature = reader.Number<uint64_t>();
    stand.text = reader.Text();
    stand.flows = ReadFlows(&reader);
    stands.push_back(std::move(stand));
  }
}

// The hub's process has ended, or cannot be reached any more. Its ranks, unless they had left, have
// ended with it.
void Link::Lost() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    lost_ = true;
    changed_.notify_all();
  }
  std::vector<uint32_t> gone;
  {
    const std::lock_guard<std::mutex> watch(watch_mutex_);
    // Who joins by a rank table does not know the process before.
    const bool known = !Equal(token_.process, Secret());
    const Secret hub = known || members_.empty() ? token_.process : members_[0].process;
    for (uint32_t rank = 0; rank < members_.size(); ++rank) {
      const bool with_hub = Equal(members_[rank].process, hub);
      const bool told = left_.count(rank) != 0 || gone_.count(rank) != 0;
      if (with_hub && rank != rank_ && !told) gone.push_back(rank);
    }
  }
  for (const uint32_t rank : gone) TellGone(rank, kConnectionClosed);
}

void Link::TellGone(uint32_t rank, const std::string& why) {
  const std::lock_guard<std::mutex> watch(watch_mutex_);
  gone_[rank] = why;
  for (const auto& [channel, watcher] : watchers_) watcher->RankGone(rank, why);
}

}  // namespace aclimb::collectives
