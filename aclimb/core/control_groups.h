#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace aclimb {

// A control group that bounds the process: its own or one above it.
struct ControlGroup {
  std::string name;    // as the system tells it: "/docker/3f2a"
  std::string folder;  // where its files are
  int version = 2;
};

// The groups of a process that can bound it by this controller ("cpu", "memory", "pids"), in both
// versions: from its own one up to the highest that can be seen. Not every folder of version 2 has
// the controller's files.
//   groups, mounts  content of the process's /proc/PID/cgroup and /proc/PID/mountinfo
std::vector<ControlGroup> ControlGroupsOf(std::string_view controller, std::string_view groups,
                                          std::string_view mounts);
// This process's, in the file system below `root`: "" but for tests.
std::vector<ControlGroup> ControlGroupsOf(std::string_view controller,
                                          const std::string& root = "");

// Content of a small file; empty when it cannot be read.
std::string ReadSmallFile(const std::string& path);

}  // namespace aclimb
