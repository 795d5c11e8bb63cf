#include <iterator>

#include "acl/acl_rt.h"
#include "aclimb/core/product.h"
#include "aclimb/runtime/context.h"
#include "aclimb/runtime/entry.h"
#include "aclimb/runtime/refusals.h"
#include "aclimb/runtime/settings.h"

namespace aclimb {
namespace {

Result<AclimbDeviceProperties> PropertiesOf(int32_t id) {
  Result<Device*> device = FindDevice(id, "deviceId");
  if (!device.ok()) return device.TakeStatus();
  AclimbDeviceProperties properties = {};
  const int code = Backend().device_properties(device.value()->backend_index, &properties);
  if (code == 0) return properties;
  return Refuse(code, "the backend does not tell its properties.", "look at its log",
                "runtime/device/properties");
}

Status Capability(uint32_t id, aclDeviceInfo info, int64_t* value) {
  if (value == nullptr) return NullArgument("value");
  Result<AclimbDeviceProperties> properties = PropertiesOf(static_cast<int32_t>(id));
  if (!properties.ok()) return properties.TakeStatus();
  switch (info) {
    case ACL_DEVICE_INFO_AI_CORE_NUM:
    case ACL_DEVICE_INFO_VECTOR_CORE_NUM:
      *value = properties.value().cores;
      return Ok();
    case ACL_DEVICE_INFO_L2_SIZE:
      *value = properties.value().l2_bytes;
      return Ok();
    default:
      return BadValue("deviceInfo", info, "an aclDeviceInfo", "device/info");
  }
}

Status DeviceAttribute(uint32_t id, aclrtDevAttr attr, int64_t* value) {
  if (value == nullptr) return NullArgument("value");
  Result<AclimbDeviceProperties> properties = PropertiesOf(static_cast<int32_t>(id));
  if (!properties.ok()) return properties.TakeStatus();
  switch (attr) {
    case ACL_DEV_ATTR_AICPU_CORE_NUM:
    case ACL_DEV_ATTR_AICORE_CORE_NUM:
    case ACL_DEV_ATTR_CUBE_CORE_NUM:
    case ACL_DEV_ATTR_VECTOR_CORE_NUM:
      *value = properties.value().cores;
      return Ok();
    case ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE:
      *value = static_cast<int64_t>(properties.value().memory_bytes);
      return Ok();
    case ACL_DEV_ATTR_L2_CACHE_SIZE:
      *value = properties.value().l2_bytes;
      return Ok();
    case ACL_DEV_ATTR_PHY_CHIP_ID:
      *value = id;
      return Ok();
    case ACL_DEV_ATTR_IS_VIRTUAL:
      *value = 1;
      return Ok();
    case ACL_DEV_ATTR_SMP_ID:
    case ACL_DEV_ATTR_CUST_OP_PRIVILEGE:
      *value = 0;
      return Ok();
    default:
      break;
  }
  const bool known = (attr >= ACL_DEV_ATTR_WARP_SIZE && attr <= ACL_DEV_ATTR_MAX_BLOCK_DIM_Z) ||
                     (attr >= ACL_DEV_ATTR_SMP_ID && attr <= ACL_DEV_ATTR_DEVICE_FORM_FACTOR) ||
                     attr == ACL_DEV_ATTR_NPU_ARCH;
  if (!known) return BadValue("attr", attr, "an aclrtDevAttr", "device/attr");
  return NotSupported(
      Cat("attr is ", static_cast<int>(attr),
          ", which describes hardware that this device does not have; expected core "
          "counts, memory or cache sizes."),
      "treat the attribute as unknown", "runtime/device/attr-absent");
}

// Chips from the A2 generation on compute with bfloat16 and with infinities.
bool IsModernChip() {
  const int product = CurrentSettings().shared.product;
  return product >= static_cast<int>(Product::kA2);
}

constexpr aclCannAttr kCannAttributes[] = {ACL_CANN_ATTR_INF_NAN, ACL_CANN_ATTR_BF16,
                                           ACL_CANN_ATTR_JIT_COMPILE};

}  // namespace
}  // namespace aclimb

