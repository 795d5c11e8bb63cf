#include "tools/aclimb/replay/public_functions.h"

#include <dlfcn.h>

#include <stdexcept>

namespace aclimb::cli {
namespace {

[[noreturn]] void Complain(const std::string& otherwise) {
  const char* reason = dlerror();
  throw std::runtime_error(reason != nullptr ? reason : otherwise);
}

// Never closed: its threads may run until the process ends.
void* Load(const std::string& path) {
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) Complain(path + " cannot be loaded");
  return library;
}

void* Find(void* const (&libraries)[2], const char* name) {
  for (void* library : libraries) {
    if (void* function = dlsym(library, name)) return function;
  }
  throw std::runtime_error(std::string("the toolkit's libraries lack ") + name);
}

}  // namespace

PublicFunctions::PublicFunctions(const std::string& toolkit) {
  const std::string folder = toolkit + "/lib64/lib";
  void* const libraries[] = {Load(folder + "ascendcl.so"), Load(folder + "nnopbase.so")};
  operators_ = Load(folder + "opapi.so");
#define ACLIMB_FIND(name) name = reinterpret_cast<decltype(&::name)>(Find(libraries, #name));
  ACLIMB_REPLAY_FUNCTIONS(ACLIMB_FIND)
#undef ACLIMB_FIND
}

void* PublicFunctions::Operator(const std::string& name) const {
  void* function = dlsym(operators_, name.c_str());
  if (function == nullptr) Complain("the toolkit has no " + name);
  return function;
}

}  // namespace aclimb::cli
