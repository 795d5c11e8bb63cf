#pragma once

#include <string>
#include <vector>

#include "aclimb/collectives/settings.h"
#include "aclimb/core/status.h"

namespace aclimb::collectives {

// One address of the machine.
struct HostAddress {
  std::string interface;
  std::string address;  // numeric
  bool ipv6 = false;
  bool loopback = false;
};

// Whether HCCL_SOCKET_IFNAME's value takes the interface: a comma list of beginnings ("eth"), or of
// whole names after "="; after "^" those that are not taken.
bool TakesInterface(const std::string& value, const std::string& interface);

// The address that others reach this machine by: HCCL_IF_IP, else the first of HCCL_SOCKET_IFNAME's
// interfaces, else the first that is neither a container's bridge nor the loopback.
Result<std::string> ChooseAddress(const Settings& settings, const std::vector<HostAddress>& all);
// Those of the machine, of interfaces that are up.
std::vector<HostAddress> HostAddresses();

// The addresses that may join, of the file that HCCL_WHITELIST_FILE names: {"host_ip": ["a", ...]}.
Result<std::vector<std::string>> ReadWhitelist(const std::string& file);

}  // namespace aclimb::collectives
