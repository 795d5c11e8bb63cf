// What ranks hand to each other by the hub, before they are connected.

#include <algorithm>
#include <iterator>
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
  auto [at, end] = exchanges_.equal_range(key);
  const auto shares = [&](const Exchange& other) {
    return std::find_first_of(other.ranks.begin(), other.ranks.end(), ranks.begin(), ranks.end()) !=
           other.ranks.end();
  };
  while (at != end && !shares(at->second)) ++at;
  const bool differs =
      at != end && (at->second.ranks != ranks || !at->second.pieces[index].empty());
  if (at == end || differs) {
    Exchange mine = {ranks, std::vector<std::vector<std::string>>(ranks.size()), 0};
    mine.pieces[index] = std::move(pieces);
    mine.come = 1;
    const auto gone = std::find_if(ranks.begin(), ranks.end(), [this](uint32_t rank) {
      return ranks_[rank].connection == nullptr;
    });
    if (differs) {
      const char* const text = "the ranks do not agree on which of them make the group";
      FailExchange(key, at->second, HCCL_E_PARA, text);
      FailExchange(key, mine, HCCL_E_PARA, text);
      exchanges_.erase(at);
      return;
    }
    if (gone != ranks.end()) {
      return FailExchange(key, mine, HCCL_E_REMOTE, Cat("rank ", *gone, " has gone"));
    }
    at = exchanges_.emplace(key, std::move(mine));
  } else {
    at->second.pieces[index] = std::move(pieces);
    ++at->second.come;
  }
  const Exchange& exchange = at->second;
  if (exchange.come < ranks.size()) return;
  for (size_t to = 0; to < ranks.size(); ++to) {
    ByteWriter writer;
    writer.Text(key);
    for (const auto& from : exchange.pieces) writer.Text(from[to]);
    Send(*ranks_[ranks[to]].connection, FrameType::kExchanged, writer.Take());
  }
  exchanges_.erase(at);
}

// Of a rank that waits no longer.
void Hub::HandleExchangeFailed(Connection& connection, ByteReader reader) {
  const std::string key(reader.Text());
  const uint32_t code = reader.Number<uint32_t>();
  const std::string text(reader.Text());
  if (!reader.Complete()) return Close(connection);
  auto [at, end] = exchanges_.equal_range(key);
  while (at != end && std::find(at->second.ranks.begin(), at->second.ranks.end(),
                                connection.rank) == at->second.ranks.end()) {
    ++at;
  }
  if (at == end) return;
  FailExchange(key, at->second, code, text);
  exchanges_.erase(at);
}

void Hub::FailExchange(const std::string& key, const Exchange& exchange, uint32_t code,
                       const std::string& text) {
  const std::string body = ByteWriter().Text(key).Number(code).Text(text).Take();
  for (size_t i = 0; i < exchange.ranks.size(); ++i) {
    Connection* const receiver = ranks_[exchange.ranks[i]].connection;
    if (receiver == nullptr || exchange.pieces[i].empty()) continue;
    Send(*receiver, FrameType::kExchangeFailed, body);
  }
}

}  // namespace aclimb::collectives
