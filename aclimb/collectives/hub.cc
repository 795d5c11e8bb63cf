#include "aclimb/collectives/hub.h"

#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
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
constexpr auto kAnswerTime = std::chrono::seconds(2);  // for where a rank stands
constexpr size_t kMostStrangers = 256;
constexpr size_t kMostAtOnce = 64;  // accepted before those that are there are read again
constexpr uint32_t kMostRanks = 65536;

std::string RefusalBody(uint32_t code, const std::string& text) {
  return ByteWriter().Number(code).Text(text).Take();
}

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
  Status started = StartOn(std::move(listener.value()), token, settings);
  if (!started.ok()) return started;
  return token;
}

Status Hub::StartAt(const Token& token, const Settings& settings) {
  Endpoint endpoint;
  Socket listener;
  if (ParseEndpoint(token.address, token.port, &endpoint)) listener = Listen(endpoint);
  if (!listener) {
    return Refuse(HCCL_E_UNAVAIL,
                  Cat("the address ", token.address, ", port ", token.port,
                      ", cannot be listened on (", std::generic_category().message(errno),
                      "); expected the server_id of rank 0 to be a numeric address of its host."),
                  "correct the rank table, or choose other ports with HCCL_IF_BASE_PORT",
                  "collective/listen");
  }
  return StartOn(std::move(listener), token, settings);
}

Status Hub::StartOn(Socket listener, const Token& token, const Settings& settings) {
  std::vector<std::string> whitelist;
  if (!settings.whitelist.empty()) {
    Result<std::vector<std::string>> read = ReadWhitelist(settings.whitelist);
    if (!read.ok()) return read.TakeStatus();
    whitelist = std::move(read.value());
    whitelist.push_back(token.address);
  }
  std::shared_ptr<Hub> hub(new Hub(token, std::move(listener), std::move(whitelist)));
  QuietThread thread([hub] { hub->Run(); });
  thread.Name("hccl_hub");
  return Ok();
}

bool Hub::Over() const { return (complete_ || failed_) && come_ == 0; }

void Hub::Run() {
  next_tick_ = Clock::now() + kTick;
  try {
    while (!Over()) Turn();
  } catch (...) {
    // The ranks see their connections close, and go on without.
    connections_.clear();
    listener_.Close();
    aclimb_log(ACL_ERROR,
               "hccl: the place where the ranks meet has ended, for want of host memory");
  }
}

// Waits for something to happen, and sees to it.
void Hub::Turn() {
  waits_.clear();
  if (listener_) waits_.push_back({listener_.descriptor(), POLLIN, 0});
  const size_t first = waits_.size();
  for (const auto& connection : connections_) {
    const short events = static_cast<short>(POLLIN | (connection->out.empty() ? 0 : POLLOUT));
    waits_.push_back({connection->socket.descriptor(), events, 0});
  }
  // Nobody has to be looked after while only the listener is there.
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(next_tick_ - Clock::now());
  const int timeout =
      connections_.empty() ? -1 : static_cast<int>(std::max<int64_t>(left.count(), 0));
  poll(waits_.data(), waits_.size(), timeout);
  const size_t known = waits_.size() - first;
  for (size_t i = 0; i < known; ++i) {
    Connection& connection = *connections_[i];
    if (connection.socket && waits_[first + i].revents != 0) ReadOrClose(connection);
  }
  if (first != 0 && waits_[0].revents != 0) AcceptAll();
  if (Clock::now() >= next_tick_) Tick();
  for (const auto& connection : connections_) {
    if (!connection->socket || connection->out.empty()) continue;
    if (!SendSome(connection->socket, &connection->out)) Close(*connection);
  }
  for (const auto& connection : connections_) {
    if (connection->over && connection->out.empty()) Close(*connection);
  }
  std::erase_if(connections_, [](const auto& connection) { return !connection->socket; });
  if (complete_ || failed_) listener_.Close();
}

void Hub::AcceptAll() {
  for (size_t i = 0; i < kMostAtOnce; ++i) {
    Endpoint from;
    Socket socket = Accept(listener_, &from);
    if (!socket) return;
    auto connection = std::make_unique<Connection>();
    connection->socket = std::move(socket);
    KeepAlive(connection->socket);
    connection->from = AddressText(from);
    connection->since = Clock::now();
    if (!whitelist_.empty() &&
        std::find(whitelist_.begin(), whitelist_.end(), connection->from) == whitelist_.end()) {
      DropStranger(*connection, "is not in the whitelist");
      continue;
    }
    connections_.push_back(std::move(connection));
    size_t strangers = 0;
    for (const auto& each : connections_) strangers += each->joined ? 0 : 1;
    if (strangers <= kMostStrangers) continue;
    const auto oldest = std::find_if(connections_.begin(), connections_.end(),
                                     [](const auto& each) { return !each->joined; });
    DropStranger(**oldest, "said nothing while many came after it");
    connections_.erase(oldest);
  }
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
      return Close(connection);
    default:
      return Close(connection);
  }
}

