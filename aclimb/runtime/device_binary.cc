// Kernels of the chip's own instructions, which nothing here can run.

#include "acl/acl_rt.h"
#include "aclimb/framework.h"
#include "aclimb/runtime/entry.h"
#include "aclimb/runtime/refusals.h"

namespace {

int RefuseBinary(const char* function) {
  return aclimb::Enter(function, [] {
    return aclimb::NotSupported(
        "Aclimb runs no kernels of the chip's own instructions; expected operators of aclnnop/.",
        "call the operator of aclnnop/ that does the same", "runtime/device-binary/unsupported");
  });
}

}  // namespace

extern "C" {

aclError aclrtBinaryLoadFromData(const void*, size_t, const aclrtBinaryLoadOptions*,
                                 aclrtBinHandle*) {
  return RefuseBinary("aclrtBinaryLoadFromData");
}
aclError aclrtBinaryGetFunction(const aclrtBinHandle, const char*, aclrtFuncHandle*) {
  return RefuseBinary("aclrtBinaryGetFunction");
}
aclError aclrtGetFunctionAddr(aclrtFuncHandle, void**, void**) {
  return RefuseBinary("aclrtGetFunctionAddr");
}

int32_t rtDevBinaryRegister(const void*, void**) { return RefuseBinary("rtDevBinaryRegister"); }
int32_t rtFunctionRegister(void*, const void*, const char*, const void*, uint32_t) {
  return RefuseBinary("rtFunctionRegister");
}
int32_t rtKernelLaunch(const void*, uint32_t, void*, uint32_t, void*, void*) {
  return RefuseBinary("rtKernelLaunch");
}
int32_t rtGetC2cCtrlAddr(uint64_t*, uint32_t*) { return RefuseBinary("rtGetC2cCtrlAddr"); }

}  // extern "C"
