// What ranks hand to each other by the hub, before they are connected.

#include <algorithm>
#include <utility>

#include "aclimb/collectives/hub.h"
#include "aclimb/core/text.h"
#include "hccl/hccl_types.h"

namespace aclimb::collectives {

void Hub::HandleExchange(Connection& connection, ByteReader reader) {
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
  const bool is_first = own == end, agreed = other == end;
  if (is_first) {
    own = exchanges_.emplace(key, Exchange{{ranks, std::vector<bool>(ranks.size())},
                                           std::vector<std::vector<std::string>>(ranks.size())});
  }
  own->second.pieces[index] = std::move(pieces);
  own->second.come[index] = true;
  const auto fail = [&](auto at, uint32_t code, const std::string& text) {
    FailExchange(key, at->second, code, text);
    exchanges_.erase(at);
  };
  if (!agreed) {
    const char* const text = "the ranks do not agree on which of them make the group";
    fail(other, HCCL_E_PARA, text);
    return fail(own, HCCL_E_PARA, text);
  }
  if (is_first) {
    const auto gone = std::find_if(ranks.begin(), ranks.end(), [this](uint32_t rank) {
      return ranks_[rank].connection == nullptr;
    });
    if (gone != ranks.end()) {
      return fail(own, HCCL_E_REMOTE, Cat("rank ", *gone, " has gone"));
    }
  }
  const Exchange& exchange = own->second;
  if (!exchange.IsComplete()) return;
  for (size_t to = 0; to < ranks.size(); ++to) {
    ByteWriter writer;
    writer.Text(key);
    for (const auto& from : exchange.pieces) writer.Text(from[to]);
    Send(*ranks_[ranks[to]].connection, FrameType::kExchanged, writer.Take());
  }
  exchanges_.erase(own);
}

// Of a rank that waits no longer.
void Hub::HandleExchangeFailed(Connection& connection, ByteReader reader) {
  const std::string key(reader.Text());
  const uint32_t code = reader.Number<uint32_t>();
  const std::string text(reader.Text());
  if (!reader.Complete()) return Close(connection);
  const auto [begin, end] = exchanges_.equal_range(key);
  const auto at = std::find_if(
      begin, end, [&](const auto& each) { return each.second.HasCome(connection.rank); });
  if (at == end) return;
  FailExchange(key, at->second, code, text);
  exchanges_.erase(at);
}

void Hub::FailExchange(const std::string& key, const Exchange& exchange, uint32_t code,
                       const std::string& text) {
  const std::string body = ByteWriter().Text(key).Number(code).Text(text).Take();
  for (size_t i = 0; i < exchange.ranks.size(); ++i) {
    Connection* const receiver = ranks_[exchange.ranks[i]].connection;
    if (receiver == nullptr || !exchange.come[i]) continue;
    Send(*receiver, FrameType::kExchangeFailed, body);
  }
}

}  // namespace aclimb::collectives
