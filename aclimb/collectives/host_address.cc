#include "aclimb/collectives/host_address.h"

#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>

#include "aclimb/collectives/socket.h"
#include "aclimb/core/text.h"
#include "hccl/hccl_types.h"

namespace aclimb::collectives {
namespace {

Status NoAddress(const Settings& settings, const std::vector<HostAddress>& all) {
  std::string found;
  for (const HostAddress& each : all) {
    found += Cat(found.empty() ? "" : ", ", each.interface, " ", each.address);
  }
  const char* const family = settings.ipv6 ? "AF_INET6" : "AF_INET";
  return Refuse(
      HCCL_E_NOT_FOUND,
      settings.interfaces.empty()
          ? Cat("the machine has no address of the family ", family, " (it has ",
                found.empty() ? "none" : found, "); expected one.")
          : Cat("HCCL_SOCKET_IFNAME is \"", settings.interfaces,
                "\" but no interface that is up has such a name and an address of the "
                "family ",
                family, " (there are ", found.empty() ? "none" : found, "); expected one."),
      "correct HCCL_SOCKET_IFNAME or HCCL_SOCKET_FAMILY, or name the address with "
      "HCCL_IF_IP",
      "collective/address");
}

}  // namespace

bool TakesInterface(const std::string& value, const std::string& interface) {
  std::string_view rest = value;
  const bool without = rest.starts_with('^');
  if (without) rest.remove_prefix(1);
  const bool whole = rest.starts_with('=');
  if (whole) rest.remove_prefix(1);
  bool named = false;
  while (!rest.empty()) {
    const std::string_view name = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), name.size() + 1));
    if (name.empty()) continue;
    named = named || (whole ? interface == name : interface.starts_with(name));
  }
  return named != without;
}

Result<std::string> ChooseAddress(const Settings& settings, const std::vector<HostAddress>& all) {
  if (!settings.address.empty()) {
    Endpoint endpoint;
    if (!ParseEndpoint(settings.address, 0, &endpoint) || IsWildcard(endpoint)) {
      return Refuse(HCCL_E_PARA,
                    Cat("the environment variable HCCL_IF_IP is \"", settings.address,
                        "\"; expected a numeric address of this machine that others reach it by."),
                    "correct the variable, or unset it", "collective/environment");
    }
    return settings.address;
  }
  // Later stages are taken when the earlier ones have nothing.
  for (const int stage : {0, 1, 2}) {
    for (const HostAddress& each : all) {
      if (each.ipv6 != settings.ipv6) continue;
      if (!settings.interfaces.empty()) {
        if (TakesInterface(settings.interfaces, each.interface)) return each.address;
        continue;
      }
      const bool bridge = each.interface.starts_with("docker");
      if (stage == (each.loopback ? 2 : bridge ? 1 : 0)) return each.address;
    }
  }
  return NoAddress(settings, all);
}

std::vector<HostAddress> HostAddresses() {
  ifaddrs* first = nullptr;
  if (getifaddrs(&first) != 0) return {};
  const std::unique_ptr<ifaddrs, decltype(&freeifaddrs)> list(first, &freeifaddrs);
  std::vector<HostAddress> found;
  for (const ifaddrs* each = first; each != nullptr; each = each->ifa_next) {
    if (each->ifa_addr == nullptr || (each->ifa_flags & IFF_UP) == 0) continue;
    const int family = each->ifa_addr->sa_family;
    if (family != AF_INET && family != AF_INET6) continue;
    char text[NI_MAXHOST] = "";
    const socklen_t bytes = family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
    if (getnameinfo(each->ifa_addr, bytes, text, sizeof(text), nullptr, 0, NI_NUMERICHOST) != 0) {
      continue;
    }
    found.push_back(
        {each->ifa_name, text, family == AF_INET6, (each->ifa_flags & IFF_LOOPBACK) != 0});
  }
  return found;
}

Result<std::vector<std::string>> ReadWhitelist(const std::string& file) {
  std::ifstream stream(file);
  if (!stream) {
    return Refuse(HCCL_E_OPEN_FILE_FAILURE,
                  Cat("HCCL_WHITELIST_FILE is \"", file,
                      "\", which cannot be read; expected a "
                      "file {\"host_ip\": [\"192.168.0.1\", ...]}."),
                  "correct the path, or set HCCL_WHITELIST_DISABLE=1", "collective/whitelist");
  }
  std::vector<std::string> addresses;
  const auto json = nlohmann::json::parse(stream, nullptr, /*allow_exceptions=*/false);
  bool good = json.is_object() && json.contains("host_ip") && json["host_ip"].is_array();
  if (good) {
    for (const auto& each : json["host_ip"]) {
      good = good && each.is_string();
      if (good) addresses.push_back(each.get<std::string>());
    }
  }
  if (!good) {
    return Refuse(HCCL_E_PARA,
                  Cat("the file ", file,
                      " that HCCL_WHITELIST_FILE names is no list of addresses; "
                      "expected {\"host_ip\": [\"192.168.0.1\", ...]}."),
                  "correct the file, or set HCCL_WHITELIST_DISABLE=1", "collective/whitelist");
  }
  return addresses;
}

}  // namespace aclimb::collectives
