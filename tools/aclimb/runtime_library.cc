#include "tools/aclimb/runtime_library.h"

#include <dlfcn.h>
#include <stdlib.h>

#include "acl/acl.h"
#include "tools/problems.h"

namespace aclimb::cli {
namespace {

// A function of the library, with the type that the header gives it; null when it is missing.
template <typename Function>
Function* Find(void* library, Function*, const char* name) {
  return reinterpret_cast<Function*>(dlsym(library, name));
}
#define ACLIMB_FIND_IN(library, name) Find(library, static_cast<decltype(&::name)>(nullptr), #name)

}  // namespace

RuntimeAnswers AskRuntimeLibrary(const std::string& root) {
  RuntimeAnswers answers;
  const std::string path = root + "/lib64/libascendcl.so";
  // What this call does is nothing to trace, to check or to fail.
  for (const char* variable : tools::kVariables) unsetenv(variable);
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* reason = dlerror();
    answers.problem = reason != nullptr ? reason : path + " cannot be loaded";
    return answers;
  }
  const auto init = ACLIMB_FIND_IN(library, aclInit);
  const auto count = ACLIMB_FIND_IN(library, aclrtGetDeviceCount);
  const auto set_device = ACLIMB_FIND_IN(library, aclrtSetDevice);
  const auto soc_name = ACLIMB_FIND_IN(library, aclrtGetSocName);
  const auto memory = ACLIMB_FIND_IN(library, aclrtGetMemInfo);
  const auto reset = ACLIMB_FIND_IN(library, aclrtResetDevice);
  const auto finalize = ACLIMB_FIND_IN(library, aclFinalize);
  const auto message = ACLIMB_FIND_IN(library, aclGetRecentErrMsg);
  if (init == nullptr || count == nullptr || set_device == nullptr || soc_name == nullptr ||
      memory == nullptr || reset == nullptr || finalize == nullptr || message == nullptr) {
    answers.problem = path + " lacks functions of the runtime: it is not this toolkit's";
    return answers;
  }
  size_t free = 0;
  size_t total = 0;
  const bool ok = init(nullptr) == ACL_SUCCESS && count(&answers.devices) == ACL_SUCCESS &&
                  set_device(0) == ACL_SUCCESS && memory(ACL_HBM_MEM, &free, &total) == ACL_SUCCESS;
  if (!ok) {
    const char* text = message();
    answers.problem = text != nullptr ? text : "the runtime does not start";
    return answers;
  }
  answers.memory_free = free;
  answers.memory_total = total;
  const char* name = soc_name();
  answers.soc_name = name != nullptr ? name : "";
  reset(0);
  finalize();
  return answers;
}

}  // namespace aclimb::cli
