#include "aclimb/runtime/stream.h"

#include <algorithm>
#include <memory>

#include "aclimb/bridge/bridge.h"
#include "aclimb/core/fork.h"
#include "aclimb/runtime/capture.h"
#include "aclimb/runtime/collective.h"
#include "aclimb/runtime/entry.h"
#include "aclimb/runtime/handle_table.h"
#include "aclimb/runtime/init.h"
#include "aclimb/runtime/refusals.h"
#include "aclimb/runtime/report_thread.h"
#include "aclimb/runtime/stream_config.h"
#include "aclimb/runtime/synchronize.h"
#include "aclimb/runtime/thread_state.h"

namespace aclimb {
namespace {

Result<StreamRef> Find(const void* handle, bool even_lost) {
  ACLIMB_CHECK_OK(CheckUsable());
  StreamRef stream;
  if (handle == nullptr) {
    Result<ContextRef> context = CurrentContext();
    if (!context.ok()) return context.TakeStatus();
    stream = context.value()->default_stream;
  } else {
    stream = ResolveShared<Stream>(handle, ACLIMB_HANDLE_STREAM);
    // Live streams have live contexts, so the thread's own need not be looked at then.
    if (stream == nullptr || stream->context != ThisThread().context) {
      Result<const void*> context = CurrentContextHandle();
      if (!context.ok()) return context.TakeStatus();
      if (stream == nullptr) return DeadHandle("stream", handle, "stream");
      if (stream->context != context.value()) {
        return ForeignStream("stream", handle, context.value());
      }
    }
  }
  if (!even_lost && IsLost(*stream)) return LostStream("stream", stream->handle);
  return stream;
}

constexpr size_t kMostStreams = 1984;  // of one device, as the imitated chips have it

// Flags with which synchronising has no meaning.
constexpr uint32_t kDeviceDriven =
    ACL_STREAM_PERSISTENT | ACL_STREAM_CPU_SCHEDULE | ACL_STREAM_DEVICE_USE_ONLY;

Status CreateStream(aclrtStream* stream, StreamOptions options) {
  if (stream == nullptr) return NullArgument("stream");
  Result<ContextRef> context = CurrentContext();
  if (!context.ok()) return context.TakeStatus();
  options.priority = std::min(options.priority, kLeastPriority);
  std::lock_guard<std::mutex> lock(ProcessMutex());
  // A reset of the device may have ended the context meanwhile.
  if (Handles().Resolve(context.value()->handle, ACLIMB_HANDLE_CONTEXT) == nullptr) {
    return NoContext();
  }
  Result<StreamRef> made = MakeStream(*context.value(), options);
  if (!made.ok()) return made.TakeStatus();
  *stream = made.value()->handle;
  return Ok();
}

Status DestroyStream(aclrtStream handle, bool drain) {
  if (handle == nullptr) return NullArgument("stream");
  Result<ContextRef> context = CurrentContext();
  if (!context.ok()) return context.TakeStatus();
  Result<StreamRef> found = FindStream(handle);
  if (!found.ok()) return found.TakeStatus();
  if (found.value()->is_default) {
    return Refuse(kRtParamInvalid,
                  "stream is the default stream of the current context; expected one that "
                  "aclrtCreateStream made.",
                  "leave it alone: it goes with its context", "runtime/stream/destroy-default");
  }
  {
    std::lock_guard<std::mutex> lock(ProcessMutex());
    if (ReleaseShared<Stream>(handle, ACLIMB_HANDLE_STREAM) == nullptr) {
      return DeadHandle("stream", handle, "stream");
    }
    std::erase(context.value()->streams, found.value().get());
  }
  // Tools must not take it for a stream whose work the program forgot.
  if (IsLost(*found.value())) Backend().queue_abort(found.value()->queue);
  EndStream(std::move(found.value()), drain, /*used=*/false);
  return Ok();
}

Status Synchronize(aclrtStream handle, int64_t timeout_ms) {
  Result<StreamRef> stream = ResolveStream(handle);
  if (!stream.ok()) return stream.TakeStatus();
  if ((stream.value()->options.flags & kDeviceDriven) != 0) return Ok();
  return SynchronizeStream(*stream.value(), timeout_ms);
}

}  // namespace

bool IsLost(const Stream& stream) {
  return ForkCount() != 0 && Backend().queue_is_lost(stream.queue) != 0;
}

Result<StreamRef> ResolveStreamForWork(const void* handle) {
  return Find(handle, /*even_lost=*/false);
}

Result<StreamRef> FindStream(const void* handle) { return Find(handle, /*even_lost=*/true); }

Result<StreamRef> MakeStream(Context& context, StreamOptions options) {
  size_t streams = 0;
  for (const Context* other : context.device->contexts) streams += other->streams.size();
  if (streams >= kMostStreams) {
    return Refuse(
        ACL_ERROR_RT_NO_STREAM_RESOURCE,
        Cat("the device has ", streams, " streams; expected fewer than ", kMostStreams, "."),
        "destroy streams that are not needed", "runtime/stream/exhausted");
  }
  StreamRef stream = std::make_shared<Stream>();
  stream->device = context.device;
  stream->context = context.handle;
  stream->options = options;
  stream->id = context.device->next_stream_id.fetch_add(1, std::memory_order_relaxed);
  context.streams.reserve(context.streams.size() + 1);
  const AclimbQueueOptions wanted = {context.group, options.priority, options.flags};
  const int code = Backend().queue_create(context.device->handle, &wanted, &stream->queue);
  if (code != 0) {
    if (const SystemRefusal refusal = TakeSystemRefusal()) {
      return Refuse(code, refusal.what, refusal.fix, "runtime/stream/backend");
    }
    return Refuse(code, "the backend has no queue left for another stream.",
                  "destroy streams that are not needed", "runtime/stream/backend");
  }
  stream->handle = CreateShared(ACLIMB_HANDLE_STREAM, stream);
  if (stream->handle == nullptr) {
    return Refuse(kRtMemoryAllocation, "no handle is left for another stream.",
                  "destroy streams that are not needed", "runtime/handle/exhausted");
  }
  context.streams.push_back(stream.get());
  return stream;
}

Stream::~Stream() {
  if (queue == nullptr) return;
  DropCapture(*this);
  Backend().queue_destroy(queue, drain.load(std::memory_order_relaxed) ? 1 : 0);
  ForgetReportThread(*this);
}

void EndStream(StreamRef stream, bool drain, bool used) {
  stream->drain.store(drain, std::memory_order_relaxed);
  DropCapture(*stream);
  // Its context holds a default stream until the end.
  const long own = stream->is_default ? 2 : 1;
  if (!used && stream.use_count() <= own) return;
  // Other calls use the stream; what they wait for comes to its end here.
  if (drain) {
    Backend().queue_wait(stream->queue, -1);
  } else {
    Backend().queue_abort(stream->queue);
  }
}

void NoteTask(uint32_t task) { ThisThread().last_task = task; }

}  // namespace aclimb

