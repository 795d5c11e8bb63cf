#include <dlfcn.h>

#include <atomic>
#include <mutex>
#include <string>

#include "aclimb/collectives/mesh_group.h"
#include "aclimb/core/fork.h"
#include "aclimb/core/sanitized.h"
#include "aclimb/core/text.h"
#include "hccl/hccl_types.h"

namespace aclimb::collectives {
namespace {

constinit std::mutex load_mutex;
ForkLock load_lock(load_mutex);
constinit std::atomic<const AclimbTransport*> loaded{nullptr};

// Beside this library.
std::string Path() {
  Dl_info info;
  if (dladdr(reinterpret_cast<void*>(&Path), &info) == 0 || info.dli_fname == nullptr) return "";
  const std::string own = info.dli_fname;
  const size_t slash = own.rfind('/');
  return Cat(slash == std::string::npos ? std::string(".") : own.substr(0, slash),
             "/aclimb/libaclimb_gloo.so");
}

Status CannotLoad(const std::string& path, const char* why) {
  return Refuse(HCCL_E_UNAVAIL,
                Cat("ranks in several processes need ", path, ", which cannot be loaded (", why,
                    "); expected it with the library libgloo.so.0 that it uses."),
                "install Gloo: on Debian and Ubuntu `apt-get install libgloo0`; ranks that are "
                "threads of one process do without it",
                "collective/transport");
}

}  // namespace

Result<const AclimbTransport*> LoadTransport() {
  if (const AclimbTransport* const known = loaded.load(std::memory_order_acquire)) return known;
  const std::lock_guard<std::mutex> lock(load_mutex);
  if (const AclimbTransport* const known = loaded.load(std::memory_order_acquire)) return known;
  const std::string path = Path();
  // A program may have a Gloo of another version inside, whose functions have the same names: ours
  // is to find its own first. The sanitizers' libraries have to come first, and forbid that.
  constexpr int kFlags = RTLD_NOW | RTLD_LOCAL | (kSanitized ? 0 : RTLD_DEEPBIND);
  void* const library = dlopen(path.c_str(), kFlags);
  if (library == nullptr) {
    const char* const why = dlerror();
    return CannotLoad(path, why != nullptr ? why : "no reason given");
  }
  const auto entry =
      reinterpret_cast<AclimbTransportEntry>(dlsym(library, "aclimb_transport_entry"));
  const AclimbTransport* const transport = entry != nullptr ? entry() : nullptr;
  if (transport == nullptr || transport->api_version != ACLIMB_TRANSPORT_API_VERSION ||
      transport->struct_size != sizeof(AclimbTransport)) {
    return CannotLoad(path, "it is of another release");
  }
  loaded.store(transport, std::memory_order_release);
  return transport;
}

}  // namespace aclimb::collectives
