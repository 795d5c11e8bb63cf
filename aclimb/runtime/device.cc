#include "aclimb/runtime/device.h"

#include <memory>

#include "acl/acl_rt.h"
#include "aclimb/backend/loader.h"
#include "aclimb/core/codes.h"
#include "aclimb/core/fork.h"
#include "aclimb/runtime/context.h"
#include "aclimb/runtime/entry.h"
#include "aclimb/runtime/memory.h"
#include "aclimb/runtime/refusals.h"
#include "aclimb/runtime/settings.h"
#include "aclimb/runtime/stream.h"
#include "aclimb/runtime/synchronize.h"
#include "aclimb/runtime/thread_state.h"

namespace aclimb {
namespace {

// Made once and never destroyed.
struct Machine {
  const AclimbBackend* backend = nullptr;
  std::vector<std::unique_ptr<Device>> devices;
};
std::atomic<const Machine*> machine{nullptr};

constinit std::mutex machine_mutex;
ForkLock machine_lock(machine_mutex);
constinit std::mutex process_mutex;
ForkLock process_lock(process_mutex);

Result<const Machine*> MakeMachine() {
  ACLIMB_CHECK_OK(CheckEnvironment());
  const Settings& settings = CurrentSettings();
  Result<const AclimbBackend*> backend = LoadBackend(settings.device);
  if (!backend.ok()) return backend.TakeStatus();
  auto made = std::make_unique<Machine>();
  made->backend = observe::Wrap(backend.value());
  const AclimbBackendConfig config = {settings.devices, settings.host_access ? 1 : 0,
                                      settings.memory_bytes, settings.shared.threads};
  const int code = made->backend->configure(&config);
  if (code != 0) {
    return Refuse(code, Cat("the backend ", settings.device, " refused its configuration."),
                  "check the ACLIMB_ variables", "backend/configure");
  }
  for (const int index : VisibleDevices(settings.visible_devices, made->backend->device_count())) {
    auto device = std::make_unique<Device>();
    device->id = static_cast<int>(made->devices.size());
    device->backend_index = index;
    made->devices.push_back(std::move(device));
  }
  return static_cast<const Machine*>(made.release());
}

Result<const Machine*> TheMachine() {
  const Machine* made = machine.load(std::memory_order_acquire);
  if (made != nullptr) return made;
  std::lock_guard<std::mutex> lock(machine_mutex);
  made = machine.load(std::memory_order_relaxed);
  if (made != nullptr) return made;
  Result<const Machine*> result = MakeMachine();
  if (result.ok()) machine.store(result.value(), std::memory_order_release);
  return result;
}

Status NotSet(int32_t device) {
  return Refuse(kRtContextNull,
                Cat("deviceId is ", device,
                    ", which is not set (any more); expected a device whose "
                    "use count is at least 1."),
                "pair each aclrtResetDevice with an aclrtSetDevice", "runtime/device/reset-unset");
}

Status ResetDevice(int32_t id, bool force) {
  Result<Device*> found = FindDevice(id, "deviceId");
  if (!found.ok()) return found.TakeStatus();
  Device& device = *found.value();
  std::vector<DetachedContext> gone;
  {
    std::lock_guard<std::mutex> lock(ProcessMutex());
    if (device.set_count == 0) return NotSet(id);
    if (!force && device.set_count > 1) {
      --device.set_count;
      return Ok();
    }
    // Memory may run out only before the first change.
    const std::vector<Context*> contexts = device.contexts;
    gone.reserve(contexts.size());
    for (const Context* context : contexts) gone.push_back(RoomToDetach(*context));
    device.set_count = 0;
    for (size_t i = 0; i < contexts.size(); ++i) DetachContext(contexts[i], &gone[i]);
  }
  // A forced release does not wait for what is queued.
  for (DetachedContext& context : gone) EndDetachedContext(std::move(context), /*drain=*/!force);
  gone.clear();
  std::lock_guard<std::mutex> lock(ProcessMutex());
  if (device.contexts.empty() && device.open) {
    ForgetDeviceMemory(device.id);
    Backend().device_close(device.handle);
    device.open = false;
  }
  return Ok();
}

}  // namespace

std::mutex& ProcessMutex() { return process_mutex; }

Result<const AclimbBackend*> LoadedBackend() {
  Result<const Machine*> made = TheMachine();
  if (!made.ok()) return made.TakeStatus();
  return made.value()->backend;
}

const AclimbBackend& Backend() { return *machine.load(std::memory_order_acquire)->backend; }

Result<int> DeviceCount() {
  Result<const Machine*> made = TheMachine();
  if (!made.ok()) return made.TakeStatus();
  return static_cast<int>(made.value()->devices.size());
}

Result<Device*> FindDevice(int32_t id, const char* argument) {
  Result<const Machine*> made = TheMachine();
  if (!made.ok()) return made.TakeStatus();
  const auto& devices = made.value()->devices;
  const auto count = static_cast<int64_t>(devices.size());
  if (id < 0 || id >= count) return NoSuchDevice(argument, id, count);
  return devices[static_cast<size_t>(id)].get();
}

Status OpenDevice(Device& device) {
  if (device.open) return Ok();
  AclimbDevice* handle = nullptr;
  const int code = Backend().device_open(device.backend_index, &handle);
  if (code == 0) {
    device.handle = handle;
    device.open = true;
    return Ok();
  }
  const SystemRefusal refusal = TakeSystemRefusal();
  return Refuse(code,
                Cat("device ", device.id, " cannot be opened", refusal ? ": " : ".", refusal.what),
                refusal ? refusal.fix : "look at the log of the backend", "runtime/device/open");
}

}  // namespace aclimb

