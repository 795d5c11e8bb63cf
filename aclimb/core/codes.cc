#include "aclimb/core/codes.h"

namespace aclimb {
namespace {

constexpr CodeRow kCodes[] = {
    {kSuccess, "ACL_SUCCESS", "the call did what it says", "nothing"},
    {kInvalidParam, "ACL_ERROR_INVALID_PARAM",
     "a required pointer is null, or a size that must not be 0 is",
     "read the message: it names the argument"},
    {kUninitialized, "ACL_ERROR_UNINITIALIZE",
     "a runtime call came before aclInit while ACLIMB_STRICT=1", "call aclInit first"},
    {kRepeatInitialize, "ACL_ERROR_REPEAT_INITIALIZE", "aclInit was called again; nothing changed",
     "ignore it: somebody else initialised already"},
    {kInvalidFile, "ACL_ERROR_INVALID_FILE", "the configuration file cannot be read",
     "check the path given to aclInit"},
    {kParseFile, "ACL_ERROR_PARSE_FILE", "the configuration file is not JSON, or nests too deeply",
     "correct the file; pass null for the defaults"},
    {kRepeatFinalize, "ACL_ERROR_REPEAT_FINALIZE", "aclFinalize without a preceding aclInit",
     "call it once for each initialisation"},
    {kRtParamInvalid, "ACL_ERROR_RT_PARAM_INVALID",
     "an argument is out of range: a copy past its buffer, an address that is no live allocation, "
     "an unknown enumerator",
     "read the message: it gives the value and the range"},
    {kRtInvalidDevice, "ACL_ERROR_RT_INVALID_DEVICEID", "there is no device of that number",
     "ask aclrtGetDeviceCount; ACLIMB_DEVICES sets how many there are"},
    {kRtContextNull, "ACL_ERROR_RT_CONTEXT_NULL", "the calling thread has no current context",
     "call aclrtSetDevice on this thread; each thread needs its own"},
    {kRtStreamContext, "ACL_ERROR_RT_STREAM_CONTEXT",
     "the stream belongs to another context than the current one",
     "make the stream's context current with aclrtSetCurrentContext"},
    {kRtEventTimestampInvalid, "ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID",
     "the event was not recorded, or keeps no time",
     "record both events, made with ACL_EVENT_TIME_LINE or aclrtCreateEvent"},
    {kRtEventTimestampReversal, "ACL_ERROR_RT_EVENT_TIMESTAMP_REVERSAL",
     "the end event was recorded before the start event", "swap the two"},
    {kRtStreamSubscribe, "ACL_ERROR_RT_STREAM_SUBSCRIBE",
     "the stream already has a report thread, or has another one", "subscribe each stream once"},
    {kRtThreadSubscribe, "ACL_ERROR_RT_THREAD_SUBSCRIBE", "the calling thread serves no stream",
     "call aclrtSubscribeReport for this thread first"},
    {kRtStreamNoCallback, "ACL_ERROR_RT_STREAM_NO_CB_REG",
     "a callback was launched on a stream without a report thread",
     "call aclrtSubscribeReport, or use aclrtLaunchHostFunc"},
    {kRtInvalidHandle, "ACL_ERROR_RT_INVALID_HANDLE",
     "the handle was never given out, or is destroyed", "look for a destroy before this call"},
    {kRtSysParamNotSet, "ACL_ERROR_RT_SYSPARAMOPT_NOT_SET",
     "the context has no value of its own for this parameter",
     "set it with aclrtCtxSetSysParamOpt, or ask for the process's value"},
    {kRtStreamAbort, "ACL_ERROR_RT_STREAM_ABORT", "the stream was aborted while the call waited",
     "expected after aclrtStreamAbort"},
    {kAclnnNullptr, "ACLNN_ERR_PARAM_NULLPTR", "a mandatory argument of an operator is null",
     "read the message: it names the argument"},
    {kAclnnInvalid, "ACLNN_ERR_PARAM_INVALID",
     "an argument of an operator breaks its contract: dtype, format, shape, range, or memory "
     "outside the device",
     "read the message: it gives the value, what was expected and the rule"},
    {kApiNotSupport, "ACL_ERROR_API_NOT_SUPPORT",
     "a function that Aclimb declares but cannot offer", "see the README's limits"},
    {kRtFeatureNotSupport, "ACL_ERROR_RT_FEATURE_NOT_SUPPORT",
     "a feature of the runtime that does not exist here, such as a host-to-host copy on a stream",
     "read the message for the way round"},
    {kRtMemoryAllocation, "ACL_ERROR_RT_MEMORY_ALLOCATION",
     "the device has not that much memory left", "free memory, or raise ACLIMB_MEMORY"},
    {kAclnnRuntime, "ACLNN_ERR_RUNTIME_ERROR",
     "the runtime refused the launch; its own code is in the message", "look that code up"},
    {kInternalError, "ACL_ERROR_INTERNAL_ERROR", "something failed that should not have",
     "report it, with the message"},
    {kRtStreamNotComplete, "ACL_ERROR_RT_STREAM_NOT_COMPLETE", "the stream still has work",
     "synchronise first"},
    {kRtEventNotComplete, "ACL_ERROR_RT_EVENT_NOT_COMPLETE", "the event's work is not done",
     "synchronise the event first"},
    {kRtReportTimeout, "ACL_ERROR_RT_REPORT_TIMEOUT",
     "no callback arrived within the timeout of aclrtProcessReport", "call it in a loop"},
    {kRtAicoreException, "ACL_ERROR_RT_AICORE_EXCEPTION",
     "a task failed while it ran; a later synchronise returns this",
     "ASCEND_LAUNCH_BLOCKING=1 makes the failing call itself return it"},
    {kRtAicpuException, "ACL_ERROR_RT_AICPU_EXCEPTION", "a host function failed while it ran",
     "look at the function given to aclrtLaunchHostFunc"},
    {kRtStreamSyncTimeout, "ACL_ERROR_RT_STREAM_SYNC_TIMEOUT",
     "the stream or device was not done in time; its work goes on",
     "wait longer, or synchronise without a timeout"},
    {kRtEventSyncTimeout, "ACL_ERROR_RT_EVENT_SYNC_TIMEOUT", "the event was not done in time",
     "wait longer"},
    {kRtHostAlreadyRegistered, "ACL_ERROR_HOST_MEMORY_ALREADY_REGISTERED",
     "the host memory is registered already", "register it once"},
    {kRtHostNotRegistered, "ACL_ERROR_HOST_MEMORY_NOT_REGISTERED",
     "the host memory was not registered", "pass the address that was registered"},
    {kAclnnInner, "ACLNN_ERR_INNER", "an operator failed inside, or the host has no memory left",
     "report it, with the message"},
    {kAclnnInnerTiling, "ACLNN_ERR_INNER_TILING_ERROR",
     "the shapes of a cross-entropy call do not fit together",
     "read the message: it names the tensors and their shapes"},
    {kAclnnInnerNullptr, "ACLNN_ERR_INNER_NULLPTR",
     "an executor is null, has run already or was destroyed",
     "call phase 1 again, or make the executor repeatable"},
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
