#include "aclimb/collectives/rank_table.h"

#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>

#include "aclimb/collectives/errors.h"
#include "aclimb/collectives/hub.h"
#include "aclimb/collectives/make.h"
#include "aclimb/collectives/operation.h"
#include "aclimb/collectives/socket.h"
#include "aclimb/core/json_depth.h"
#include "aclimb/core/parse.h"
#include "aclimb/core/text.h"
#include "hccl/hccl_types.h"

namespace aclimb::collectives {
namespace {

using Json = nlohmann::json;

// All ranks of one server find each other by it.
constexpr const char* kThisHost = "127.0.0.1";
constexpr int kDeepest = 32;

Status NoTable(const std::string& file, const std::string& what) {
  return Refuse(HCCL_E_PARA,
                Cat("the rank table ", file, " ", what,
                    "; expected {\"server_list\": [{\"server_id\": \"node_0\", \"host_ip\": "
                    "\"192.168.0.1\", \"device\": "
                    "[{\"rank_id\": \"0\"}, ...]}, ...]}."),
                "correct the file; the toolkit's documentation describes it",
                "collective/rank-table");
}

const Json* Find(const Json& object, const char* name) {
  const auto found = object.is_object() ? object.find(name) : object.end();
  return found == object.end() ? nullptr : &*found;
}

// The numeric address of the server, which names one host, or an empty text.
std::string AddressOf(const Json& server) {
  const Json* const named = Find(server, "host_ip");
  const Json& address = named != nullptr ? *named : *Find(server, "server_id");
  if (!address.is_string()) return {};
  Endpoint endpoint;
  const auto& text = address.get_ref<const std::string&>();
  return ParseEndpoint(text, 0, &endpoint) && !IsWildcard(endpoint) ? text : std::string();
}

}  // namespace

Result<RankTable> ReadRankTable(const std::string& file) {
  std::ifstream stream(file);
  if (!stream) {
    return Refuse(HCCL_E_OPEN_FILE_FAILURE,
                  Cat("the rank table ", file, " cannot be read; expected a file in JSON."),
                  "pass the path of the rank table", "collective/rank-table");
  }
  const std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  if (JsonDepth(text) > kDeepest) {
    return NoTable(file, Cat("is nested deeper than ", kDeepest, " levels"));
  }
  const Json table = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  const Json* const servers = Find(table, "server_list");
  if (servers == nullptr || !servers->is_array()) return NoTable(file, "has no server_list");
  std::map<uint32_t, const Json*> server_of;  // by rank
  for (const Json& server : *servers) {
    const Json* const id = Find(server, "server_id");
    const Json* const devices = Find(server, "device");
    if (id == nullptr || !id->is_string() || devices == nullptr || !devices->is_array()) {
      return NoTable(file, "has a server without server_id or device");
    }
    for (const Json& device : *devices) {
      const Json* const number = Find(device, "rank_id");
      uint32_t rank = 0;
      if (number == nullptr || !number->is_string() ||
          !ParseWhole(number->get_ref<const std::string&>(), &rank)) {
        return NoTable(file, "has a device without rank_id");
      }
      if (!server_of.emplace(rank, &server).second) {
        return NoTable(file, Cat("has rank ", rank, " twice"));
      }
    }
  }
  const size_t size = server_of.size();
  if (size == 0 || server_of.rbegin()->first + 1 != size) {
    return NoTable(file, Cat("has ", size, " ranks, but not 0 to ", size, " - 1"));
  }
  RankTable read;
  read.size = static_cast<uint32_t>(size);
  const Json& root = *server_of[0];
  const bool alone = servers->size() == 1 && Find(root, "host_ip") == nullptr;
  read.root = alone ? kThisHost : AddressOf(root);
  if (read.root.empty()) {
    return NoTable(file, "has no numeric address of rank 0's server as its host_ip or server_id");
  }
  for (const char letter : table.dump())
    read.digest = Mix(read.digest, static_cast<uint8_t>(letter));
  return read;
}

Result<CommunicatorRef> JoinTable(const char* file, uint32_t rank, const Wishes& wishes) {
  Result<RankTable> table = ReadRankTable(file);
  if (!table.ok()) return table.TakeStatus();
  const uint32_t size = table.value().size;
  if (rank >= size) {
    return BadParameter("rank", rank, Cat("a rank of the table, 0 to ", size - 1), "rank",
                        "pass the rank_id of this rank's device");
  }
  if (size == 1) return MakeAlone(wishes);
  // All ranks compute the same place from the same table.
  constexpr uint16_t kDocumentedPort = 60000;
  constexpr uint64_t kPorts = 32;
  const uint16_t base = wishes.settings.base_port;
  Token token;
  token.address = table.value().root;
  token.port =
      static_cast<uint16_t>((base == 0 ? kDocumentedPort : base) + table.value().digest % kPorts);
  for (size_t i = 0; i < token.secret.size(); ++i) {
    token.secret[i] = static_cast<uint8_t>(Mix(table.value().digest, i));
  }
  // Without one no rank joins, and the hub would hold the port for long.
  Result<int32_t> device = CurrentDevice();
  if (!device.ok()) return device.TakeStatus();
  if (rank == 0) {
    if (Status started = Hub::StartAt(token, wishes.settings); !started.ok()) return started;
  }
  return JoinGroup(token, size, rank, wishes);
}

}  // namespace aclimb::collectives