void Hub::HandleHello(Connection& connection, const Frame& frame) {
  ByteReader reader(frame.body);
  const Secret secret = reader.ReadSecret();
  const uint32_t size = reader.Number<uint32_t>();
  const uint32_t rank = reader.Number<uint32_t>();
  // What is behind that is another version's own affair.
  const bool same_version = frame.version == kProtocolVersion;
  const std::string about(same_version ? reader.Text() : std::string_view());
  const bool whole = same_version ? reader.Complete() : reader.ok();
  if (!whole || !Equal(secret, token_.secret) || size == 0 || size > kMostRanks) {
    return DropStranger(connection, "does not know the group's secret");
  }
  const auto refuse = [&](const std::string& text, uint32_t code = HCCL_E_PARA) {
    connection.out += Encode(FrameType::kRefused, RefusalBody(code, text), frame.version);
    connection.over = true;
  };
  if (!same_version) {
    const std::string text =
        Cat("rank ", rank, " speaks version ", frame.version,
            " of the protocol between ranks, and the root version ", kProtocolVersion);
    refuse(text, HCCL_E_NOT_SUPPORT);
    if (!complete_ && !failed_) RefuseAll(HCCL_E_NOT_SUPPORT, text);
    return;
  }
  if (failed_) {
    return refuse(Cat("the group has failed to come together before: ", failed_text_),
                  failed_code_);
  }
  if (complete_) return refuse(Cat("all ", ranks_.size(), " ranks have joined already"));
  if (!ranks_.empty() && ranks_.size() != size) {
    const std::string text = Cat("rank ", rank, " passed nRanks = ", size,
                                 ", and the first rank to come passed ", ranks_.size());
    refuse(text);
    return RefuseAll(HCCL_E_PARA, text);
  }
  if (rank >= size) return refuse(Cat("rank is ", rank, " of ", size, " ranks"));
  ranks_.resize(size);
  if (ranks_[rank].connection != nullptr) {
    return refuse(Cat("rank ", rank, " has joined already, from ", ranks_[rank].connection->from));
  }
  connection.joined = true;
  connection.rank = rank;
  connection.parser.Trust();
  ranks_[rank] = {&connection, about};
  ++come_;
  missing_changed_ = true;
  if (come_ < size) return;
  complete_ = true;
  ByteWriter welcome;
  for (const Rank& each : ranks_) welcome.Text(each.about);
  SendToAll(FrameType::kWelcome, welcome.Take());
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
  const std::string body = ByteWriter().Text(channel).Take();
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
  Stand stand;
  stand.answered = true;
  stand.number = reader.Number<uint64_t>();
  stand.signature = reader.Number<uint64_t>();
  stand.text = reader.Text();
  stand.flows = ReadFlows(&reader);
  if (!reader.Complete()) return Close(connection);
  const auto at = questions_.find(channel);
  if (at == questions_.end()) return;
  const auto mine = at->second.stands.find(connection.rank);
  if (mine == at->second.stands.end() || mine->second.answered) return;
  mine->second = std::move(stand);
  if (--at->second.open != 0) return;
  Answer(channel, at->second);
  questions_.erase(at);
}

// Each asker hears of those that do not stand where it stands.
void Hub::Answer(const std::string& channel, Question& question) {
  for (const uint32_t asker : question.askers) {
    Connection* const receiver = ranks_[asker].connection;
    if (receiver == nullptr) continue;
    const Stand& own = question.stands[asker];
    ByteWriter writer;
    writer.Text(channel);
    for (const auto& [rank, stand] : question.stands) {
      const bool same =
          stand.answered && stand.number == own.number && stand.signature == own.signature;
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

void Hub::RefuseAll(uint32_t code, const std::string& text) {
  if (!std::exchange(failed_, true)) {
    failed_code_ = code;
    failed_text_ = text;
  }
  SendToAll(FrameType::kRefused, RefusalBody(code, text));
  for (const auto& connection : connections_) {
    if (connection->joined) connection->over = true;
  }
}

void Hub::DropStranger(Connection& connection, const char* why) {
  ++strangers_;
  connection.socket.Close();
  // A flood of them does not flood the log.
  if (strangers_ > 10 && strangers_ % 100 != 0) return;
  aclimb_log(ACL_WARNING, Cat("hccl: a connection from ", connection.from, " to port ", token_.port,
                              " was dropped: it ", why, " (", strangers_, " so far)")
                              .c_str());
}

void Hub::Close(Connection& connection) {
  if (!connection.socket) return;
  connection.socket.Close();
  if (!connection.joined) return;
  ranks_[connection.rank].connection = nullptr;
  --come_;
  missing_changed_ = true;
  if (failed_) return;
  const char* const text = "its connection closed: the process ended, or its host was cut off";
  if (!complete_) {
    return RefuseAll(HCCL_E_REMOTE, Cat("rank ", connection.rank,
                                        " went away while the ranks joined (", text, ")"));
  }
  for (auto at = exchanges_.begin(); at != exchanges_.end();) {
    const auto& ranks = at->second.ranks;
    if (std::find(ranks.begin(), ranks.end(), connection.rank) == ranks.end()) {
      ++at;
      continue;
    }
    FailExchange(at->first, at->second, HCCL_E_REMOTE,
                 Cat("rank ", connection.rank, " has gone (", text, ")"));
    at = exchanges_.erase(at);
  }
  if (connection.left) {
    SendToAll(FrameType::kLeft, ByteWriter().Number(connection.rank).Take(), &connection);
  } else {
    SendToAll(FrameType::kGone, ByteWriter().Number(connection.rank).Text(text).Take(),
              &connection);
  }
}

void Hub::Tick() {
  const auto now = Clock::now();
  next_tick_ = now + kTick;
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

std::string Hub::WhoIsMissing() const {
  std::string missing;
  size_t count = 0;
  for (size_t rank = 0; rank < ranks_.size(); ++rank) {
    if (ranks_[rank].connection != nullptr) continue;
    if (++count <= 8) missing += Cat(count == 1 ? "" : ", ", rank);
  }
  if (count > 8) missing += Cat(" and ", count - 8, " more");
  return Cat(come_, " of ", ranks_.size(), " ranks have joined; missing: ", missing,
             strangers_ == 0 ? std::string()
                             : Cat(" (", strangers_, " connections of strangers were dropped)"));
}

}  // namespace aclimb::collectives
