#include "aclimb/backend/loader.h"

#include <dlfcn.h>

#include <string>

#include "aclimb/core/codes.h"
#include "aclimb/core/text.h"
#include "backends/cpu/cpu_backend.h"

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

}  // namespace

Result<const AclimbBackend*> LoadBackend(std::string_view name) {
  if (name == "cpu") return CpuBackend();
  const std::string path = Cat(OwnFolder(), "/aclimb/libaclimb_", name, ".so");
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
  return backend;
}

}  // namespace aclimb
