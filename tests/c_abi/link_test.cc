// Takes the address of every function into a pointer of exactly the documented type, and checks
// that the address lies in the library that programs expect to find it in. C++11, without
// GoogleTest, so that it can be built with either setting of the string ABI. Prints every
// difference; 1 if there is one.
#include <dlfcn.h>

#include <cstdio>
#include <cstring>
#include <type_traits>

#include "acl/acl.h"
#include "acl/acl_op_compiler.h"
#include "acl/acl_prof.h"
#include "aclimb/framework.h"
#include "aclnn/aclnn_base.h"
#include "hccl/hccl.h"
#include "operators.inc"

namespace {

struct Function {
  const char* library;
  const char* name;
  void* address;
};

#define ACLIMB_CHECK_TYPE(result, name, parameters)                         \
  static_assert(std::is_same<decltype(&name), result(*) parameters>::value, \
                #name " is not declared as " #result " " #parameters);
#define ACLIMB_RUNTIME ACLIMB_CHECK_TYPE
#define ACLIMB_COMPILER ACLIMB_CHECK_TYPE
#define ACLIMB_BASE ACLIMB_CHECK_TYPE
#define ACLIMB_COLLECTIVE ACLIMB_CHECK_TYPE
#include "tests/c_abi/signatures.inc"
#define ACLIMB_OPERATOR ACLIMB_CHECK_TYPE
#include "operator_signatures.inc"
#undef ACLIMB_OPERATOR

#define ACLIMB_ENTRY(library, name) {library, #name, reinterpret_cast<void*>(&name)},
const Function kFunctions[] = {
#define ACLIMB_RUNTIME(result, name, parameters) ACLIMB_ENTRY("libascendcl.so", name)
#define ACLIMB_COMPILER(result, name, parameters) ACLIMB_ENTRY("libacl_op_compiler.so", name)
#define ACLIMB_BASE(result, name, parameters) ACLIMB_ENTRY("libnnopbase.so", name)
#define ACLIMB_COLLECTIVE(result, name, parameters) ACLIMB_ENTRY("libhccl.so", name)
#include "tests/c_abi/signatures.inc"
#define ACLIMB_OPERATOR(result, name, parameters) ACLIMB_ENTRY("libopapi.so", name)
#include "operator_signatures.inc"
};

const char* BaseName(const char* path) {
  const char* slash = std::strrchr(path, '/');
  return slash == nullptr ? path : slash + 1;
}

// Programs also look functions up by name; both ways must give the same function.
bool IsWhereExpected(const Function& function) {
  void* const found = dlsym(RTLD_DEFAULT, function.name);
  if (found != function.address) {
    std::printf("%s: linked at %p but dlsym gives %p\n", function.name, function.address, found);
    return false;
  }
  Dl_info info;
  if (dladdr(found, &info) == 0 || info.dli_fname == nullptr) {
    std::printf("%s: in no shared library\n", function.name);
    return false;
  }
  if (std::strcmp(BaseName(info.dli_fname), function.library) != 0) {
    std::printf("%s: in %s, expected %s\n", function.name, info.dli_fname, function.library);
    return false;
  }
  return true;
}

}  // namespace

int main() {
  int failures = 0;
  for (const Function& function : kFunctions) {
    failures += IsWhereExpected(function) ? 0 : 1;
  }
  return failures == 0 ? 0 : 1;
}
