// Who comes to the hub, and whom it lets in.

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "acl/acl_base.h"
#include "aclimb/bridge/bridge.h"
#include "aclimb/collectives/hub.h"
#include "aclimb/core/text.h"
#include "hccl/hccl_types.h"

namespace aclimb::collectives {
namespace {

constexpr size_t kMostStrangers = 256;
constexpr size_t kMostAtOnce = 64;  // accepted before those that are there are read again
constexpr uint32_t kMostRanks = 65536;

std::string RefusalBody(uint32_t code, const std::string& text) {
  return ByteWriter().Number(code).Text(text).Take();
}

}  // namespace

void Hub::AcceptAll() {
  for (size_t i = 0; i < kMostAtOnce && listener_; ++i) {
    Endpoint from;
    Socket socket = Accept(listener_, &from);
    if (!socket) return NoneAccepted(errno);
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
    // Before it can be the one that makes room.
    ReadOrClose(*connections_.back());
    const auto strangers = std::count_if(connections_.begin(), connections_.end(), IsStranger);
    if (static_cast<size_t>(strangers) > kMostStrangers) {
      DropOldest("said nothing while many came after it");
    }
  }
}

void Hub::NoneAccepted(int error) {
  if (error != EMFILE && error != ENFILE && error != ENOBUFS && error != ENOMEM) return;
  if (DropOldest("said nothing while the process had no descriptor left")) return;
  // Without this, who cannot be accepted would have poll return for ever.
  rests_ = true;
  if (complete_ || failed_) return;
  const std::string text = Cat("the root's process cannot accept a connection (",
                               std::generic_category().message(error), ")");
  // The rank that comes is not told: that would take the connection.
  aclimb_log(ACL_ERROR, Cat("hccl: ", text, ": the ranks do not come together").c_str());
  RefuseAll(HCCL_E_SYSCALL, text);
}

bool Hub::DropOldest(const char* why) {
  const auto oldest = std::find_if(connections_.begin(), connections_.end(), IsStranger);
  if (oldest == connections_.end()) return false;
  DropStranger(**oldest, why);
  connections_.erase(oldest);
  return true;
}

bool Hub::IsStranger(const std::unique_ptr<Connection>& connection) {
  return connection->socket && !connection->joined && !connection->over;
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
  if (!whole || !Equal(secret, token_.secret)) {
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
  if (complete_ || failed_) return refuse(too_late_.text, too_late_.code);
  if (size == 0 || size > kMostRanks) {
    const std::string text =
        Cat("rank ", rank, " passed nRanks = ", size, "; a group has 1 to ", kMostRanks);
    refuse(text);
    return RefuseAll(HCCL_E_PARA, text);
  }
  if (!ranks_.empty() && ranks_.size() != size) {
    const std::string text = Cat("rank ", rank, " passed nRanks = ", size,
                                 ", and the first rank to come passed ", ranks_.size());
    refuse(text);
    return RefuseAll(HCCL_E_PARA, text);
  }
  if (rank >= size) return refuse(Cat("rank is ", rank, " of ", size, " ranks"));
  ranks_.resize(size);
  listens_until_ = Clock::time_point::max();
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
  Settle(HCCL_E_PARA, Cat("all ", size, " ranks have joined already"));
  ByteWriter welcome;
  for (const Rank& each : ranks_) welcome.Text(each.about);
  SendToAll(FrameType::kWelcome, welcome.Take());
}

void Hub::RefuseAll(uint32_t code, const std::string& text) {
  if (!std::exchange(failed_, true)) {
    Settle(code, Cat("the group has failed to come together before: ", text));
  }
  SendToAll(FrameType::kRefused, RefusalBody(code, text));
  for (const auto& connection : connections_) {
    if (connection->joined) connection->over = true;
  }
}

void Hub::Settle(uint32_t code, const std::string& text) {
  too_late_ = {code, text};
  listens_until_ = Clock::now() + late_time_;
  if (once_) NoteUsed(token_.secret, too_late_);
  // Whoever is told may listen at the port at once.
  if (late_time_ == Clock::duration::zero()) StopListening();
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
