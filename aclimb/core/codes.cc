#include "aclimb/core/codes.h"

namespace aclimb {
namespace {

constexpr CodeRow kCodes[] = {
    {kSuccess, "ACL_SUCCESS"},
    {kInvalidParam, "ACL_ERROR_INVALID_PARAM"},
    {kUninitialized, "ACL_ERROR_UNINITIALIZE"},
    {kRepeatInitialize, "ACL_ERROR_REPEAT_INITIALIZE"},
    {kInvalidFile, "ACL_ERROR_INVALID_FILE"},
    {kParseFile, "ACL_ERROR_PARSE_FILE"},
    {kInvalidDumpConfig, "ACL_ERROR_INVALID_DUMP_CONFIG"},
    {kInvalidProfilingConfig, "ACL_ERROR_INVALID_PROFILING_CONFIG"},
    {kRepeatFinalize, "ACL_ERROR_REPEAT_FINALIZE"},
    {kRtParamInvalid, "ACL_ERROR_RT_PARAM_INVALID"},
    {kRtInvalidDevice, "ACL_ERROR_RT_INVALID_DEVICEID"},
    {kRtContextNull, "ACL_ERROR_RT_CONTEXT_NULL"},
    {kRtStreamContext, "ACL_ERROR_RT_STREAM_CONTEXT"},
    {kRtEventTimestampInvalid, "ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID"},
    {kRtEventTimestampReversal, "ACL_ERROR_RT_EVENT_TIMESTAMP_REVERSAL"},
    {kRtStreamSubscribe, "ACL_ERROR_RT_STREAM_SUBSCRIBE"},
    {kRtThreadSubscribe, "ACL_ERROR_RT_THREAD_SUBSCRIBE"},
    {kRtStreamNoCallback, "ACL_ERROR_RT_STREAM_NO_CB_REG"},
    {kRtInvalidHandle, "ACL_ERROR_RT_INVALID_HANDLE"},
    {kRtSysParamNotSet, "ACL_ERROR_RT_SYSPARAMOPT_NOT_SET"},
    {kRtStreamAbort, "ACL_ERROR_RT_STREAM_ABORT"},
    {kAclnnNullptr, "ACLNN_ERR_PARAM_NULLPTR"},
    {kAclnnInvalid, "ACLNN_ERR_PARAM_INVALID"},
    {kApiNotSupport, "ACL_ERROR_API_NOT_SUPPORT"},
    {kRtFeatureNotSupport, "ACL_ERROR_RT_FEATURE_NOT_SUPPORT"},
    {kRtMemoryAllocation, "ACL_ERROR_RT_MEMORY_ALLOCATION"},
    {kRtResourceAllocFail, "ACL_ERROR_RT_RESOURCE_ALLOC_FAIL"},
    {kRtNoEventResource, "ACL_ERROR_RT_NO_EVENT_RESOURCE"},
    {kRtNoStreamResource, "ACL_ERROR_RT_NO_STREAM_RESOURCE"},
    {kAclnnRuntime, "ACLNN_ERR_RUNTIME_ERROR"},
    {kInternalError, "ACL_ERROR_INTERNAL_ERROR"},
    {kRtStreamNotComplete, "ACL_ERROR_RT_STREAM_NOT_COMPLETE"},
    {kRtEventNotComplete, "ACL_ERROR_RT_EVENT_NOT_COMPLETE"},
    {kRtReportTimeout, "ACL_ERROR_RT_REPORT_TIMEOUT"},
    {kRtAicoreException, "ACL_ERROR_RT_AICORE_EXCEPTION"},
    {kRtAicpuException, "ACL_ERROR_RT_AICPU_EXCEPTION"},
    {kRtStreamSyncTimeout, "ACL_ERROR_RT_STREAM_SYNC_TIMEOUT"},
    {kRtEventSyncTimeout, "ACL_ERROR_RT_EVENT_SYNC_TIMEOUT"},
    {kRtHostAlreadyRegistered, "ACL_ERROR_HOST_MEMORY_ALREADY_REGISTERED"},
    {kRtHostNotRegistered, "ACL_ERROR_HOST_MEMORY_NOT_REGISTERED"},
    {kAclnnInner, "ACLNN_ERR_INNER"},
    {kAclnnInnerTiling, "ACLNN_ERR_INNER_TILING_ERROR"},
    {kAclnnInnerNullptr, "ACLNN_ERR_INNER_NULLPTR"},
};

}  // namespace

std::span<const CodeRow> AllCodes() { return kCodes; }

const char* CodeName(int code) {
  for (const CodeRow& row : kCodes) {
    if (row.code == code) return row.name;
  }
  return "";
}

}  // namespace aclimb
