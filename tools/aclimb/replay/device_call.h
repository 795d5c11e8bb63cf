#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tools/aclimb/replay/recording.h"

namespace aclimb::cli {

// What a recorded call gives on this machine.
struct CallOutcome {
  uint64_t workspace = 0;
  int phase1 = 0;
  std::optional<int> phase2;
  std::optional<int> run;  // of the wait for the stream
  std::string message;     // of the first that failed
  // The storage from the first element of the view to the last.
  std::map<truth::Slot, std::vector<unsigned char>> outputs;
};

// Calls both phases as they were recorded, with the toolkit's libraries and through public
// functions alone; the first phase alone when the recorded call was refused. Throws Unreadable
// when data are missing, and std::runtime_error when the device does not do what prepares the call.
CallOutcome RunCall(const Recording& recording, const std::string& toolkit);

}  // namespace aclimb::cli
