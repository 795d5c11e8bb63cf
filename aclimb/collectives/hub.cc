#include "aclimb/collectives/hub.h"

#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <limits>
#include <new>
#include <system_error>
#include <utility>

#include "acl/acl_base.h"
#include "aclimb/bridge/bridge.h"
#include "aclimb/collectives/host_address.h"
#include "aclimb/core/fork.h"
#include "aclimb/core/quiet_thread.h"
#include "aclimb/core/text.h"
#include "hccl/hccl_types.h"

namespace aclimb::collectives {
namespace {

constexpr auto kTick = std::chrono::seconds(1);
constexpr auto kHelloTime = std::chrono::seconds(10);
// Who comes too late finds the port open for so long.
constexpr auto kLateTime = std::chrono::seconds(5);
// A hub that no rank has come to ends after so many HCCL_CONNECT_TIMEOUTs.
constexpr int kUnusedTimes = 10;

Result<Socket> ListenOn(const std::string& address, uint16_t base_port) {
  // The interface's own ports when the variable names their begin, else any that is free.
  const uint16_t ports = base_port == 0 ? 1 : 32;
  for (uint16_t i = 0; i < ports; ++i) {
    const auto port = static_cast<uint16_t>(base_port == 0 ? 0 : base_port + i);
    Endpoint endpoint;
    if (!ParseEndpoint(address, port, &endpoint)) break;
    Socket listener = Listen(endpoint);
    if (listener) return listener;
  }
  return Refuse(HCCL_E_UNAVAIL,
                Cat("the address ", address, ", ",
                    base_port == 0 ? std::string("any port")
                                   : Cat("ports ", base_port, " to ", base_port + 31),
                    ", cannot be listened on (", std::generic_category().message(errno),
                    "); expected a free port of this machine's address."),
                "correct HCCL_IF_IP or HCCL_IF_BASE_PORT, or unset them", "collective/listen");
}

}  // namespace

Result<Token> Hub::Start(const Settings& settings) {
  Result<std::string> address = ChooseAddress(settings, HostAddresses());
  if (!address.ok()) return address.TakeStatus();
  Result<Socket> listener = ListenOn(address.value(), settings.base_port);
  if (!listener.ok()) return listener.TakeStatus();
  const Token token = {address.value(), PortOf(LocalEndpoint(listener.value())), DrawSecret(),
                       ProcessSecret()};
  Status started = StartOn(std::move(listener.value()), token, settings, /*once=*/true);
  if (!started.ok()) return started;
  return token;
}

Status Hub::StartAt(const Token& token, const Settings& settings) {
  Endpoint endpoint;
  Socket listener;
  if (ParseEndpoint(token.address, token.port, &endpoint)) listener = Listen(endpoint);
  if (!listener) {
    return Refuse(
        HCCL_E_UNAVAIL,
        Cat("the address ", token.address, ", port ", token.port, ", cannot be listened on (",
            std::generic_category().message(errno),
            "); expected the host_ip or server_id of rank 0 to be an address of its host."),
        "correct the rank table, or choose other ports with HCCL_IF_BASE_PORT",
        "collective/listen");
  }
  return StartOn(std::move(listener), token, settings, /*once=*/false);
}

Status Hub::StartOn(Socket listener, const Token& token, const Settings& settings, bool once) {
  std::vector<std::string> whitelist;
  if (!settings.whitelist.empty()) {
    Result<std::vector<std::string>> read = ReadWhitelist(settings.whitelist);
    if (!read.ok()) return read.TakeStatus();
    whitelist = std::move(read.value());
    whitelist.push_back(token.address);
  }
  std::shared_ptr<Hub> hub(
      new Hub(token, std::move(listener), settings, std::move(whitelist), once));
  QuietThread thread([hub] { hub->Run(); });
  thread.Name("hccl_hub");
  return Ok();
}

Hub::Hub(Token token, Socket listener, const Settings& settings, std::vector<std::string> whitelist,
         bool once)
    : token_(std::move(token)),
      listener_(std::move(listener)),
      whitelist_(std::move(whitelist)),
      once_(once),
      // A port that somebody chose is needed for the next group.
      late_time_(once && settings.base_port == 0 ? kLateTime : Clock::duration::zero()),
      listens_until_(Clock::now() + kUnusedTimes * settings.connect_timeout) {}

bool Hub::Over() const { return come_ == 0 && (complete_ || (failed_ && !listener_)); }

void Hub::Run() {
  next_tick_ = Clock::now() + kTick;
  try {
    while (!Over()) Turn();
  } catch (...) {
    // The ranks see their connections close, and take those of this process for gone.
    connections_.clear();
    listener_.Close();
    aclimb_log(ACL_ERROR,
               "hccl: the place where the ranks meet has ended, for want of host memory");
  }
}

// Waits for something to happen, and sees to it.
void Hub::Turn() {
  waits_.clear();
  if (listener_ && !rests_) waits_.push_back({listener_.descriptor(), POLLIN, 0});
  const size_t first = waits_.size();
  for (const auto& connection : connections_) {
    const short events = static_cast<short>(POLLIN | (connection->out.empty() ? 0 : POLLOUT));
    waits_.push_back({connection->socket.descriptor(), events, 0});
  }
  // Nobody has to be looked after while only the listener is there.
  const bool alone = connections_.empty() && !rests_;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(
      (alone ? listens_until_ : std::min(next_tick_, listens_until_)) - Clock::now());
  poll(waits_.data(), waits_.size(),
       static_cast<int>(std::clamp<int64_t>(left.count(), 0, std::numeric_limits<int>::max())));
  const size_t known = waits_.size() - first;
  for (size_t i = 0; i < known; ++i) {
    Connection& connection = *connections_[i];
    if (connection.socket && waits_[first + i].revents != 0) ReadOrClose(connection);
  }
  if (first != 0 && listener_ && waits_[0].revents != 0) AcceptAll();
  if (Clock::now() >= next_tick_) Tick();
  for (const auto& connection : connections_) {
    if (!connection->socket || connection->out.empty()) continue;
    if (!SendSome(connection->socket, &connection->out)) Close(*connection);
  }
  for (const auto& connection : connections_) {
    if (connection->over && connection->out.empty()) Close(*connection);
  }
  std::erase_if(connections_, [](const auto& connection) { return !connection->socket; });
  if (Clock::now() >= listens_until_) StopListening();
}

void Hub::StopListening() {
  if (!complete_ && !failed_) {
    return RefuseAll(HCCL_E_TIMEOUT,
                     Cat("no rank came within ", kUnusedTimes, " times HCCL_CONNECT_TIMEOUT"));
  }
  listener_.Close();
  listens_until_ = Clock::time_point::max();
}

// What one connection brings may be more than there is memory for: that one ends, no other.
void Hub::ReadOrClose(Connection& connection) {
  try {
    Read(connection);
  } catch (const std::bad_alloc&) {
    connection.parser = {};
    Close(connection);
  }
}

void Hub::Read(Connection& connection) {
  std::string bytes;
  Received received = Received::kSome;
  while (connection.socket && received == Received::kSome) {
    bytes.clear();
    received = ReceiveSome(connection.socket, &bytes);
    connection.parser.Append(bytes);
    while (connection.socket && !connection.over) {
      const std::optional<Frame> frame = connection.parser.Next();
      if (!frame) break;
      Handle(connection, *frame);
    }
    if (connection.parser.broken()) {
      if (!connection.joined) return DropStranger(connection, "sent what is no message");
      received = Received::kEnd;
    }
  }
  if (received != Received::kEnd || !connection.socket) return;
  if (!connection.joined && !connection.over) {
    return DropStranger(connection, "said nothing and went away");
  }
  Close(connection);
}

void Hub::Handle(Connection& connection, const Frame& frame) {
  const ByteReader reader(frame.body);
  if (!connection.joined) {
    if (frame.type == FrameType::kHello) return HandleHello(connection, frame);
    return DropStranger(connection, "did not begin with a greeting");
  }
  switch (frame.type) {
    case FrameType::kExchange:
      return HandleExchange(connection, reader);
    case FrameType::kExchangeFailed:
      return HandleExchangeFailed(connection, reader);
    case FrameType::kFailed:
      return HandleFailed(connection, reader);
    case FrameType::kAsk:
      return HandleAsk(connection, reader);
    case FrameType::kStand:
      return HandleStand(connection, reader);
    case FrameType::kLeave:
      connection.left = true;
      // The end of the connection tells the rank that the others have been told.
      connection.over = true;
      return EndRank(connection);
    default:
      return Close(connection);
  }
}

void Hub::HandleFailed(Connection& connection, ByteReader reader) {
  reader.Number<uint32_t>();
  const auto code = reader.Number<uint32_t>();
  const std::string channel(reader.Text());
  const std::string text(reader.Text());
  if (!reader.Complete()) return Close(connection);
  if (!complete_) return RefuseAll(code, Cat("rank ", connection.rank, " gave up: ", text));
  // Of many that fail for one reason, the first one is handed on.
  bool& failed = channel_failed_[channel];
  if (std::exchange(failed, true)) return;
  SendToAll(FrameType::kFailed,
            ByteWriter().Number(connection.rank).Number(code).Text(channel).Text(text).Take(),
            &connection);
}

void Hub::HandleAsk(Connection& connection, ByteReader reader) {
  const std::string channel(reader.Text());
  std::vector<uint32_t> ranks(std::min<size_t>(reader.Number<uint32_t>(), ranks_.size()));
  for (uint32_t& rank : ranks) rank = reader.Number<uint32_t>();
  if (!reader.Complete()) return Close(connection);
  const auto [at, fresh] = questions_.try_emplace(channel);
  Question& question = at->second;
  question.askers.push_back(connection.rank);
  if (!fresh) return;
  question.deadline = Clock::now() + kAnswerTime;
  question.number = ++asked_;
  const std::string body = ByteWriter().Text(channel).Number(question.number).Take();
  for (const uint32_t rank : ranks) {
    if (rank >= ranks_.size()) continue;
    question.stands[rank] = {};
    if (ranks_[rank].connection == nullptr) continue;
    Send(*ranks_[rank].connection, FrameType::kAsk, body);
    ++question.open;
  }
}

void Hub::HandleStand(Connection& connection, ByteReader reader) {
  const std::string channel(reader.Text());
  const auto number = reader.Number<uint64_t>();
  Stand stand;
  stand.answered = true;
  stand.number = reader.Number<uint64_t>();
  stand.signature = reader.Number<uint64_t>();
  stand.text = reader.Text();
  stand.flows = ReadFlows(&reader);
  if (!reader.Complete()) return Close(connection);
  const auto at = questions_.find(channel);
  if (at == questions_.end() || at->second.number != number) return;
  const auto mine = at->second.stands.find(connection.rank);
  if (mine == at->second.stands.end() || mine->second.answered) return;
  mine->second = std::move(stand);
  if (--at->second.open != 0) return;
  Answer(channel, at->second);
  questions_.erase(at);
}

// Each asker hears of those that do not stand where it stands, which two ranks do in one
// collective.
void Hub::Answer(const std::string& channel, Question& question) {
  for (const uint32_t asker : question.askers) {
    Connection* const receiver = ranks_[asker].connection;
    if (receiver == nullptr) continue;
    const Stand& own = question.stands[asker];
    ByteWriter writer;
    writer.Text(channel);
    for (const auto& [rank, stand] : question.stands) {
      const bool same = stand.answered && own.signature != 0 && stand.number == own.number &&
                        stand.signature == own.signature;
      std::vector<Flow> between;
      std::copy_if(stand.flows.begin(), stand.flows.end(), std::back_inserter(between),
                   [&](const Flow& flow) { return flow.peer == asker; });
      if (rank == asker || (same && between.empty())) continue;
      writer.Number(rank)
          .Number(static_cast<uint8_t>(stand.answered))
          .Number(stand.number)
          .Number(stand.signature)
          .Text(stand.text);
      WriteFlows(between, &writer);
    }
    Send(*receiver, FrameType::kStands, writer.Take());
  }
}

void Hub::Send(Connection& connection, FrameType type, std::string_view body) {
  connection.out += Encode(type, body);
}

void Hub::SendToAll(FrameType type, std::string_view body, const Connection* but) {
  const std::string bytes = Encode(type, body);
  for (const auto& connection : connections_) {
    if (connection->joined && connection.get() != but) connection->out += bytes;
  }
}

void Hub::Close(Connection& connection) {
  if (!connection.socket) return;
  connection.socket.Close();
  if (connection.joined) EndRank(connection);
}

void Hub::EndRank(Connection& connection) {
  connection.joined = false;
  ranks_[connection.rank].connection = nullptr;
  --come_;
  missing_changed_ = true;
  if (failed_) return;
  if (!complete_) {
    return RefuseAll(HCCL_E_REMOTE,
                     Cat("rank ", connection.rank, " went away while the ranks joined (",
                         kConnectionClosed, ")"));
  }
  for (auto at = exchanges_.begin(); at != exchanges_.end();) {
    const auto& ranks = at->second.ranks;
    if (std::find(ranks.begin(), ranks.end(), connection.rank) == ranks.end()) {
      ++at;
      continue;
    }
    if (!at->second.failed) {
      FailExchange(at->second, HCCL_E_REMOTE,
                   Cat("rank ", connection.rank, " has gone (", kConnectionClosed, ")"));
    }
    at = exchanges_.erase(at);
  }
  if (connection.left) {
    SendToAll(FrameType::kLeft, ByteWriter().Number(connection.rank).Take(), &connection);
  } else {
    SendToAll(FrameType::kGone, ByteWriter().Number(connection.rank).Text(kConnectionClosed).Take(),
              &connection);
  }
  // Its answers do not come any more.
  for (auto at = questions_.begin(); at != questions_.end();) {
    const auto stand = at->second.stands.find(connection.rank);
    const bool open = stand != at->second.stands.end() && !stand->second.answered;
    if (!open || --at->second.open != 0) {
      ++at;
      continue;
    }
    Answer(at->first, at->second);
    at = questions_.erase(at);
  }
}

void Hub::Tick() {
  const auto now = Clock::now();
  next_tick_ = now + kTick;
  rests_ = false;
  for (const auto& connection : connections_) {
    if (!connection->joined && connection->socket && now - connection->since > kHelloTime) {
      DropStranger(*connection, "said nothing");
    }
  }
  if (!complete_ && missing_changed_) {
    missing_changed_ = false;
    SendToAll(FrameType::kWaiting, ByteWriter().Text(WhoIsMissing()).Take());
  }
  for (auto at = questions_.begin(); at != questions_.end();) {
    if (now < at->second.deadline) {
      ++at;
      continue;
    }
    Answer(at->first, at->second);
    at = questions_.erase(at);
  }
}

}  // namespace aclimb::collectives
