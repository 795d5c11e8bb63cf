#include "acl/acl_rt.h"
#include "aclimb/runtime/context.h"
#include "aclimb/runtime/entry.h"
#include "aclimb/runtime/refusals.h"

namespace aclimb {
namespace {

Status SameDevice(const char* argument, int32_t device) {
  return BadValue(argument, device, "another device than the first", "peer/same-device");
}

// Copies between devices work whether or not the way was opened; what is opened is kept so that it
// can be asked for.
Result<Device*> FindPeer(int32_t peer, ContextRef* context) {
  Result<ContextRef> current = CurrentContext();
  if (!current.ok()) return current.TakeStatus();
  Result<Device*> found = FindDevice(peer, "peerDeviceId");
  if (!found.ok()) return found.TakeStatus();
  if (found.value() == current.value()->device) return SameDevice("peerDeviceId", peer);
  *context = current.value();
  return found;
}

}  // namespace
}  // namespace aclimb

extern "C" {

aclError aclrtDeviceCanAccessPeer(int32_t* canAccessPeer, int32_t deviceId, int32_t peerDeviceId) {
  return aclimb::Enter("aclrtDeviceCanAccessPeer", [&]() -> aclimb::Status {
    if (canAccessPeer == nullptr) return aclimb::NullArgument("canAccessPeer");
    aclimb::Result<aclimb::Device*> device = aclimb::FindDevice(deviceId, "deviceId");
    if (!device.ok()) return device.TakeStatus();
    aclimb::Result<aclimb::Device*> peer = aclimb::FindDevice(peerDeviceId, "peerDeviceId");
    if (!peer.ok()) return peer.TakeStatus();
    if (deviceId == peerDeviceId) return aclimb::SameDevice("peerDeviceId", peerDeviceId);
    *canAccessPeer = 1;
    return aclimb::Ok();
  });
}

aclError aclrtDeviceEnablePeerAccess(int32_t peerDeviceId, uint32_t flags) {
  return aclimb::Enter("aclrtDeviceEnablePeerAccess", [&]() -> aclimb::Status {
    if (flags != 0) return aclimb::BadValue("flags", flags, "0", "peer/flags");
    aclimb::ContextRef context;
    aclimb::Result<aclimb::Device*> peer = aclimb::FindPeer(peerDeviceId, &context);
    if (!peer.ok()) return peer.TakeStatus();
    std::lock_guard<std::mutex> lock(aclimb::ProcessMutex());
    context->device->peers.insert(peerDeviceId);
    return aclimb::Ok();
  });
}

aclError aclrtDeviceDisablePeerAccess(int32_t peerDeviceId) {
  return aclimb::Enter("aclrtDeviceDisablePeerAccess", [&]() -> aclimb::Status {
    aclimb::ContextRef context;
    aclimb::Result<aclimb::Device*> peer = aclimb::FindPeer(peerDeviceId, &context);
    if (!peer.ok()) return peer.TakeStatus();
    std::lock_guard<std::mutex> lock(aclimb::ProcessMutex());
    context->device->peers.erase(peerDeviceId);
    return aclimb::Ok();
  });
}

aclError aclrtDevicePeerAccessStatus(int32_t deviceId, int32_t peerDeviceId, int32_t* status) {
  return aclimb::Enter("aclrtDevicePeerAccessStatus", [&]() -> aclimb::Status {
    if (status == nullptr) return aclimb::NullArgument("status");
    aclimb::Result<aclimb::Device*> device = aclimb::FindDevice(deviceId, "deviceId");
    if (!device.ok()) return device.TakeStatus();
    aclimb::Result<aclimb::Device*> peer = aclimb::FindDevice(peerDeviceId, "peerDeviceId");
    if (!peer.ok()) return peer.TakeStatus();
    std::lock_guard<std::mutex> lock(aclimb::ProcessMutex());
    *status = device.value()->peers.count(peerDeviceId) != 0 ? 1 : 0;
    return aclimb::Ok();
  });
}

}  // extern "C"