extern "C" {

aclError aclrtSetDevice(int32_t deviceId) {
  return aclimb::Enter("aclrtSetDevice", [&] { return aclimb::BindDevice(deviceId); });
}

aclError aclrtResetDevice(int32_t deviceId) {
  return aclimb::Enter("aclrtResetDevice", [&] { return aclimb::ResetDevice(deviceId, false); });
}

aclError aclrtResetDeviceForce(int32_t deviceId) {
  return aclimb::Enter("aclrtResetDeviceForce",
                       [&] { return aclimb::ResetDevice(deviceId, true); });
}

aclError aclrtGetDevice(int32_t* deviceId) {
  return aclimb::Enter("aclrtGetDevice", [&]() -> aclimb::Status {
    if (deviceId == nullptr) return aclimb::NullArgument("deviceId");
    aclimb::Result<aclimb::ContextRef> context = aclimb::CurrentContext();
    if (!context.ok()) return context.TakeStatus();
    *deviceId = context.value()->device->id;
    return aclimb::Ok();
  });
}

aclError aclrtGetDeviceCount(uint32_t* count) {
  return aclimb::Enter("aclrtGetDeviceCount", [&]() -> aclimb::Status {
    if (count == nullptr) return aclimb::NullArgument("count");
    aclimb::Result<int> devices = aclimb::DeviceCount();
    if (!devices.ok()) return devices.TakeStatus();
    *count = static_cast<uint32_t>(devices.value());
    return aclimb::Ok();
  });
}

aclError aclrtSynchronizeDevice() {
  return aclimb::EnterWait("aclrtSynchronizeDevice",
                           [&] { return aclimb::SynchronizeCurrentDevice(-1); });
}

aclError aclrtSynchronizeDeviceWithTimeout(int32_t timeout) {
  return aclimb::EnterWait("aclrtSynchronizeDeviceWithTimeout", [&]() -> aclimb::Status {
    ACLIMB_CHECK_OK(aclimb::CheckTimeout(timeout));
    return aclimb::SynchronizeCurrentDevice(timeout);
  });
}

}  // extern "C"

const AclimbBackend* aclimb_backend(void) {
  const aclimb::Result<const AclimbBackend*> loaded = aclimb::LoadedBackend();
  return loaded.ok() ? loaded.value() : nullptr;
}
