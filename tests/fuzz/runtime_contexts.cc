// Calls about devices and contexts.

#include "tests/fuzz/finding.h"
#include "tests/fuzz/runtime_calls.h"

namespace aclimb::fuzz {
void RuntimeProgram::SetDevice() {
  const auto device = static_cast<int32_t>(draw_.Number(0, kDevices - 1));
  if (device < 0 || device >= kDevices) {
    Call("aclrtSetDevice", {107001}, [&] { return aclrtSetDevice(device); });
    return;
  }
  Call("aclrtSetDevice", {}, [&] { return aclrtSetDevice(device); });
  ++model_.set_count[device];
  int primary = model_.Primary(device);
  if (primary < 0) {
    primary = model_.AddContext(device, true);
    aclrtContext handle = nullptr;
    Call("aclrtGetCurrentContext", {}, [&] { return aclrtGetCurrentContext(&handle); });
    ContextAt(primary).handle = handle;
  }
  context_[thread_] = primary;
}

void RuntimeProgram::ResetDevice() {
  const auto device = static_cast<int32_t>(draw_.Number(0, kDevices - 1));
  const bool force = draw_.Byte() >= 192;
  std::vector<int> refusals;
  if (device < 0 || device >= kDevices) {
    refusals = {107001};
  } else if (model_.set_count[device] == 0) {
    refusals = {107002};
  }
  Call("aclrtResetDevice", refusals,
       [&] { return force ? aclrtResetDeviceForce(device) : aclrtResetDevice(device); });
  if (!refusals.empty()) return;
  if (!force && model_.set_count[device] > 1) {
    --model_.set_count[device];
  } else {
    model_.EndDevice(device, !force);
  }
}

void RuntimeProgram::CreateContext() {
  if (model_.contexts.size() >= kMostObjects / 2) return;
  const auto device = static_cast<int32_t>(draw_.Number(0, kDevices - 1));
  aclrtContext handle = nullptr;
  if (device < 0 || device >= kDevices) {
    Call("aclrtCreateContext", {107001}, [&] { return aclrtCreateContext(&handle, device); });
    return;
  }
  Call("aclrtCreateContext", {}, [&] { return aclrtCreateContext(&handle, device); });
  context_[thread_] = model_.AddContext(device, false);
  model_.contexts.back().handle = handle;
}

void RuntimeProgram::DestroyContext() {
  const uint8_t byte = draw_.Byte();
  aclrtContext handle = byte % 8 == 0 ? nullptr : Invented(byte);
  int index = -1;
  if (byte < 240 && !model_.contexts.empty()) {
    index = static_cast<int>(byte % model_.contexts.size());
    handle = ContextAt(index).handle;
  }
  std::vector<int> refusals;
  if (handle == nullptr) {
    refusals = {100000};
  } else if (index < 0 || !ContextAt(index).alive) {
    refusals = {107017};
  } else if (ContextAt(index).primary) {
    refusals = {107000};
  }
  Call("aclrtDestroyContext", refusals, [&] { return aclrtDestroyContext(handle); });
  if (refusals.empty()) model_.EndContext(index, true);
}

void RuntimeProgram::SetContext() {
  if (model_.contexts.empty()) return;
  const int index = static_cast<int>(draw_.Byte() % model_.contexts.size());
  const ContextModel& context = ContextAt(index);
  const std::vector<int> refusals = context.alive ? std::vector<int>{} : std::vector<int>{107017};
  Call("aclrtSetCurrentContext", refusals, [&] { return aclrtSetCurrentContext(context.handle); });
  if (refusals.empty()) context_[thread_] = index;
}

void RuntimeProgram::GetContext() {
  aclrtContext handle = nullptr;
  int32_t device = -1;
  aclrtStream stream = nullptr;
  const std::vector<int> refusals = ContextRefusals();
  Call("aclrtGetCurrentContext", refusals, [&] { return aclrtGetCurrentContext(&handle); });
  Call("aclrtGetDevice", refusals, [&] { return aclrtGetDevice(&device); });
  Call("aclrtCtxGetCurrentDefaultStream", refusals,
       [&] { return aclrtCtxGetCurrentDefaultStream(&stream); });
  if (!refusals.empty()) return;
  const ContextModel& context = ContextAt(CurrentContext());
  if (handle != context.handle || device != context.device) {
    Finding("the current context is %p of device %d; expected %p of device %d", handle, device,
            context.handle, context.device);
  }
  // From here on the default stream may be named like any other.
  aclrtStream& known = StreamAt(context.default_stream).handle;
  if (stream == nullptr || (known != nullptr && known != stream)) Finding("another default stream");
  known = stream;
}

}  // namespace aclimb::fuzz
