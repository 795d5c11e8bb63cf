#include "aclimb/collectives/link.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "aclimb/collectives/bytes.h"
#include "aclimb/core/text.h"
#include "hccl/hccl_types.h"

namespace aclimb::collectives {
namespace {

std::string HostName() {
  char name[256] = "";
  gethostname(name, sizeof(name) - 1);
  return name;
}

std::string About() {
  return ByteWriter()
      .Add(ProcessSecret())
      .Text(HostName())
      .Number(static_cast<uint64_t>(getpid()))
      .Take();
}

Member ReadMember(std::string_view about) {
  ByteReader reader(about);
  Member member;
  member.process = reader.ReadSecret();
  member.host = reader.Text();
  member.process_number = reader.Number<uint64_t>();
  return member;
}

}  // namespace

Link::Link(const Token& token, uint32_t rank, Socket socket)
    : token_(token), rank_(rank), socket_(std::move(socket)), wake_(eventfd(0, EFD_CLOEXEC)) {
  if (wake_ < 0) throw std::system_error(errno, std::generic_category(), "eventfd");
  parser_.Trust();
  thread_.emplace([this] { Run(); });
  thread_->Name("hccl_link");
}

Link::~Link() {
  Send(FrameType::kLeave, {});
  {
    const std::lock_guard<std::mutex> lock(send_mutex_);
    closing_ = true;
  }
  Wake();
  thread_->Join();
  close(wake_);
}

Result<std::shared_ptr<Link>> Link::Join(const Token& token, uint32_t size, uint32_t rank,
                                         Deadline deadline) {
  Endpoint root;
  if (!ParseEndpoint(token.address, token.port, &root)) {
    return Refuse(HCCL_E_PARA, "rootInfo names no address; expected the bytes of HcclGetRootInfo.",
                  "hand all 4108 bytes of HcclGetRootInfo to every rank", "collective/root-info");
  }
  Socket socket;
  Status connected = Connect(root, deadline, &socket);
  if (!connected.ok()) return connected;
  std::shared_ptr<Link> link(new Link(token, rank, std::move(socket)));
  link->Send(FrameType::kHello,
             ByteWriter().Add(token.secret).Number(size).Number(rank).Text(About()).Take());
  std::unique_lock<std::mutex> lock(link->mutex_);
  const bool told = link->changed_.wait_until(
      lock, deadline, [&] { return link->welcome_ || link->lost_ || !link->refused_.empty(); });
  if (link->welcome_) return link;
  if (!link->refused_.empty()) {
    return Refuse(HCCL_E_PARA,
                  Cat("the root refused rank ", rank, " of ", size, ": ", link->refused_,
                      "; expected every rank from 0 to nRanks - 1 to join once."),
                  "give each rank its own number and all of them the same nRanks and rootInfo",
                  "collective/join");
  }
  if (told) {
    return Refuse(HCCL_E_TCP_CONNECT,
                  Cat("the root at ", token.address, " port ", token.port,
                      " closed the connection while the ranks joined; expected it to wait for all "
                      "of them."),
                  "check that the process that called HcclGetRootInfo still runs, and that this "
                  "rank has its rootInfo and is in its whitelist",
                  "collective/join");
  }
  const std::string missing =
      link->waiting_.empty() ? std::string("some ranks have not joined") : link->waiting_;
  lock.unlock();
  link->TellFailure("", missing);
  return Refuse(HCCL_E_TIMEOUT,
                Cat("not all ranks joined in time: ", missing,
                    "; expected all of them within HCCL_CONNECT_TIMEOUT."),
                "look at the missing ranks: they have not called HcclCommInitRootInfo with this "
                "rootInfo; or raise HCCL_CONNECT_TIMEOUT",
                "collective/join-timeout");
}

std::string Link::local_address() const { return AddressText(LocalEndpoint(socket_)); }

Result<std::vector<std::string>> Link::Exchange(const std::string& key,
                                                const std::vector<uint32_t>& ranks,
                                                const std::vector<std::string>& pieces,
                                                Deadline deadline) {
  ByteWriter writer;
  writer.Text(key).Number(static_cast<uint32_t>(ranks.size()));
  for (const uint32_t rank : ranks) writer.Number(rank);
  writer.Number(static_cast<uint8_t>(pieces.size() > 1 || ranks.size() == 1 ? 1 : 0));
  for (const std::string& piece : pieces) writer.Text(piece);
  Send(FrameType::kExchange, writer.Take());
  std::unique_lock<std::mutex> lock(mutex_);
  const bool told = changed_.wait_until(lock, deadline, [&] {
    return lost_ || exchanged_.count(key) != 0 || exchange_failed_.count(key) != 0;
  });
  if (const auto found = exchanged_.find(key); found != exchanged_.end()) {
    std::vector<std::string> theirs = std::move(found->second);
    exchanged_.erase(found);
    return theirs;
  }
  if (const auto found = exchange_failed_.find(key); found != exchange_failed_.end()) {
    return Refuse(HCCL_E_PARA, Cat(found->second, "; expected the same list on all of them."),
                  "call with the same ranks and the same number of the group everywhere",
                  "collective/group");
  }
  return Refuse(told ? HCCL_E_REMOTE : HCCL_E_TIMEOUT,
                told ? "the process that called HcclGetRootInfo has ended while ranks connected; "
                       "expected it to run as long as they do."
                     : "the ranks of the group did not all come to connect in time; expected all "
                       "of them within HCCL_CONNECT_TIMEOUT.",
                "check that all of them make the same calls",
                told ? "collective/root-gone" : "collective/join-timeout");
}

void Link::Watch(const std::string& channel, Watcher* watcher) {
  const std::lock_guard<std::mutex> watch(watch_mutex_);
  watchers_[channel] = watcher;
}

void Link::Unwatch(const std::string& channel) {
  const std::lock_guard<std::mutex> watch(watch_mutex_);
  watchers_.erase(channel);
}

void Link::TellFailure(const std::string& channel, const std::string& what) {
  Send(FrameType::kFailed, ByteWriter().Number(rank_).Text(channel).Text(what).Take());
}

std::optional<std::vector<Stand>> Link::Ask(const std::string& channel,
                                            const std::vector<uint32_t>& ranks) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stands_.erase(channel);
  }
  ByteWriter writer;
  writer.Text(channel).Number(static_cast<uint32_t>(ranks.size()));
  for (const uint32_t rank : ranks) writer.Number(rank);
  Send(FrameType::kAsk, writer.Take());
  // The hub waits a second or two for those that do not answer.
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait_for(lock, std::chrono::seconds(4),
                    [&] { return lost_ || stands_.count(channel) != 0; });
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
    {
      const std::lock_guard<std::mutex> lock(send_mutex_);
      const bool sent = SendSome(socket_, &out_);
      rest = sent && !out_.empty();
      if (closing_ && !rest) return;
    }
    pollfd waits[] = {{socket_.descriptor(), static_cast<short>(POLLIN | (rest ? POLLOUT : 0)), 0},
                      {wake_, POLLIN, 0}};
    poll(waits, 2, -1);
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
      refused_ = reader.Text();
      break;
    case FrameType::kExchanged: {
      std::vector<std::string>& pieces = exchanged_[std::string(reader.Text())];
      while (reader.ok() && reader.left() > 0) pieces.emplace_back(reader.Text());
      break;
    }
    case FrameType::kStands:
      HandleStands(frame.body);
      break;
    case FrameType::kFailed: {
      const uint32_t rank = reader.Number<uint32_t>();
      const std::string channel(reader.Text());
      const std::string text(reader.Text());
      if (rank == rank_) {
        exchange_failed_[channel] = text;
        break;
      }
      lock.unlock();
      const std::lock_guard<std::mutex> watch(watch_mutex_);
      const auto found = watchers_.find(channel);
      if (found != watchers_.end()) found->second->RankFailed(rank, text);
      return;
    }
    case FrameType::kLeft:
    case FrameType::kGone: {
      const uint32_t rank = reader.Number<uint32_t>();
      const std::string text(reader.Text());
      left_[rank] = frame.type == FrameType::kLeft;
      lock.unlock();
      const std::lock_guard<std::mutex> watch(watch_mutex_);
      for (const auto& [channel, watcher] : watchers_) {
        if (frame.type == FrameType::kLeft) {
          watcher->RankLeft(rank);
        } else {
          watcher->RankGone(rank, text);
        }
      }
      return;
    }
    case FrameType::kAsk: {
      const std::string channel(reader.Text());
      lock.unlock();
      Stand stand;
      {
        const std::lock_guard<std::mutex> watch(watch_mutex_);
        const auto found = watchers_.find(channel);
        if (found != watchers_.end()) stand = found->second->WhereItStands();
      }
      return Send(FrameType::kStand, ByteWriter()
                                         .Text(channel)
                                         .Number(stand.number)
                                         .Number(stand.signature)
                                         .Text(stand.text)
                                         .Take());
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
    stands.push_back(std::move(stand));
  }
}

// The hub's process has ended, or cannot be reached any more. Its ranks, unless they had left, have
// ended with it.
void Link::Lost() {
  std::vector<uint32_t> gone;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    lost_ = true;
    // Who joins by a rank table does not know the process before.
    const bool known = !Equal(token_.process, Secret());
    const Secret hub = known || members_.empty() ? token_.process : members_[0].process;
    for (uint32_t rank = 0; rank < members_.size(); ++rank) {
      const bool with_hub = Equal(members_[rank].process, hub);
      if (with_hub && rank != rank_ && left_.count(rank) == 0) gone.push_back(rank);
    }
    changed_.notify_all();
  }
  const std::lock_guard<std::mutex> watch(watch_mutex_);
  for (const auto& [channel, watcher] : watchers_) {
    for (const uint32_t rank : gone) {
      watcher->RankGone(rank, "its connection closed: the process ended, or its host was cut off");
    }
  }
}

}  // namespace aclimb::collectives
