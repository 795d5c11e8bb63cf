#include "acl/error_codes/rt_error_codes.h"
#include "tools/catalogue/code_entry.h"

// 207xxx: a resource is exhausted, or a feature is missing.
namespace aclimb::catalogue {
namespace {

constexpr CodeEntry kRuntimeResourceCodes[] = {
    {ACLIMB_CODE(ACL_ERROR_RT_FEATURE_NOT_SUPPORT), "the runtime does not have this feature",
     "an asynchronous host-to-host copy; a backend that is not installed (ACLIMB_DEVICE); an "
     "attribute of hardware that is not there",
     "read the message for the way round"},
    {ACLIMB_CODE(ACL_ERROR_RT_MEMORY_ALLOCATION), "the device has not that much memory left",
     "memory that is never freed; a size in elements taken for bytes, or an overflown one; a limit "
     "set by ACLIMB_MEMORY or the container; a limit of the process, as RLIMIT_DATA, which the "
     "message then names",
     "free memory, or raise the limit with `aclimb run --memory SIZE`; `aclimb info` shows it"},
    {ACLIMB_CODE(ACL_ERROR_RT_MEMORY_FREE), "memory cannot be freed",
     "an address that is not the start of an allocation, or was freed before",
     "free what was allocated, once"},
    {ACLIMB_CODE(ACL_ERROR_RT_AICORE_OVER_FLOW), "a calculation on the AI cores overflowed",
     "float16 numbers beyond 65504, while overflow is watched for",
     "scale the loss, or compute in float32 or bfloat16"},
    {ACLIMB_CODE(ACL_ERROR_RT_NO_DEVICE), "the machine has no usable device",
     "no driver, no permission for the device files, or none is visible in the container",
     "check the driver; ASCEND_RT_VISIBLE_DEVICES may hide all devices"},
    {ACLIMB_CODE(ACL_ERROR_RT_RESOURCE_ALLOC_FAIL), "the device has no resource of a kind left",
     "the system gives the process no thread for the device's work (RLIMIT_NPROC, pids.max, or no "
     "memory for a stack); objects that are created in a loop and never destroyed",
     "raise the limit that the message names, or end threads; destroy what is not needed"},
    {ACLIMB_CODE(ACL_ERROR_RT_NO_PERMISSION), "the process may not do this",
     "a user without access to the device", "add the user to the device's group"},
    {ACLIMB_CODE(ACL_ERROR_RT_NO_EVENT_RESOURCE), "there is no room for another event",
     "events that are created in a loop and never destroyed",
     "destroy events after use, or reuse them"},
    {ACLIMB_CODE(ACL_ERROR_RT_NO_STREAM_RESOURCE), "there is no room for another stream",
     "a stream for each task or request, never destroyed", "keep a few streams and reuse them"},
    {ACLIMB_CODE(ACL_ERROR_RT_NO_NOTIFY_RESOURCE), "there is no room for another notification",
     "notifications that are created in a loop and never destroyed", "destroy them after use"},
    {ACLIMB_CODE(ACL_ERROR_RT_NO_MODEL_RESOURCE), "there is no room for another model",
     "models that are loaded and never unloaded", "unload models that are not needed"},
    {ACLIMB_CODE(ACL_ERROR_RT_NO_CDQ_RESOURCE), "there is no hardware queue left",
     "too many streams or graphs at once", "destroy those that are not needed"},
    {ACLIMB_CODE(ACL_ERROR_RT_OVER_LIMIT), "a count or size exceeds its limit",
     "more objects or a larger argument than the device allows", "read the log for the limit"},
    {ACLIMB_CODE(ACL_ERROR_RT_QUEUE_EMPTY), "the queue has no entry",
     "taking from it before anything was put in", "wait, or try again"},
    {ACLIMB_CODE(ACL_ERROR_RT_QUEUE_FULL), "the queue has no room",
     "its reader is slower than its writer", "wait, or try again"},
    {ACLIMB_CODE(ACL_ERROR_RT_REPEATED_INIT), "a part was initialised twice",
     "two libraries each initialise it", "treat this code as success"},
    {ACLIMB_CODE(ACL_ERROR_RT_AIVEC_OVER_FLOW), "a calculation on the vector cores overflowed",
     "float16 numbers beyond 65504, while overflow is watched for",
     "scale the loss, or compute in float32 or bfloat16"},
    {ACLIMB_CODE(ACL_ERROR_RT_OVER_FLOW), "a calculation overflowed",
     "float16 numbers beyond 65504, while overflow is watched for",
     "scale the loss, or compute in float32 or bfloat16"},
    {ACLIMB_CODE(ACL_ERROR_RT_DEVICE_OOM), "a running task found no device memory",
     "tasks that allocate while they run, on a device that is full", "free device memory"},
    {ACLIMB_CODE(ACL_ERROR_RT_FEATURE_NOT_SUPPORT_UPDATE_OP),
     "this operator cannot be updated in a captured graph",
     "an update of an operator whose arguments are fixed once captured", "capture the graph anew"},
    {ACLIMB_CODE(ACL_ERROR_RT_TIMEOUT), "something was not done in time",
     "a device or a peer that does not answer", "raise the timeout, then look at the device"},
    {ACLIMB_CODE(ACL_ERROR_RT_LINK_TYPE_NOT_SUPPORTED),
     "two devices are not connected in the way that is asked for",
     "direct access between devices that only the host connects", "copy through the host"},
};

}  // namespace

std::span<const CodeEntry> RuntimeResourceCodes() { return kRuntimeResourceCodes; }

}  // namespace aclimb::catalogue
