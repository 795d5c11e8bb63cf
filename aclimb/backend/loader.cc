#include "aclimb/backend/loader.h"

#include <dlfcn.h>
#include <unistd.h>

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
  return backend;
}

}  // namespace aclimb
