#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "aclimb/core/status.h"

namespace aclimb::collectives {

// The variables HCCL_* as they are when a communicator is made.
struct Settings {
  std::chrono::seconds connect_timeout{120};
  std::chrono::milliseconds exec_timeout{1836 * 1000};  // kForever when the variable is 0
  bool deterministic = false;                           // reductions add in the order of the ranks
  bool ipv6 = false;
  std::string address;     // HCCL_IF_IP
  std::string interfaces;  // HCCL_SOCKET_IFNAME
  uint16_t base_port = 0;  // 0: any free port
  std::string whitelist;   // file of the addresses that may join; empty: all may
};

// Longer than any program runs, and short enough to be added to a clock.
constexpr std::chrono::milliseconds kForever = std::chrono::hours(24 * 365);

// HCCL_E_PARA names the variable that has a wrong value.
Result<Settings> ReadSettings();
// What is wrong with the variables' values, "the environment variable HCCL_BUFFSIZE is "0";
// expected 1 to 1048576.", one text for each of them.
std::vector<std::string> SettingsProblems();

// HcclSetConfig of HCCL_DETERMINISTIC, for the process; wins over the variable.
void SetDeterministic(bool deterministic);
bool IsDeterministic();

}  // namespace aclimb::collectives
