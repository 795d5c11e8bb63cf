#include "aclimb/core/codes.h"

namespace aclimb {

const char* CodeName(int code) {
  switch (code) {
    case kSuccess:
      return "ACL_SUCCESS";
    case kInvalidParam:
      return "ACL_ERROR_INVALID_PARAM";
    case kUninitialized:
      return "ACL_ERROR_UNINITIALIZE";
    case kRepeatInitialize:
      return "ACL_ERROR_REPEAT_INITIALIZE";
    case kInvalidFile:
      return "ACL_ERROR_INVALID_FILE";
    case kParseFile:
      return "ACL_ERROR_PARSE_FILE";
    case kRepeatFinalize:
      return "ACL_ERROR_REPEAT_FINALIZE";
    case kRtParamInvalid:
      return "ACL_ERROR_RT_PARAM_INVALID";
    case kRtInvalidDevice:
      return "ACL_ERROR_RT_INVALID_DEVICEID";
    case kRtContextNull:
      return "ACL_ERROR_RT_CONTEXT_NULL";
    case kRtStreamContext:
      return "ACL_ERROR_RT_STREAM_CONTEXT";
    case kRtEventTimestampInvalid:
      return "ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID";
    case kRtEventTimestampReversal:
      return "ACL_ERROR_RT_EVENT_TIMESTAMP_REVERSAL";
    case kRtStreamSubscribe:
      return "ACL_ERROR_RT_STREAM_SUBSCRIBE";
    case kRtThreadSubscribe:
      return "ACL_ERROR_RT_THREAD_SUBSCRIBE";
    case kRtStreamNoCallback:
      return "ACL_ERROR_RT_STREAM_NO_CB_REG";
    case kRtInvalidHandle:
      return "ACL_ERROR_RT_INVALID_HANDLE";
    case kRtSysParamNotSet:
      return "ACL_ERROR_RT_SYSPARAMOPT_NOT_SET";
    case kRtStreamAbort:
      return "ACL_ERROR_RT_STREAM_ABORT";
    case kAclnnNullptr:
      return "ACLNN_ERR_PARAM_NULLPTR";
    case kAclnnInvalid:
      return "ACLNN_ERR_PARAM_INVALID";
    case kApiNotSupport:
      return "ACL_ERROR_API_NOT_SUPPORT";
    case kRtFeatureNotSupport:
      return "ACL_ERROR_RT_FEATURE_NOT_SUPPORT";
    case kRtMemoryAllocation:
      return "ACL_ERROR_RT_MEMORY_ALLOCATION";
    case kAclnnRuntime:
      return "ACLNN_ERR_RUNTIME_ERROR";
    case kInternalError:
      return "ACL_ERROR_INTERNAL_ERROR";
    case kRtStreamNotComplete:
      return "ACL_ERROR_RT_STREAM_NOT_COMPLETE";
    case kRtEventNotComplete:
      return "ACL_ERROR_RT_EVENT_NOT_COMPLETE";
    case kRtReportTimeout:
      return "ACL_ERROR_RT_REPORT_TIMEOUT";
    case kRtAicoreException:
      return "ACL_ERROR_RT_AICORE_EXCEPTION";
    case kRtAicpuException:
      return "ACL_ERROR_RT_AICPU_EXCEPTION";
    case kRtStreamSyncTimeout:
      return "ACL_ERROR_RT_STREAM_SYNC_TIMEOUT";
    case kRtEventSyncTimeout:
      return "ACL_ERROR_RT_EVENT_SYNC_TIMEOUT";
    case kRtHostAlreadyRegistered:
      return "ACL_ERROR_HOST_MEMORY_ALREADY_REGISTERED";
    case kRtHostNotRegistered:
      return "ACL_ERROR_HOST_MEMORY_NOT_REGISTERED";
    case kAclnnInner:
      return "ACLNN_ERR_INNER";
    case kAclnnInnerTiling:
      return "ACLNN_ERR_INNER_TILING_ERROR";
    case kAclnnInnerNullptr:
      return "ACLNN_ERR_INNER_NULLPTR";
    default:
      return "";
  }
}

}  // namespace aclimb
