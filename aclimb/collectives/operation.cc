#include "aclimb/collectives/operation.h"

#include "aclimb/collectives/datatype.h"
#include "aclimb/core/text.h"

namespace aclimb::collectives {

uint64_t Mix(uint64_t seed, uint64_t value) {
  uint64_t mixed = (seed ^ value) + 0x9E3779B97F4A7C15u;
  mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9u;
  mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EBu;
  return mixed ^ mixed >> 31;
}

uint64_t Operation::bytes() const { return count * SizeOf(type); }

bool Operation::Reduces() const {
  return kind == Kind::kAllReduce || kind == Kind::kReduce || kind == Kind::kReduceScatter;
}

bool Operation::HasRoot() const {
  return kind == Kind::kReduce || kind == Kind::kBroadcast || kind == Kind::kScatter;
}

uint64_t Operation::Signature() const {
  uint64_t mixed = Mix(number, static_cast<uint64_t>(kind));
  for (const char* letter = function; *letter != '\0'; ++letter) {
    mixed = Mix(mixed, static_cast<uint8_t>(*letter));
  }
  if (kind == Kind::kTransfers) {
    for (const Transfer& each : transfers) mixed = Mix(Mix(mixed, each.peer), each.bytes);
    return mixed;
  }
  mixed = Mix(mixed, static_cast<uint64_t>(type));
  if (Reduces()) mixed = Mix(mixed, static_cast<uint64_t>(op));
  mixed = Mix(mixed, root);
  switch (kind) {
    case Kind::kReduceScatter:
      for (const Block& block : in_blocks) mixed = Mix(mixed, block.bytes);
      break;
    case Kind::kAllGather:
      for (const Block& block : out_blocks) mixed = Mix(mixed, block.bytes);
      break;
    case Kind::kAllToAll:
      break;  // each pair has counts of its own
    default:
      mixed = Mix(mixed, count);
  }
  return mixed;
}

std::vector<Flow> Operation::Flows(uint32_t rank) const {
  std::vector<Flow> flows;
  for (const Transfer& each : transfers) {
    if (each.peer != rank) flows.push_back({each.peer, each.sends, each.number, each.bytes});
  }
  if (kind != Kind::kAllToAll) return flows;
  for (uint32_t peer = 0; peer < in_blocks.size(); ++peer) {
    if (peer == rank) continue;
    flows.push_back({peer, true, number, in_blocks[peer].bytes});
    flows.push_back({peer, false, number, out_blocks[peer].bytes});
  }
  return flows;
}

std::string Operation::Text() const {
  return place.empty() ? TextOfCall() : Cat(TextOfCall(), ", called in ", place);
}

std::string Operation::TextOfCall() const {
  std::string text;
  if (kind == Kind::kTransfers) {
    text = Cat(function, "(");
    for (size_t i = 0; i < transfers.size() && i < 8; ++i) {
      const Transfer& each = transfers[i];
      text +=
          Cat(i == 0 ? "" : ", ", each.bytes, " bytes ", each.sends ? "to" : "from", " rank ",
              each.peer, " (", each.sends ? "send " : "receive ", each.number, " of this pair)");
    }
    return text + (transfers.size() > 8 ? ", ...)" : ")");
  }
  text = Cat("call ", number, ": ", function, "(");
  if (kind == Kind::kBarrier) return text + ")";
  if (kind != Kind::kAllToAll) text += Cat("count = ", count, ", ");
  text += Cat("dataType = ", NameOf(type));
  if (Reduces()) text += Cat(", op = ", NameOf(op));
  if (HasRoot()) text += Cat(", root = ", root);
  return text + ")";
}

}  // namespace aclimb::collectives
