#include <chrono>

#include "aclimb/framework.h"

extern "C" {

int32_t MsprofRegisterCallback(uint32_t, void*) { return 0; }
int32_t MsprofReportApi(uint32_t, const void*) { return 0; }
int32_t MsprofReportCompactInfo(uint32_t, const void*, uint32_t) { return 0; }
int32_t MsprofReportAdditionalInfo(uint32_t, const void*, uint32_t) { return 0; }

uint64_t MsprofGetHashId(const char* hashInfo, size_t length) {
  // FNV-1a.
  uint64_t hash = 0xcbf29ce484222325u;
  for (size_t i = 0; hashInfo != nullptr && i < length; ++i) {
    hash = (hash ^ static_cast<unsigned char>(hashInfo[i])) * 0x100000001b3u;
  }
  return hash != 0 ? hash : 1;
}

uint64_t MsprofSysCycleTime() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<uint64_t>(std::chrono::nanoseconds(now).count());
}

}  // extern "C"
