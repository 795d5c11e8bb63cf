// What ranks hand to each other by the hub, before they are connected.

#include <algorithm>
#include <optional>
#include <utility>

#include "aclimb/collectives/hub.h"
#include "aclimb/core/text.h"
#include "hccl/hccl_types.h"

namespace aclimb::collectives {

std::optional<bool> Hub::Exchange::HasCome(uint32_t rank) const {
  const auto at = std::find(ranks.begin(), ranks.end(), rank);
  if (at == ranks.end()) return std::nullopt;
  return !pieces[static_cast<size_t>(at - ranks.begin())].empty();
}

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
  const auto open_ones = exchanges_.equal_range(key);
  const auto begin = open_ones.first, end = open_ones.second;
  auto own = std::find_if(begin, end, [&](const auto& each) {
    return each.second.ranks == ranks && each.second.pieces[index].empty();
  });
  // A rank that is ahead opens several groups of one key. Another one disagrees with it where it
  // waits for it elsewhere.
  const auto other = std::find_if(begin, end, [&](const auto& each) {
    const Exchange& open = each.second;
    return open.ranks != ranks && open.HasCome(connection.rank) == false &&
           std::any_of(ranks.begin(), ranks.end(), [&](uint32_t rank) {
             return open.HasCome(rank) == true &&
                    (own == end || own->second.HasCome(rank) == false);
           });
  });
  const bool agreed = other == end;
  if (own == end) {
    own = exchanges_.emplace(
        key, Exchange{ranks, std::vector<std::vector<std::string>>(ranks.size()), 0});
  }
  own->second.pieces[index] = std::move(pieces);
  ++own->second.come;
  const auto fail = [&](auto at, uint32_t code, const std::string& text) {
    FailExchange(key, at->second, code, text);
    exchanges_.erase(at);
  };
  if (!agreed) {
    const char* const text = "the ranks do not agree on which of them make the group";
    fail(other, HCCL_E_PARA, text);
    return fail(own, HCCL_E_PARA, text);
  }
  const auto gone = std::find_if(ranks.begin(), ranks.end(), [this](uint32_t rank) {
    return ranks_[rank].connection == nullptr;
  });
  if (own->second.come == 1 && gone != ranks.end()) {
    return fail(own, HCCL_E_REMOTE, Cat("rank ", *gone, " has gone"));
  }
  const Exchange& exchange = own->second;
  if (exchange.come < ranks.size()) return;
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
      begin, end, [&](const auto& each) { return each.second.HasCome(connection.rank) == true; });
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
