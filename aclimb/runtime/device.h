#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <set>
#include <vector>

#include "aclimb/backend/backend.h"
#include "aclimb/core/status.h"

namespace aclimb {

struct Context;

// A device as the program numbers it. Lives as long as the process.
struct Device {
  int id = 0;             // the program's number
  int backend_index = 0;  // the backend's
  // Null before the first opening; kept when the device closes, for calls that are under way then.
  std::atomic<AclimbDevice*> handle{nullptr};
  // Guarded by ProcessMutex():
  bool open = false;
  int set_count = 0;
  Context* primary = nullptr;
  std::vector<Context*> contexts;  // the primary one included
  std::set<int> peers;             // devices to which the way was opened
  std::atomic<int> overflow_mode{1};
  std::atomic<int32_t> next_stream_id{0};
};

// Serialises initialisation, and the creation and destruction of contexts and streams. Never held
// while waiting for work or while calling the program.
std::mutex& ProcessMutex();

// The backend of this process, chosen and configured at the first call.
Result<const AclimbBackend*> LoadedBackend();
// LoadedBackend() where a device is known to exist.
const AclimbBackend& Backend();

// Number of devices that the process sees.
Result<int> DeviceCount();
// 107001 when there is no such device. Does not open it.
Result<Device*> FindDevice(int32_t id, const char* argument);
// Under ProcessMutex(): opens the device if it is not open.
Status OpenDevice(Device& device);

}  // namespace aclimb
