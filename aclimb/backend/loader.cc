#include "aclimb/backend/loader.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <string>

#include "aclimb/core/codes.h"
#include "aclimb/core/text.h"
#include "built_in_backends.h"

namespace aclimb {
namespace {

// Folder of the shared library (or program) that this function is part of.
std::string OwnFolder() {
  Dl_info info;
  if (dladdr(reinterpret_cast<void*>(&OwnFolder), &info) == 0 || info.dli_fname == nullptr) {
    return ".";
  }
  const std::string path = info.dli_fname;
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash);
}

// Beside this library; a program of the toolkit that has this function linked in lies in bin.
std::string PlugInPath(std::string_view name) {
  const std::string file = Cat("/aclimb/libaclimb_", name, ".so");
  const std::string beside = OwnFolder() + file;
  const std::string in_toolkit = Cat(OwnFolder(), "/../lib64", file);
  return access(beside.c_str(), F_OK) != 0 && access(in_toolkit.c_str(), F_OK) == 0 ? in_toolkit
                                                                                    : beside;
}

const BuiltInBackend* FindBuiltIn(std::string_view name) {
  for (const BuiltInBackend& backend : kBuiltInBackends) {
    if (backend.name == name) return &backend;
  }
  return nullptr;
}

struct Entry {
  const char* name;
  size_t offset;
};
#define ENTRY(name) \
  { #name, offsetof(AclimbBackend, name) }
constexpr Entry kRequired[] = {
    ENTRY(configure),
    ENTRY(device_count),
    ENTRY(device_open),
    ENTRY(device_close),
    ENTRY(device_properties),
    ENTRY(take_refusal),
    ENTRY(memory_allocate),
    ENTRY(memory_free),
    ENTRY(memory_ticket),
    ENTRY(memory_free_as_of),
    ENTRY(memory_kernel_address),
    ENTRY(memory_is_device),
    ENTRY(memory_copy),
    ENTRY(memory_fill),
    ENTRY(memory_info),
    ENTRY(memory_waiting),
    ENTRY(host_allocate),
    ENTRY(host_free),
    ENTRY(range_reserve),
    ENTRY(range_release),
    ENTRY(physical_allocate),
    ENTRY(physical_free),
    ENTRY(range_map),
    ENTRY(range_unmap),
    ENTRY(queue_create),
    ENTRY(queue_destroy),
    ENTRY(queue_submit),
    ENTRY(queue_copy),
    ENTRY(queue_fill),
    ENTRY(queue_suspend),
    ENTRY(queue_resume),
    ENTRY(queue_wait),
    ENTRY(queue_query),
    ENTRY(queue_abort),
    ENTRY(queue_is_lost),
    ENTRY(queue_stop_on_failure),
    ENTRY(queue_take_failure),
    ENTRY(queue_record),
    ENTRY(queue_wait_marker),
    ENTRY(marker_retain),
    ENTRY(marker_release),
    ENTRY(marker_state),
    ENTRY(marker_wait),
    ENTRY(marker_time),
    ENTRY(cancelled),
    ENTRY(explain),
};
// A backend has all of them or none.
constexpr Entry kKernels[] = {ENTRY(kernel_make), ENTRY(kernel_run), ENTRY(kernel_release)};
#undef ENTRY
static_assert(std::size(kRequired) + std::size(kKernels) ==
                  (sizeof(AclimbBackend) - offsetof(AclimbBackend, configure)) / sizeof(void*),
              "every entry of the interface is in one of the two lists");

bool IsNull(const AclimbBackend& backend, const Entry& entry) {
  void (*function)() = nullptr;
  std::memcpy(&function, reinterpret_cast<const char*>(&backend) + entry.offset, sizeof(function));
  return function == nullptr;
}

// The name of an entry that the backend should have and has not; null when it is complete.
const char* MissingEntry(const AclimbBackend& backend) {
  for (const Entry& entry : kRequired) {
    if (IsNull(backend, entry)) return entry.name;
  }
  const char* missing = nullptr;
  size_t nulls = 0;
  for (const Entry& entry : kKernels) {
    if (!IsNull(backend, entry)) continue;
    missing = entry.name;
    ++nulls;
  }
  return nulls == std::size(kKernels) ? nullptr : missing;
}

}  // namespace

bool HasBackend(std::string_view name) {
  return FindBuiltIn(name) != nullptr || access(PlugInPath(name).c_str(), F_OK) == 0;
}

Result<const AclimbBackend*> LoadBackend(std::string_view name) {
  if (const BuiltInBackend* const backend = FindBuiltIn(name)) return backend->entry();
  const std::string path = PlugInPath(name);
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* reason = dlerror();
    return Refuse(
        kRtFeatureNotSupport,
        Cat("ACLIMB_DEVICE is \"", name, "\" but its plug-in ", path, " cannot be loaded (",
            reason != nullptr ? reason : "no reason given", "); expected an installed backend."),
        "install the plug-in, or unset ACLIMB_DEVICE to use the processor",
        "backend/loader/plug-in");
  }
  const auto entry = reinterpret_cast<AclimbBackendEntry>(dlsym(library, "aclimb_backend_entry"));
  const AclimbBackend* backend = entry != nullptr ? entry() : nullptr;
  if (backend == nullptr || backend->api_version != ACLIMB_BACKEND_API_VERSION ||
      backend->struct_size != sizeof(AclimbBackend)) {
    return Refuse(kInternalError,
                  Cat("the plug-in ", path, " has interface version ",
                      backend != nullptr ? backend->api_version : 0, "; expected ",
                      ACLIMB_BACKEND_API_VERSION, "."),
                  "install the plug-in of this very release", "backend/loader/version");
  }
  if (const char* const missing = MissingEntry(*backend)) {
    return Refuse(kInternalError,
                  Cat("the plug-in ", path, " leaves the entry ", missing,
                      " null; expected every entry of aclimb/backend/backend.h, of the kernels' "
                      "three all or none."),
                  "implement the entry in the plug-in", "backend/loader/entry");
  }
  return backend;
}

}  // namespace aclimb
