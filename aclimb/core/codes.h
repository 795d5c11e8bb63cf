#pragma once

#include <span>

namespace aclimb {

// Codes that Aclimb itself returns, numbered as the interface has them.
// The library's inside uses these; the public headers spell them for programs.
enum Code : int {
  kSuccess = 0,
  kInvalidParam = 100000,
  kUninitialized = 100001,
  kRepeatInitialize = 100002,
  kInvalidFile = 100003,
  kParseFile = 100006,
  kInvalidDumpConfig = 100009,
  kInvalidProfilingConfig = 100010,
  kRepeatFinalize = 100037,
  kRtParamInvalid = 107000,
  kRtInvalidDevice = 107001,
  kRtContextNull = 107002,
  kRtStreamContext = 107003,
  kRtEventTimestampInvalid = 107006,
  kRtEventTimestampReversal = 107007,
  kRtStreamSubscribe = 107011,
  kRtThreadSubscribe = 107012,
  kRtStreamNoCallback = 107015,
  kRtInvalidHandle = 107017,
  kRtSysParamNotSet = 107021,
  kRtStreamAbort = 107023,
  kAclnnNullptr = 161001,
  kAclnnInvalid = 161002,
  kApiNotSupport = 200001,
  kRtFeatureNotSupport = 207000,
  kRtMemoryAllocation = 207001,
  kRtResourceAllocFail = 207005,
  kRtNoEventResource = 207007,
  kRtNoStreamResource = 207008,
  kAclnnRuntime = 361001,
  kInternalError = 500000,
  kRtStreamNotComplete = 507004,
  kRtEventNotComplete = 507006,
  kRtReportTimeout = 507012,
  kRtAicoreException = 507015,
  kRtAicpuException = 507018,
  kRtStreamSyncTimeout = 507046,
  kRtEventSyncTimeout = 507047,
  kRtHostAlreadyRegistered = 507910,
  kRtHostNotRegistered = 507911,
  kAclnnInner = 561000,
  kAclnnInnerTiling = 561002,
  kAclnnInnerNullptr = 561103,
};

// What a code is called. The texts about it are in tools/catalogue, which the library does not
// need.
struct CodeRow {
  Code code;
  const char* name;
};
// Every code that a function of Aclimb can return.
std::span<const CodeRow> AllCodes();

// "ACLNN_ERR_PARAM_INVALID" for 161002; an empty text for codes that Aclimb never returns.
const char* CodeName(int code);

}  // namespace aclimb
