#include "aclimb/runtime/init.h"

#include <atomic>
#include <mutex>

#include "acl/acl_rt.h"
#include "aclimb/runtime/config_file.h"
#include "aclimb/runtime/device.h"
#include "aclimb/runtime/entry.h"
#include "aclimb/runtime/error.h"
#include "aclimb/runtime/refusals.h"
#include "aclimb/runtime/settings.h"

namespace aclimb {
namespace {

std::atomic<uint64_t> init_count{0};
std::atomic<int> default_device{-1};

Status NotInitialized() {
  return Refuse(kRepeatFinalize,
                "aclFinalize is called without an aclInit before it; expected one aclInit for each "
                "aclFinalize.",
                "leave the call out, or ignore this code", "runtime/finalize/again");
}

Status Init(const char* path) {
  std::lock_guard<std::mutex> lock(ProcessMutex());
  if (init_count.load(std::memory_order_relaxed) != 0) {
    init_count.fetch_add(1, std::memory_order_relaxed);
    return Refuse(kRepeatInitialize,
                  "aclInit was called before; expected one call. Nothing has changed.",
                  "ignore this code, or call aclFinalize in between", "runtime/init/again");
  }
  ACLIMB_CHECK_OK(CheckEnvironment());
  Config config;
  if (path != nullptr) {
    Result<Config> read = ReadConfig(path);
    if (!read.ok()) return read.TakeStatus();
    config = read.value();
  }
  if (config.default_device >= 0) {
    Result<Device*> device = FindDevice(config.default_device, "default_device");
    if (!device.ok()) return device.TakeStatus();
  }
  ShareMessages(config.share_messages);
  default_device.store(config.default_device, std::memory_order_relaxed);
  init_count.store(1, std::memory_order_release);
  return Ok();
}

// Under ProcessMutex().
void Forget() {
  init_count.store(0, std::memory_order_release);
  default_device.store(-1, std::memory_order_relaxed);
  ShareMessages(false);
}

}  // namespace

Status CheckUsable() {
  ACLIMB_CHECK_OK(CheckEnvironment());
  if (CurrentSettings().strict && init_count.load(std::memory_order_acquire) == 0) {
    return Refuse(kUninitialized,
                  "aclInit was not called, and ACLIMB_STRICT is 1; expected aclInit first.",
                  "call aclInit(nullptr) before other functions", "runtime/init/missing");
  }
  return Ok();
}

int DefaultDevice() { return default_device.load(std::memory_order_relaxed); }

}  // namespace aclimb

extern "C" {

aclError aclInit(const char* configPath) {
  return aclimb::Enter("aclInit", [&] { return aclimb::Init(configPath); });
}

aclError aclFinalize() {
  return aclimb::Enter("aclFinalize", []() -> aclimb::Status {
    std::lock_guard<std::mutex> lock(aclimb::ProcessMutex());
    if (aclimb::init_count.load(std::memory_order_relaxed) == 0) return aclimb::NotInitialized();
    aclimb::Forget();
    return aclimb::Ok();
  });
}

aclError aclFinalizeReference(uint64_t* refCount) {
  return aclimb::Enter("aclFinalizeReference", [&]() -> aclimb::Status {
    std::lock_guard<std::mutex> lock(aclimb::ProcessMutex());
    const uint64_t count = aclimb::init_count.load(std::memory_order_relaxed);
    if (count == 0) return aclimb::NotInitialized();
    if (count == 1) {
      aclimb::Forget();
    } else {
      aclimb::init_count.store(count - 1, std::memory_order_relaxed);
    }
    if (refCount != nullptr) *refCount = count - 1;
    return aclimb::Ok();
  });
}

}  // extern "C"
