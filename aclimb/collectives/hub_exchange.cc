// What ranks hand to each other by the hub, before they are connected.

#include <algorithm>
#include <utility>

#include "aclimb/collectives/hub.h"
#include "aclimb/core/text.h"
#include "hccl/hccl_types.h"

namespace aclimb::collectives {
namespace {

constexpr const char* kDisagree = "the ranks do not agree on which of them make the group";

std::string FailureBody(uint64_t number, uint32_t code, const std::string& text) {
  return ByteWriter().Number(number).Number(code).Text(text).Take();
}

}  // namespace

void Hub::HandleExchange(Connection& connection, ByteReader reader) {
  const auto number = reader.Number<uint64_t>();
  const std::string key(reader.Text());
  std::vector<uint32_t> ranks(std::min<size_t>(reader.Number<uint32_t>(), ranks_.size()));
  for (uint32_t& rank : ranks) rank = reader.Number<uint32_t>();
  std::vector<std::string> pieces(ranks.size());
  for (std::string& piece : pieces) piece = reader.Text();
  const auto place = std::find(ranks.begin(), ranks.end(), connection.rank);
  const bool known = std::all_of(ranks.begin(), ranks.end(),
                                 [this](uint32_t rank) { return rank < ranks_.size(); });
  if (!reader.Complete() || place == ranks.end() || !known) return Close(connection);
  const auto index = static_cast<size_t>(place - ranks.begin());
  const auto [begin, end] = exchanges_.equal_range(key);
  auto [own, other] = FindForming(begin, end, ranks, connection.rank);
  if (own != end && own->second.failed) {
    Send(connection, FrameType::kExchangeFailed, FailureBody(number, HCCL_E_PARA, kDisagree));
    own->second.come[index] = true;
    if (own->second.IsComplete()) exchanges_.erase(own);
    return;
  }
  const bool is_first = own == end, agreed = other == end;
  if (is_first) {
    own = exchanges_.emplace(key, Exchange{{ranks, std::vector<bool>(ranks.size())},
                                           std::vector<std::vector<std::string>>(ranks.size()),
                                           std::vector<uint64_t>(ranks.size())});
  }
  Exchange& exchange = own->second;
  exchange.pieces[index] = std::move(pieces);
  exchange.numbers[index] = number;
  exchange.come[index] = true;
  if (!agreed) {
    for (const auto each : {own, other}) FailExchange(each->second, HCCL_E_PARA, kDisagree);
    Disagree(&own->second, &other->second);
    for (const auto each : {own, other}) {
      if (each->second.IsComplete()) exchanges_.erase(each);
    }
    return;
  }
  if (is_first) {
    const auto gone = std::find_if(ranks.begin(), ranks.end(), [this](uint32_t rank) {
      return ranks_[rank].connection == nullptr;
    });
    if (gone != ranks.end()) {
      FailExchange(exchange, HCCL_E_REMOTE, Cat("rank ", *gone, " has gone"));
      exchanges_.erase(own);
      return;
    }
  }
  if (!exchange.IsComplete()) return;
  ++groups_;
  for (size_t to = 0; to < ranks.size(); ++to) {
    ByteWriter writer;
    writer.Number(exchange.numbers[to]).Number(groups_);
    for (const auto& from : exchange.pieces) writer.Text(from[to]);
    Send(*ranks_[ranks[to]].connection, FrameType::kExchanged, writer.Take());
  }
  exchanges_.erase(own);
}

// Of a rank that waits no longer.
void Hub::HandleExchangeFailed(Connection& connection, ByteReader reader) {
  const auto number = reader.Number<uint64_t>();
  const auto code = reader.Number<uint32_t>();
  const std::string text(reader.Text());
  if (!reader.Complete()) return Close(connection);
  const auto at = std::find_if(exchanges_.begin(), exchanges_.end(), [&](const auto& each) {
    const Exchange& open = each.second;
    const auto place = std::find(open.ranks.begin(), open.ranks.end(), connection.rank);
    const auto index = static_cast<size_t>(place - open.ranks.begin());
    return !open.failed && open.HasCome(connection.rank) && open.numbers[index] == number;
  });
  if (at == exchanges_.end()) return;
  FailExchange(at->second, code, text, &connection);
  exchanges_.erase(at);
}

void Hub::FailExchange(const Exchange& exchange, uint32_t code, const std::string& text,
                       const Connection* but) {
  for (size_t i = 0; i < exchange.ranks.size(); ++i) {
    Connection* const receiver = ranks_[exchange.ranks[i]].connection;
    if (receiver == nullptr || receiver == but || !exchange.come[i]) continue;
    Send(*receiver, FrameType::kExchangeFailed, FailureBody(exchange.numbers[i], code, text));
  }
}

}  // namespace aclimb::collectives
