#include "aclimb/runtime/stream_config.h"

#include <cstring>
#include <memory>
#include <mutex>
#include <set>

#include "aclimb/core/fork.h"
#include "aclimb/runtime/entry.h"
#include "aclimb/runtime/refusals.h"

namespace aclimb {
namespace {

struct Configs {
  std::mutex mutex;
  std::set<const aclrtStreamConfigHandle*> live;
};
Configs& LiveConfigs() {
  static auto* const configs = new Configs;
  return *configs;
}
ForkLock configs_lock(LiveConfigs().mutex);

Status SetOption(aclrtStreamConfigHandle* handle, aclrtStreamConfigAttr attr, const void* value,
                 size_t size) {
  if (handle == nullptr) return NullArgument("handle");
  if (value == nullptr) return NullArgument("attrValue");
  ACLIMB_CHECK_OK(CheckStreamConfig(handle));
  void* field;
  size_t field_size;
  switch (attr) {
    case ACL_RT_STREAM_WORK_ADDR_PTR:
      field = &handle->workptr;
      field_size = sizeof(handle->workptr);
      break;
    case ACL_RT_STREAM_WORK_SIZE:
      field = &handle->workSize;
      field_size = sizeof(handle->workSize);
      break;
    case ACL_RT_STREAM_FLAG:
      field = &handle->flag;
      field_size = sizeof(handle->flag);
      break;
    case ACL_RT_STREAM_PRIORITY:
      field = &handle->priority;
      field_size = sizeof(handle->priority);
      break;
    default:
      return BadValue("attr", attr, "an aclrtStreamConfigAttr", "stream-config/attr");
  }
  if (size != field_size) {
    return Refuse(kRtParamInvalid,
                  Cat("valueSize is ", size, " but attr ", static_cast<int>(attr), " has ",
                      field_size, " bytes; expected ", field_size, "."),
                  "pass sizeof of the field's type", "runtime/stream-config/size");
  }
  std::memcpy(field, value, size);
  return Ok();
}

}  // namespace

Status CheckStreamConfig(const aclrtStreamConfigHandle* handle) {
  Configs& configs = LiveConfigs();
  std::lock_guard<std::mutex> lock(configs.mutex);
  if (configs.live.count(handle) != 0) return Ok();
  return DeadHandle("handle", handle, "stream configuration");
}

}  // namespace aclimb

extern "C" {

aclrtStreamConfigHandle* aclrtCreateStreamConfigHandle() {
  aclrtStreamConfigHandle* made = nullptr;
  aclimb::Enter("aclrtCreateStreamConfigHandle", [&] {
    auto handle = std::make_unique<aclrtStreamConfigHandle>();
    aclimb::Configs& configs = aclimb::LiveConfigs();
    std::lock_guard<std::mutex> lock(configs.mutex);
    configs.live.insert(handle.get());
    made = handle.release();
    return aclimb::Ok();
  });
  return made;
}

aclError aclrtDestroyStreamConfigHandle(aclrtStreamConfigHandle* handle) {
  return aclimb::Enter("aclrtDestroyStreamConfigHandle", [&]() -> aclimb::Status {
    if (handle == nullptr) return aclimb::NullArgument("handle");
    aclimb::Configs& configs = aclimb::LiveConfigs();
    std::lock_guard<std::mutex> lock(configs.mutex);
    if (configs.live.erase(handle) == 0) {
      return aclimb::DeadHandle("handle", handle, "stream configuration");
    }
    delete handle;
    return aclimb::Ok();
  });
}

aclError aclrtSetStreamConfigOpt(aclrtStreamConfigHandle* handle, aclrtStreamConfigAttr attr,
                                 const void* attrValue, size_t valueSize) {
  return aclimb::Enter("aclrtSetStreamConfigOpt",
                       [&] { return aclimb::SetOption(handle, attr, attrValue, valueSize); });
}

}  // extern "C"
