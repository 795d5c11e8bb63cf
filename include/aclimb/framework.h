// Functions beneath the documented interface that frameworks link without declaring them to their
// users (torch_npu from 2.10 on). Library: ascendcl. C99 and C++11. A program does not call them.
#ifndef ACLIMB_FRAMEWORK_H_
#define ACLIMB_FRAMEWORK_H_

#include <stddef.h>
#include <stdint.h>

#include "acl/acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- Reports to the vendor's profiler ----
// That profiler does not run here, as it does not on a machine where nobody started it: what is
// reported goes nowhere, and 0 is the answer. `aclimb run --trace FILE` shows what a program does.

ACL_FUNC_VISIBILITY int32_t MsprofRegisterCallback(uint32_t moduleId, void* handle);
ACL_FUNC_VISIBILITY int32_t MsprofReportApi(uint32_t nonPersistantFlag, const void* api);
ACL_FUNC_VISIBILITY int32_t MsprofReportCompactInfo(uint32_t nonPersistantFlag, const void* data,
                                                    uint32_t length);
ACL_FUNC_VISIBILITY int32_t MsprofReportAdditionalInfo(uint32_t nonPersistantFlag, const void* data,
                                                       uint32_t length);
// A number that stands for the text; never 0.
ACL_FUNC_VISIBILITY uint64_t MsprofGetHashId(const char* hashInfo, size_t length);
// Nanoseconds of a clock that never goes back.
ACL_FUNC_VISIBILITY uint64_t MsprofSysCycleTime(void);

// ---- Device binaries ----
// Kernels of the chip's own instructions cannot run here: these refuse with 207000, and
// aclGetRecentErrMsg says so.

ACL_FUNC_VISIBILITY int32_t rtDevBinaryRegister(const void* bin, void** hdl);
ACL_FUNC_VISIBILITY int32_t rtFunctionRegister(void* binHandle, const void* stubFunc,
                                               const char* stubName, const void* kernelInfoExt,
                                               uint32_t funcMode);
ACL_FUNC_VISIBILITY int32_t rtKernelLaunch(const void* stubFunc, uint32_t blockDim, void* args,
                                           uint32_t argsSize, void* smDesc, void* stm);
// Where the chip keeps what its cores tell each other.
ACL_FUNC_VISIBILITY int32_t rtGetC2cCtrlAddr(uint64_t* addr, uint32_t* len);

#ifdef __cplusplus
}
#endif

#endif  // ACLIMB_FRAMEWORK_H_