extern "C" {

aclError aclrtCreateStream(aclrtStream* stream) {
  return aclimb::Enter("aclrtCreateStream",
                       [&] { return aclimb::CreateStream(stream, aclimb::StreamOptions{}); });
}

aclError aclrtCreateStreamWithConfig(aclrtStream* stream, uint32_t priority, uint32_t flag) {
  return aclimb::Enter("aclrtCreateStreamWithConfig", [&] {
    return aclimb::CreateStream(stream, aclimb::StreamOptions{priority, flag});
  });
}

aclError aclrtCreateStreamV2(aclrtStream* stream, const aclrtStreamConfigHandle* handle) {
  return aclimb::Enter("aclrtCreateStreamV2", [&]() -> aclimb::Status {
    aclimb::StreamOptions options;
    if (handle != nullptr) {
      ACLIMB_CHECK_OK(aclimb::CheckStreamConfig(handle));
      options = aclimb::StreamOptions{handle->priority, static_cast<uint32_t>(handle->flag)};
    }
    return aclimb::CreateStream(stream, options);
  });
}

aclError aclrtDestroyStream(aclrtStream stream) {
  return aclimb::Enter("aclrtDestroyStream", [&] { return aclimb::DestroyStream(stream, true); });
}

aclError aclrtDestroyStreamForce(aclrtStream stream) {
  return aclimb::Enter("aclrtDestroyStreamForce",
                       [&] { return aclimb::DestroyStream(stream, false); });
}

aclError aclrtSynchronizeStream(aclrtStream stream) {
  return aclimb::EnterWait("aclrtSynchronizeStream",
                           [&] { return aclimb::Synchronize(stream, -1); });
}

aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t timeout) {
  return aclimb::EnterWait("aclrtSynchronizeStreamWithTimeout", [&]() -> aclimb::Status {
    ACLIMB_CHECK_OK(aclimb::CheckTimeout(timeout));
    return aclimb::Synchronize(stream, timeout);
  });
}

aclError aclrtStreamQuery(aclrtStream stream, aclrtStreamStatus* status) {
  return aclimb::Enter("aclrtStreamQuery", [&]() -> aclimb::Status {
    if (status == nullptr) return aclimb::NullArgument("status");
    aclimb::Result<aclimb::StreamRef> found = aclimb::ResolveStream(stream);
    if (!found.ok()) return found.TakeStatus();
    aclimb::HurryCollectives();
    int idle = 0;
    const int code = aclimb::Backend().queue_query(found.value()->queue, &idle);
    if (code != 0) return aclimb::TaskError(*found.value(), code);
    *status = idle != 0 ? ACL_STREAM_STATUS_COMPLETE : ACL_STREAM_STATUS_NOT_READY;
    return aclimb::Ok();
  });
}

aclError aclrtStreamAbort(aclrtStream stream) {
  return aclimb::Enter("aclrtStreamAbort", [&]() -> aclimb::Status {
    aclimb::Result<aclimb::StreamRef> found = aclimb::FindStream(stream);
    if (!found.ok()) return found.TakeStatus();
    aclimb::Backend().queue_abort(found.value()->queue);
    return aclimb::Ok();
  });
}

}  // extern "C"
