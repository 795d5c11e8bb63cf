#pragma once

#include <span>
#include <string_view>

namespace aclimb::check {

// One thing that the checker looks for. The documents, `aclimb explain` and the reports are made
// from these rows.
struct Rule {
  const char* id;
  const char* holds;    // what a correct program keeps
  const char* causes;   // how it usually comes to be broken
  const char* fix;      // what to do
  const char* example;  // code that breaks it
};

inline constexpr Rule kMemoryRules[] = {
    {"check/memory/past-end", "a copy, a fill or a view stays inside its memory",
     "elements taken for bytes, the size of another tensor, strides in bytes",
     "allocate more, or touch less; of a copy, pass the destination's size as destMax",
     "aclrtMalloc(&memory, 64, policy);\naclrtMemset(memory, 4096, 0, 4096);"},
    {"check/memory/use-after-free", "memory is used before it is freed, never after",
     "freed between the two phases, or by another owner", "free it after its last use",
     "aclrtFree(memory);\n"
     "aclrtMemcpy(host, bytes, memory, bytes, ACL_MEMCPY_DEVICE_TO_HOST);"},
    {"check/memory/double-free", "each allocation is freed once",
     "two owners of one address, or an error path that frees again",
     "free it in one place, and set the pointer to null there",
     "aclrtFree(memory);\naclrtFree(memory);"},
    {"check/memory/interior-free", "memory is freed by its first address, not by one inside it",
     "a pointer that was moved on while the data was walked, or a part of a mapping unmapped",
     "keep the address that aclrtMalloc, aclrtMallocHost or aclrtMapMem gave the memory",
     "aclrtFree(static_cast<char*>(memory) + 512);"},
    {"check/memory/wrong-free", "memory is freed by the counterpart of what allocated it",
     "host memory passed to aclrtFree, or device memory to aclrtFreeHost",
     "aclrtFree for aclrtMalloc, aclrtFreeHost for aclrtMallocHost, aclrtUnmapMem for aclrtMapMem",
     "aclrtMallocHost(&memory, bytes);\naclrtFree(memory);"},
    {"check/memory/host-for-device", "tensors, workspaces, fills and collectives get device memory",
     "a vector's data() given to aclCreateTensor",
     "allocate with aclrtMalloc, and copy the host's data there with aclrtMemcpy",
     "aclCreateTensor(..., host.data());"},
    {"check/memory/not-allocated", "a device address lies in memory that was allocated or mapped",
     "arithmetic with an address that ran far off, an uninitialised pointer, or a reserved range "
     "that nothing was mapped into",
     "compute addresses from what aclrtMalloc returned, or aclrtMapMem was given",
     "aclrtMemset(static_cast<char*>(memory) + (1 << 30), bytes, 0, bytes);"},
    {"check/memory/copy-kind", "the kind of a copy says where its two addresses are",
     "source and destination exchanged, or the kind of the lines above",
     "exchange the addresses, or pass the kind of this copy",
     "aclrtMemcpy(device, bytes, host, bytes, ACL_MEMCPY_DEVICE_TO_HOST);"},
    {"check/memory/overlapping-copy", "source and destination of a copy do not overlap",
     "data moved within one allocation by less than its own size",
     "copy by way of another allocation",
     "aclrtMemcpy(memory + 32, 64, memory, 64, ACL_MEMCPY_DEVICE_TO_DEVICE);"},
    {"check/memory/freed-in-flight", "memory is freed when no queued work needs it any more",
     "aclrtFree right after a launch: it does not wait",
     "call aclrtSynchronizeStream before the free",
     "aclnnEluBackward(workspace, size, executor, stream);\naclrtFree(workspace);"},
    {"check/memory/unwritten-read", "what is read was written before",
     "an input that was allocated and never copied to, or a wrong destination of that copy",
     "copy or fill the memory first (aclrtMemcpy, aclrtMemset)",
     "aclrtMalloc(&memory, bytes, policy);\n"
     "aclrtMemcpy(host, bytes, memory, bytes, ACL_MEMCPY_DEVICE_TO_HOST);"},
    {"check/memory/slack",
     "nothing beyond the requested size is used (a note, with "
     "ACLIMB_CHECK=all only)",
     "a size that is a little too small: up to 63 bytes behind an allocation happen to be there",
     "request the whole size",
     "aclrtMalloc(&memory, 60, policy);\naclrtMemset(memory, 64, 0, 64);"},
};

inline constexpr Rule kRaceRules[] = {
    {"check/race/copy-before-sync", "a result is copied after the stream was waited for",
     "aclrtMemcpy right after a launch: it is not ordered with streams",
     "call aclrtSynchronizeStream first, or use aclrtMemcpyAsync on that stream",
     "aclnnEluBackward(workspace, size, executor, stream);\n"
     "aclrtMemcpy(host, bytes, result, bytes, ACL_MEMCPY_DEVICE_TO_HOST);"},
    {"check/race/host", "the host changes memory when no queued work uses it",
     "the next input copied while the stream still reads the last one",
     "call aclrtSynchronizeStream first, or copy with aclrtMemcpyAsync on that stream",
     "aclnnEluBackward(workspace, size, executor, stream);\n"
     "aclrtMemcpy(input, bytes, host, bytes, ACL_MEMCPY_HOST_TO_DEVICE);"},
    {"check/race/streams",
     "two streams touch the same memory in a known order if one of them writes",
     "one stream produces, another consumes, without an event in between",
     "record an event behind the first (aclrtRecordEvent) and let the second stream wait for it "
     "(aclrtStreamWaitEvent)",
     "aclrtMemsetAsync(memory, bytes, 0, bytes, first);\n"
     "aclrtMemsetAsync(memory, bytes, 1, bytes, second);"},
};

inline constexpr Rule kStreamRules[] = {
    {"check/stream/destroyed-busy", "a stream is destroyed when its work is known to be done",
     "a missing synchronise at the end; aclrtDestroyStreamForce drops what is queued",
     "call aclrtSynchronizeStream before aclrtDestroyStream",
     "aclrtMemsetAsync(memory, bytes, 0, bytes, stream);\naclrtDestroyStream(stream);"},
    {"check/stream/other-context",
     "work goes to streams of the current context, and a graph to those of the context that "
     "recorded it",
     "another device or context was made current since the stream was created",
     "make the stream's context current with aclrtSetCurrentContext",
     "aclrtCreateStream(&stream);\naclrtCreateContext(&other, 0);\n"
     "aclrtMemsetAsync(memory, bytes, 0, bytes, stream);"},
    {"check/event/wait-unrecorded", "an event is recorded before it is waited for",
     "the two calls in the wrong order, or another event recorded than is waited for: such a wait "
     "does nothing",
     "call aclrtRecordEvent first",
     "aclrtStreamWaitEvent(second, event);\naclrtRecordEvent(event, first);"},
    {"check/event/destroyed-busy",
     "an event is destroyed when what it marks is known to be done, as toolkits before release 8.0 "
     "ask for (a note, with ACLIMB_CHECK=all only)",
     "a missing synchronise before the end",
     "wait for the event or for its stream before aclrtDestroyEvent",
     "aclrtRecordEvent(event, stream);\naclrtDestroyEvent(event);"},
    {"check/callback/not-subscribed", "a stream has a report thread before callbacks are launched",
     "aclrtLaunchCallback without aclrtSubscribeReport",
     "call aclrtSubscribeReport first, or use aclrtLaunchHostFunc",
     "aclrtLaunchCallback(function, data, ACL_CALLBACK_BLOCK, stream);"},
    {"check/callback/unprocessed", "somebody processes the callbacks of a stream",
     "a report thread that does not call aclrtProcessReport in a loop",
     "call aclrtProcessReport until the callbacks are done",
     "aclrtSubscribeReport(thread, stream);\n"
     "aclrtLaunchCallback(function, data, ACL_CALLBACK_BLOCK, stream);\n"
     "aclrtSynchronizeStreamWithTimeout(stream, 100);"},
};

inline constexpr Rule kObjectRules[] = {
    {"check/object/use-after-destroy", "an object is used before it is destroyed, never after",
     "a tensor destroyed between the phases' preparation and phase 1, a stream of a reset device",
     "destroy it after its last use",
     "aclDestroyTensor(input);\naclnnEluBackwardGetWorkspaceSize(input, ...);"},
    {"check/object/double-destroy", "each object is destroyed once",
     "two owners of one handle, or an error path that destroys again",
     "destroy it in one place, and set the variable to null there",
     "aclDestroyTensor(tensor);\naclDestroyTensor(tensor);"},
    {"check/object/list-and-member", "a list or its members are destroyed, not both",
     "aclDestroyTensorList destroys the members too", "destroy the list alone",
     "aclDestroyTensorList(list);\naclDestroyTensor(member);"},
    {"check/object/executor-reused", "an executor runs once", "a loop around phase 2 alone",
     "call phase 1 for each run, or aclSetAclOpExecutorRepeatable right after it",
     "aclnnEluBackward(workspace, size, executor, stream);\n"
     "aclnnEluBackward(workspace, size, executor, stream);"},
    {"check/object/executor-destroyed", "an executor that ran is not destroyed: phase 2 did that",
     "aclDestroyAclOpExecutor after phase 2, which is for repeatable executors",
     "leave the call out",
     "aclnnEluBackward(workspace, size, executor, stream);\n"
     "aclDestroyAclOpExecutor(executor);"},
};

inline constexpr Rule kLeakRules[] = {
    {"check/leak/device-memory", "device memory is freed before the device is reset",
     "a path that returns early, or a workspace that is allocated in a loop",
     "call aclrtFree; for memory of aclrtMallocPhysical, aclrtUnmapMem and aclrtFreePhysical",
     "aclrtMalloc(&memory, bytes, policy);\naclFinalize();"},
    {"check/leak/host-memory", "memory of aclrtMallocHost is freed", "a path that returns early",
     "call aclrtFreeHost", "aclrtMallocHost(&memory, bytes);\naclFinalize();"},
    {"check/leak/stream", "streams are destroyed before their device is reset",
     "a path that returns early", "call aclrtDestroyStream",
     "aclrtCreateStream(&stream);\naclrtResetDevice(0);\naclFinalize();"},
    {"check/leak/event", "events are destroyed", "a path that returns early",
     "call aclrtDestroyEvent", "aclrtCreateEvent(&event);\naclFinalize();"},
    {"check/leak/context", "contexts are destroyed, or their device is reset",
     "a path that returns early", "call aclrtDestroyContext, or aclrtResetDevice",
     "aclrtCreateContext(&context, 0);\naclFinalize();"},
    {"check/leak/descriptor",
     "tensors, scalars, arrays, lists, graphs and communicators are destroyed",
     "an array that is created for one call and forgotten",
     "call the function of its kind that destroys it",
     "aclCreateIntArray(values, 2);\naclFinalize();"},
    {"check/leak/executor", "an executor runs, or is destroyed",
     "phase 1 without phase 2, or a repeatable executor that is not destroyed",
     "call phase 2, or aclDestroyAclOpExecutor",
     "aclnnEluBackwardGetWorkspaceSize(..., &size, &executor);\naclFinalize();"},
};

inline constexpr Rule kDataRules[] = {
    {"check/data/index-range", "indices lie in the dimension that they select from",
     "a vocabulary larger than the table, an index tensor of another dtype, or an index that "
     "counts "
     "from the end",
     "check the indices against the size that the message gives",
     "index = {0, 7};  // the dimension has 4 elements"},
    {"check/data/label-range", "labels are classes, or the value that is ignored",
     "a label of another data set, 1-based labels, or int32 data described as INT64",
     "check labels against the classes, and the dtype", "target = {0, 7};  // 3 classes"},
    {"check/data/image-range", "a region's image number lies in the batch",
     "regions of another batch", "check column 0 of boxes against the batch",
     "boxes = {{5, 0, 0, 4, 4}};  // 1 image"},
    {"check/data/not-finite", "finite inputs give finite outputs (with ACLIMB_CHECK=nan)",
     "overflow in float16, a division by 0, or a value outside the function's domain, as log(-1): "
     "this operator is the first",
     "look at the values of its inputs: too large, 0 as a divisor, outside the domain; in "
     "training, "
     "scale the loss",
     "gradOutput = {65504};  // float16, scale 4"},
};

inline constexpr Rule kCallRules[] = {
    {"check/call/unread",
     "after a refusal the program calls aclGetRecentErrMsg (for the reason), aclrtGetLastError or "
     "aclrtPeekAtLastError (for the code)",
     "the codes that calls return are not looked at, or the program expects the refusal and looks "
     "at its code alone",
     "print aclGetRecentErrMsg() where a code is not 0; if the refusal is expected, set "
     "ACLIMB_MUTE=check/call/unread",
     "aclrtMalloc(&memory, 0, policy);\naclFinalize();"},
};

inline constexpr std::span<const Rule> kAllRules[] = {
    kMemoryRules, kRaceRules, kStreamRules, kObjectRules, kLeakRules, kDataRules, kCallRules};

// Null for an id that is none.
constexpr const Rule* FindRule(std::string_view id) {
  for (const std::span<const Rule> rules : kAllRules) {
    for (const Rule& rule : rules) {
      if (id == rule.id) return &rule;
    }
  }
  return nullptr;
}

}  // namespace aclimb::check
