// Device memory by a number that another part of the process takes up. Nothing leaves the process.

#include <unistd.h>

#include <map>
#include <mutex>

#include "acl/acl_rt.h"
#include "aclimb/core/fork.h"
#include "aclimb/runtime/device.h"
#include "aclimb/runtime/entry.h"
#include "aclimb/runtime/mapped_memory.h"
#include "aclimb/runtime/refusals.h"

namespace aclimb {
namespace {

struct Exports {
  std::mutex mutex;
  std::map<uint64_t, std::weak_ptr<PhysicalMemory>> memory;
  uint64_t next = 1;
};
Exports& TheExports() {
  static auto* const exports = new Exports;
  return *exports;
}
ForkLock exports_lock(TheExports().mutex);

Status NotShared(uint64_t shareable) {
  return Refuse(kRtParamInvalid,
                Cat("shareableHandle is ", shareable,
                    ", which this process gave out for no live memory; expected one of "
                    "aclrtMemExportToShareableHandle. Aclimb shares within one process only."),
                "let one process do both, or copy through host memory",
                "runtime/mapping/not-shared");
}

Result<std::shared_ptr<PhysicalMemory>> FindExport(uint64_t shareable) {
  Exports& exports = TheExports();
  std::lock_guard<std::mutex> lock(exports.mutex);
  const auto found = exports.memory.find(shareable);
  std::shared_ptr<PhysicalMemory> memory =
      found != exports.memory.end() ? found->second.lock() : nullptr;
  if (memory == nullptr) return NotShared(shareable);
  return memory;
}

Status Export(void* handle, aclrtMemHandleType type, uint64_t flags, uint64_t* shareable) {
  if (handle == nullptr) return NullArgument("handle");
  if (shareable == nullptr) return NullArgument("shareableHandle");
  if (type != ACL_MEM_HANDLE_TYPE_NONE) {
    return NotSupported(Cat("handleType is ", static_cast<int>(type),
                            "; expected ACL_MEM_HANDLE_TYPE_NONE: Aclimb shares within one process "
                            "only."),
                        "let one process use the memory, or copy through host memory",
                        "runtime/mapping/shared-type");
  }
  if (flags > 1) {
    return BadValue("flags", static_cast<int64_t>(flags), "0 or 1", "mapping/flags");
  }
  Result<std::shared_ptr<PhysicalMemory>> memory = FindPhysicalMemory(handle);
  if (!memory.ok()) return memory.TakeStatus();
  Exports& exports = TheExports();
  std::lock_guard<std::mutex> lock(exports.mutex);
  std::erase_if(exports.memory, [](const auto& entry) { return entry.second.expired(); });
  exports.memory.emplace(exports.next, memory.value());
  *shareable = exports.next++;
  return Ok();
}

}  // namespace
}  // namespace aclimb

extern "C" {

aclError aclrtMemExportToShareableHandle(aclrtDrvMemHandle handle, aclrtMemHandleType handleType,
                                         uint64_t flags, uint64_t* shareableHandle) {
  return aclimb::Enter("aclrtMemExportToShareableHandle",
                       [&] { return aclimb::Export(handle, handleType, flags, shareableHandle); });
}

aclError aclrtMemImportFromShareableHandle(uint64_t shareableHandle, int32_t deviceId,
                                           aclrtDrvMemHandle* handle) {
  return aclimb::Enter("aclrtMemImportFromShareableHandle", [&]() -> aclimb::Status {
    if (handle == nullptr) return aclimb::NullArgument("handle");
    aclimb::Result<aclimb::Device*> device = aclimb::FindDevice(deviceId, "deviceId");
    if (!device.ok()) return device.TakeStatus();
    auto memory = aclimb::FindExport(shareableHandle);
    if (!memory.ok()) return memory.TakeStatus();
    void* made = nullptr;
    ACLIMB_CHECK_OK(aclimb::ShareMemory(memory.value(), &made));
    if (made == nullptr) return aclimb::NotShared(shareableHandle);
    *handle = made;
    return aclimb::Ok();
  });
}

aclError aclrtMemSetPidToShareableHandle(uint64_t shareableHandle, int32_t* pid, size_t pidNum) {
  return aclimb::Enter("aclrtMemSetPidToShareableHandle", [&]() -> aclimb::Status {
    if (pid == nullptr) return aclimb::NullArgument("pid");
    if (pidNum == 0) return aclimb::ZeroSize("pidNum");
    auto memory = aclimb::FindExport(shareableHandle);
    if (!memory.ok()) return memory.TakeStatus();
    for (size_t i = 0; i < pidNum; ++i) {
      if (pid[i] == getpid()) continue;
      return aclimb::NotSupported(
          aclimb::Cat("pid[", i, "] is ", pid[i], "; expected this process, ", getpid(),
                      ": Aclimb shares within one process only."),
          "let one process use the memory, or copy through host memory",
          "runtime/mapping/other-process");
    }
    return aclimb::Ok();
  });
}

aclError aclrtDeviceGetBareTgid(int32_t* pid) {
  return aclimb::Enter("aclrtDeviceGetBareTgid", [&]() -> aclimb::Status {
    if (pid == nullptr) return aclimb::NullArgument("pid");
    *pid = getpid();
    return aclimb::Ok();
  });
}

}  // extern "C"
