#pragma once

#include <string>

#include "aclimb/core/status.h"

namespace aclimb {

// What aclInit's JSON file can change. Keys that mean nothing here are ignored.
struct Config {
  bool share_messages = false;  // err_msg_mode "1"
  int default_device = -1;      // defaultDevice.default_device
};

//   errors  100003 unreadable, 100006 not JSON or nested deeper than 10, 100009 a dump section that
//           is no object, 100010 a profiler section that is no object, 100000 a wrong value
Result<Config> ReadConfig(const std::string& path);

}  // namespace aclimb
