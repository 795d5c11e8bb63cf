#include "tools/check/modules.h"

#include <limits.h>
#include <link.h>
#include <stdlib.h>

#include <algorithm>
#include <mutex>
#include <shared_mutex>
#include <string_view>
#include <vector>

#include "aclimb/core/fork.h"

namespace aclimb::check {
namespace {

struct Module {
  uintptr_t begin;
  uintptr_t end;
  bool ours;
  bool library;
};

// Loaded code, by address. Read again when an address is in none of it: libraries come by dlopen.
struct ModuleTable {
  std::shared_mutex mutex;
  std::vector<Module> modules;
};
ModuleTable& Modules() {
  static auto* const table = new ModuleTable;
  return *table;
}
ForkLock modules_lock(Modules().mutex);

// The toolkit has links to these by many names, and a program's own library may begin as one of
// them.
bool IsOurLibrary(const char* path) {
  char real[PATH_MAX];
  std::string_view name = realpath(path, real) != nullptr ? real : path;
  name = name.substr(name.rfind('/') + 1);
  for (const std::string_view ours :
       {"libascendcl.so", "libnnopbase.so", "libopapi.so", "libacl_op_compiler.so", "libhccl.so"}) {
    if (name == ours) return true;
  }
  return false;
}

int AddModule(dl_phdr_info* info, size_t, void* into) {
  auto& modules = *static_cast<std::vector<Module>*>(into);
  const bool ours = IsOurLibrary(info->dlpi_name);
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = info->dlpi_phdr[i];
    if (part.p_type != PT_LOAD || (part.p_flags & PF_X) == 0) continue;
    const uintptr_t begin = info->dlpi_addr + part.p_vaddr;
    // The executable has no name here.
    modules.push_back({begin, begin + part.p_memsz, ours, info->dlpi_name[0] != '\0'});
  }
  return 0;
}

// Under a lock of the table.
const Module* Find(const std::vector<Module>& modules, uintptr_t counter) {
  auto after = std::upper_bound(
      modules.begin(), modules.end(), counter,
      [](uintptr_t wanted, const Module& module) { return wanted < module.begin; });
  if (after == modules.begin()) return nullptr;
  --after;
  return counter < after->end ? &*after : nullptr;
}

// By value: another thread may read the table again.
Module ModuleOf(uintptr_t counter) {
  constexpr Module kUnknown = {};
  ModuleTable& table = Modules();
  {
    const std::shared_lock<std::shared_mutex> lock(table.mutex);
    if (const Module* module = Find(table.modules, counter)) return *module;
  }
  std::vector<Module> modules;
  dl_iterate_phdr(&AddModule, &modules);
  std::sort(modules.begin(), modules.end(),
            [](const Module& a, const Module& b) { return a.begin < b.begin; });
  const std::unique_lock<std::shared_mutex> lock(table.mutex);
  table.modules = std::move(modules);
  const Module* module = Find(table.modules, counter);
  return module == nullptr ? kUnknown : *module;
}

}  // namespace

bool IsOurs(uintptr_t counter) { return ModuleOf(counter).ours; }

bool IsOfLibrary(uintptr_t counter) { return ModuleOf(counter).library; }

}  // namespace aclimb::check
