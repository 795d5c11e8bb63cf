#pragma once

#include <memory>
#include <string>

#include "acl/acl.h"
#include "aclnn/acl_meta.h"

namespace aclimb::cli {

// Every function of the public interface that a replay calls, besides the operator's own.
// clang-format off
#define ACLIMB_REPLAY_FUNCTIONS(X)                                                      \
  X(aclInit) X(aclFinalize) X(aclGetRecentErrMsg) X(aclrtSetDevice) X(aclrtResetDevice) \
  X(aclrtCreateStream) X(aclrtDestroyStream) X(aclrtSynchronizeStream)                  \
  X(aclrtSetSysParamOpt) X(aclrtMalloc) X(aclrtFree) X(aclrtMemset) X(aclrtMemcpy)      \
  X(aclCreateTensor) X(aclCreateScalar) X(aclCreateIntArray) X(aclCreateBoolArray)      \
  X(aclDestroyTensor) X(aclDestroyScalar) X(aclDestroyIntArray) X(aclDestroyBoolArray)  \
  X(aclCreateFloatArray) X(aclCreateTensorList) X(aclCreateScalarList)                  \
  X(aclDestroyFloatArray) X(aclDestroyTensorList) X(aclDestroyScalarList)
// clang-format on

// The toolkit's libraries, loaded as a program loads them.
class PublicFunctions {
 public:
  // Throws std::runtime_error when a library or a function is missing.
  explicit PublicFunctions(const std::string& toolkit);
  PublicFunctions(const PublicFunctions&) = delete;
  PublicFunctions& operator=(const PublicFunctions&) = delete;

#define ACLIMB_MEMBER(name) decltype(&::name) name = nullptr;
  ACLIMB_REPLAY_FUNCTIONS(ACLIMB_MEMBER)
#undef ACLIMB_MEMBER

  // A function of the operators' library.
  void* Operator(const std::string& name) const;

 private:
  void* operators_ = nullptr;
};

}  // namespace aclimb::cli