extern "C" {

aclError aclrtGetRunMode(aclrtRunMode* runMode) {
  return aclimb::Enter("aclrtGetRunMode", [&]() -> aclimb::Status {
    if (runMode == nullptr) return aclimb::NullArgument("runMode");
    *runMode = ACL_HOST;
    return aclimb::Ok();
  });
}

const char* aclrtGetSocName() {
  const char* name = nullptr;
  aclimb::Enter("aclrtGetSocName", [&]() -> aclimb::Status {
    const aclimb::Settings& settings = aclimb::CurrentSettings();
    if (settings.shared.product < 0) {
      return aclimb::Refuse(aclimb::kInvalidParam, settings.problem,
                            "set ACLIMB_SOC to one of these names, or unset it",
                            "runtime/environment");
    }
    name = settings.soc_name.c_str();
    return aclimb::Ok();
  });
  return name;
}

aclError aclrtQueryDeviceStatus(int32_t deviceId, aclrtDeviceStatus* deviceStatus) {
  return aclimb::Enter("aclrtQueryDeviceStatus", [&]() -> aclimb::Status {
    if (deviceStatus == nullptr) return aclimb::NullArgument("deviceStatus");
    aclimb::Result<aclimb::Device*> device = aclimb::FindDevice(deviceId, "deviceId");
    if (!device.ok()) return device.TakeStatus();
    *deviceStatus = ACL_RT_DEVICE_STATUS_NORMAL;
    return aclimb::Ok();
  });
}

aclError aclrtGetDeviceUtilizationRate(int32_t deviceId, aclrtUtilizationInfo* utilizationInfo) {
  return aclimb::Enter("aclrtGetDeviceUtilizationRate", [&]() -> aclimb::Status {
    if (utilizationInfo == nullptr) return aclimb::NullArgument("utilizationInfo");
    aclimb::Result<aclimb::Device*> device = aclimb::FindDevice(deviceId, "deviceId");
    if (!device.ok()) return device.TakeStatus();
    *utilizationInfo = aclrtUtilizationInfo{-1, -1, -1, -1, nullptr};
    return aclimb::Ok();
  });
}

aclError aclGetDeviceCapability(uint32_t deviceId, aclDeviceInfo deviceInfo, int64_t* value) {
  return aclimb::Enter("aclGetDeviceCapability",
                       [&] { return aclimb::Capability(deviceId, deviceInfo, value); });
}

aclError aclrtGetDeviceInfo(uint32_t deviceId, aclrtDevAttr attr, int64_t* value) {
  return aclimb::Enter("aclrtGetDeviceInfo",
                       [&] { return aclimb::DeviceAttribute(deviceId, attr, value); });
}

aclError aclGetCannAttribute(aclCannAttr cannAttr, int32_t* value) {
  return aclimb::Enter("aclGetCannAttribute", [&]() -> aclimb::Status {
    if (value == nullptr) return aclimb::NullArgument("value");
    switch (cannAttr) {
      case ACL_CANN_ATTR_INF_NAN:
      case ACL_CANN_ATTR_BF16:
        *value = aclimb::IsModernChip() ? 1 : 0;
        return aclimb::Ok();
      case ACL_CANN_ATTR_JIT_COMPILE:
        *value = 0;
        return aclimb::Ok();
      default:
        return aclimb::BadValue("cannAttr", cannAttr, "an aclCannAttr", "cann-attribute/range");
    }
  });
}

aclError aclGetCannAttributeList(const aclCannAttr** cannAttrList, size_t* num) {
  return aclimb::Enter("aclGetCannAttributeList", [&]() -> aclimb::Status {
    if (cannAttrList == nullptr) return aclimb::NullArgument("cannAttrList");
    if (num == nullptr) return aclimb::NullArgument("num");
    *cannAttrList = aclimb::kCannAttributes;
    *num = std::size(aclimb::kCannAttributes);
    return aclimb::Ok();
  });
}

aclError aclrtSetTsDevice(aclrtTsId tsId) {
  return aclimb::Enter("aclrtSetTsDevice", [&]() -> aclimb::Status {
    if (tsId == ACL_TS_ID_AICORE || tsId == ACL_TS_ID_AIVECTOR) return aclimb::Ok();
    return aclimb::BadValue("tsId", tsId, "ACL_TS_ID_AICORE or ACL_TS_ID_AIVECTOR", "ts-device");
  });
}

aclError aclrtSetDeviceSatMode(aclrtFloatOverflowMode mode) {
  return aclimb::Enter("aclrtSetDeviceSatMode", [&]() -> aclimb::Status {
    if (mode != ACL_RT_OVERFLOW_MODE_SATURATION && mode != ACL_RT_OVERFLOW_MODE_INFNAN) {
      return aclimb::BadValue("mode", mode, "an aclrtFloatOverflowMode", "sat-mode/range");
    }
    aclimb::Result<aclimb::ContextRef> context = aclimb::CurrentContext();
    if (!context.ok()) return context.TakeStatus();
    if (mode == ACL_RT_OVERFLOW_MODE_SATURATION) {
      return aclimb::NotSupported(
          "mode is ACL_RT_OVERFLOW_MODE_SATURATION, which Aclimb's kernels do not have; expected "
          "ACL_RT_OVERFLOW_MODE_INFNAN.",
          "leave the mode at its default", "runtime/sat-mode/saturation");
    }
    context.value()->device->overflow_mode.store(mode, std::memory_order_relaxed);
    return aclimb::Ok();
  });
}

aclError aclrtGetDeviceSatMode(aclrtFloatOverflowMode* mode) {
  return aclimb::Enter("aclrtGetDeviceSatMode", [&]() -> aclimb::Status {
    if (mode == nullptr) return aclimb::NullArgument("mode");
    aclimb::Result<aclimb::ContextRef> context = aclimb::CurrentContext();
    if (!context.ok()) return context.TakeStatus();
    *mode = static_cast<aclrtFloatOverflowMode>(
        context.value()->device->overflow_mode.load(std::memory_order_relaxed));
    return aclimb::Ok();
  });
}

}  // extern "C"
