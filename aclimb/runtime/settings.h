#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "aclimb/bridge/bridge.h"
#include "aclimb/core/status.h"

namespace aclimb {

// The environment as the runtime understands it, read once at first use.
struct Settings {
  AclimbSettings shared = {};  // the part that our other libraries see
  std::string soc_name;
  std::string problem;         // what is wrong with the environment; empty when nothing is
  std::string device = "cpu";  // ACLIMB_DEVICE
  int devices = 1;             // ACLIMB_DEVICES
  uint64_t memory_bytes = 0;   // ACLIMB_MEMORY; 0 = the backend's default
  bool host_access = false;
  bool strict = false;
  bool missing = false;  // ACLIMB_MISSING
  bool log_stdout = false;
  bool log_stderr = false;
  std::string log_file;
  int log_level = 3;                // of our own lines
  int app_log_level = 3;            // of the program's lines
  std::string visible_devices;      // ASCEND_RT_VISIBLE_DEVICES; empty when not set
  const Settings* older = nullptr;  // what a reload replaced; others may still read it
};

// Never destroyed; a reload makes a new one and leaves the old one where it is.
const Settings& CurrentSettings();

// 100000 when a variable has a value that it cannot have.
Status CheckEnvironment();

// The devices of `count` that the list names, as the interface reads it: ascending numbers
// separated by commas, up to the first token that is not one. An empty list means all.
std::vector<int> VisibleDevices(const std::string& list, int count);

}  // namespace aclimb
