#include "aclimb/runtime/capture.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "aclimb/core/fork.h"
#include "aclimb/runtime/entry.h"
#include "aclimb/runtime/handle_table.h"
#include "aclimb/runtime/memory.h"
#include "aclimb/runtime/refusals.h"
#include "aclimb/runtime/synchronize.h"
#include "aclimb/runtime/thread_state.h"

namespace aclimb {

// What an aclmdlRI stands for. Runs that are queued hold it, also when its handle has ended.
struct Graph {
  // A task, or a call that queues work.
  struct Step {
    AclimbTask task = {};
    std::function<Status(aclrtStream)> call = {};
  };

  std::vector<Step> steps;
  std::vector<AclimbAllocation> memory;  // of the work, which ends with the graph
  const void* context = nullptr;         // handle
  void* handle = nullptr;
  bool recorded = false;  // guarded by CapturesMutex()

  Graph() = default;
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  ~Graph() {
    for (const Step& step : steps) {
      if (step.task.release != nullptr) step.task.release(step.task.payload);
    }
    for (const AclimbAllocation& allocation : memory) FreeIfLive(allocation);
  }
};
using GraphRef = std::shared_ptr<Graph>;

// What a stream records.
struct Capture {
  GraphRef graph;
  aclmdlRICaptureMode mode = ACL_MODEL_RI_CAPTURE_MODE_GLOBAL;
  uint64_t thread = 0;  // number of the one that began it
};

namespace {

// The captures that are under way, for sections of a few instructions.
struct Captures {
  std::mutex mutex;
  std::vector<const Capture*> active;
};
Captures& AllCaptures() {
  static auto* const captures = new Captures;
  return *captures;
}
std::mutex& CapturesMutex() { return AllCaptures().mutex; }
ForkLock captures_lock(CapturesMutex());
// Programs that capture nothing look no further.
std::atomic<int> active_captures{0};

bool IsRelaxed(const Capture& capture) { return capture.mode == ACL_MODEL_RI_CAPTURE_MODE_RELAXED; }

Status CheckMode(aclmdlRICaptureMode mode) {
  if (mode >= ACL_MODEL_RI_CAPTURE_MODE_GLOBAL && mode <= ACL_MODEL_RI_CAPTURE_MODE_RELAXED) {
    return Ok();
  }
  return BadValue("mode", mode, "an aclmdlRICaptureMode", "capture/mode");
}

// The graph of a handle; 107017 for one that is not live, 107026 while it is recorded.
Result<GraphRef> FindGraph(const void* handle) {
  if (handle == nullptr) return NullArgument("modelRI");
  GraphRef graph = ResolveShared<Graph>(handle, ACLIMB_HANDLE_GRAPH);
  if (graph == nullptr) return DeadHandle("modelRI", handle, "graph");
  std::lock_guard<std::mutex> lock(CapturesMutex());
  if (graph->recorded) return graph;
  return Refuse(ACL_ERROR_RT_MODEL_CAPTURED,
                Cat("modelRI is ", AddressText(handle),
                    ", which a stream still records; expected one that is complete."),
                "call aclmdlRICaptureEnd first", "runtime/capture/incomplete");
}

// Under CapturesMutex(): what the stream recorded, which it does no more.
std::unique_ptr<Capture> Take(Stream& stream) {
  std::unique_ptr<Capture> capture(
      static_cast<Capture*>(stream.capture.exchange(nullptr, std::memory_order_acq_rel)));
  if (capture == nullptr) return capture;
  std::erase(AllCaptures().active, capture.get());
  active_captures.fetch_sub(1, std::memory_order_release);
  return capture;
}

// Calls record(graph) with the graph that the stream records into; false when it records nothing.
template <typename Record>
bool RecordIn(Stream& stream, const Record& record) {
  if (stream.capture.load(std::memory_order_acquire) == nullptr) return false;
  std::lock_guard<std::mutex> lock(CapturesMutex());
  auto* const capture = static_cast<Capture*>(stream.capture.load(std::memory_order_relaxed));
  if (capture == nullptr) return false;
  record(*capture->graph);
  return true;
}

Status Begin(aclrtStream handle, aclmdlRICaptureMode mode) {
  ACLIMB_CHECK_OK(CheckMode(mode));
  Result<StreamRef> found = ResolveStreamForWork(handle);
  if (!found.ok()) return found.TakeStatus();
  Stream& stream = *found.value();
  if (stream.is_default) {
    return Refuse(ACL_ERROR_RT_STREAM_CAPTURE_IMPLICIT,
                  "stream is the default stream of the current context; expected one that "
                  "aclrtCreateStream made.",
                  "create a stream for the work that is recorded",
                  "runtime/capture/default-stream");
  }
  auto capture = std::make_unique<Capture>();
  capture->graph = std::make_shared<Graph>();
  capture->graph->context = stream.context;
  capture->mode = mode;
  capture->thread = ThisThread().number;
  std::lock_guard<std::mutex> lock(CapturesMutex());
  if (stream.capture.load(std::memory_order_relaxed) != nullptr) {
    return Refuse(ACL_ERROR_RT_STREAM_CAPTURED,
                  Cat("stream is ", AddressText(stream.handle),
                      ", which records already; expected one that does not."),
                  "call aclmdlRICaptureEnd first", "runtime/capture/twice");
  }
  std::vector<const Capture*>& active = AllCaptures().active;
  active.reserve(active.size() + 1);
  capture->graph->handle = CreateShared(ACLIMB_HANDLE_GRAPH, capture->graph);
  if (capture->graph->handle == nullptr) {
    return Refuse(kRtResourceAllocFail,
                  "the process has no handle left for another aclmdlRI; expected fewer live "
                  "objects.",
                  "destroy what is not needed", "runtime/handle/exhausted");
  }
  active.push_back(capture.get());
  active_captures.fetch_add(1, std::memory_order_release);
  stream.capture.store(capture.release(), std::memory_order_release);
  return Ok();
}

Status NotCapturing(const Stream& stream) {
  return Refuse(ACL_ERROR_RT_STREAM_NOT_CAPTURED,
                Cat("stream is ", AddressText(stream.handle),
                    ", which records nothing; expected one after aclmdlRICaptureBegin."),
                "call aclmdlRICaptureBegin first", "runtime/capture/not-begun");
}

Status End(aclrtStream handle, aclmdlRI* graph) {
  if (graph == nullptr) return NullArgument("modelRI");
  Result<StreamRef> found = ResolveStreamForWork(handle);
  if (!found.ok()) return found.TakeStatus();
  Stream& stream = *found.value();
  std::lock_guard<std::mutex> lock(CapturesMutex());
  const auto* const capture = static_cast<Capture*>(stream.capture.load(std::memory_order_acquire));
  if (capture == nullptr) return NotCapturing(stream);
  const bool own = capture->thread == ThisThread().number;
  if (!own && !IsRelaxed(*capture)) {
    return Refuse(ACL_ERROR_RT_STREAM_CAPTURE_WRONG_THREAD,
                  Cat("stream is ", AddressText(stream.handle),
                      ", whose capture another thread began; expected that thread."),
                  "end the capture where it began, or begin it with the mode RELAXED",
                  "runtime/capture/other-thread");
  }
  const std::unique_ptr<Capture> ended = Take(stream);
  ended->graph->recorded = true;
  *graph = ended->graph->handle;
  return Ok();
}

Status GetInfo(aclrtStream handle, aclmdlRICaptureStatus* status, aclmdlRI* graph) {
  if (status == nullptr) return NullArgument("status");
  Result<StreamRef> found = ResolveStreamForWork(handle);
  if (!found.ok()) return found.TakeStatus();
  std::lock_guard<std::mutex> lock(CapturesMutex());
  const auto* const capture =
      static_cast<Capture*>(found.value()->capture.load(std::memory_order_acquire));
  *status =
      capture == nullptr ? ACL_MODEL_RI_CAPTURE_STATUS_NONE : ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE;
  if (graph != nullptr) *graph = capture == nullptr ? nullptr : capture->graph->handle;
  return Ok();
}

// A task of a run, which holds the graph until it is done.
struct Run {
  GraphRef graph;
  const AclimbTask* task;
};

Status QueueTask(const GraphRef& graph, const AclimbTask& recorded, Stream& stream) {
  AclimbTask task = recorded;
  task.payload = new Run{graph, &recorded};
  task.run = [](void* run) {
    const AclimbTask* const of = static_cast<Run*>(run)->task;
    return of->run(of->payload);
  };
  task.release = [](void* run) { delete static_cast<Run*>(run); };
  uint32_t id = 0;
  const int code = Backend().queue_submit(stream.queue, &task, &id);
  if (code != 0) return CannotQueue(code, "task of the graph", "runtime/capture/queue");
  NoteTask(id);
  return Ok();
}

Status CheckMemory(const Graph& graph) {
  for (size_t i = 0; i < graph.steps.size(); ++i) {
    const AclimbTask& task = graph.steps[i].task;
    if (task.recheck == nullptr || task.recheck(task.payload) != 0) continue;
    return Refuse(
        kRtParamInvalid,
        Cat("step ", i, " of modelRI, ", task.name,
            ", uses device memory that was freed since it was recorded; expected its memory to "
            "live as long as the graph."),
        "keep tensors and workspaces until aclmdlRIDestroy, or record again",
        "runtime/capture/freed-memory");
  }
  return Ok();
}

Status Execute(const void* graph_handle, aclrtStream stream_handle, StreamRef* used) {
  Result<GraphRef> graph = FindGraph(graph_handle);
  if (!graph.ok()) return graph.TakeStatus();
  Result<StreamRef> found = ResolveStream(stream_handle);
  if (!found.ok()) return found.TakeStatus();
  Stream& stream = *found.value();
  if (stream.context != graph.value()->context) {
    return Refuse(kRtStreamContext,
                  Cat("modelRI is ", AddressText(graph_handle),
                      ", which was recorded in another context than that of stream; "
                      "expected the same."),
                  "record it again in this context", "runtime/capture/other-context");
  }
  ACLIMB_CHECK_OK(CheckMemory(*graph.value()));
  for (const Graph::Step& step : graph.value()->steps) {
    ACLIMB_CHECK_OK(step.call ? step.call(stream_handle)
                              : QueueTask(graph.value(), step.task, stream));
  }
  if (used != nullptr) *used = found.value();
  return FinishLaunch(stream);
}

// On the default stream, and waits for it.
Status ExecuteNow(const void* graph, int32_t timeout) {
  ACLIMB_CHECK_OK(CheckTimeout(timeout));
  StreamRef stream;
  ACLIMB_CHECK_OK(Execute(graph, nullptr, &stream));
  return SynchronizeStream(*stream, timeout);
}

Status Destroy(const void* handle) {
  Result<GraphRef> graph = FindGraph(handle);
  if (!graph.ok()) return graph.TakeStatus();
  if (ReleaseShared<Graph>(handle, ACLIMB_HANDLE_GRAPH) != nullptr) return Ok();
  return DeadHandle("modelRI", handle, "graph");
}

}  // namespace

Result<StreamRef> ResolveStream(const void* handle) {
  Result<StreamRef> stream = ResolveStreamForWork(handle);
  if (!stream.ok() || stream.value()->capture.load(std::memory_order_acquire) == nullptr) {
    return stream;
  }
  return Refuse(ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT,
                Cat("stream is ", AddressText(stream.value()->handle),
                    ", which records work; expected a call that can be recorded: an "
                    "operator, or an asynchronous copy or fill."),
                "leave the call out, or call aclmdlRICaptureEnd first",
                "runtime/capture/not-recordable");
}

bool CaptureTask(Stream& stream, const AclimbTask& task) {
  return RecordIn(stream, [&](Graph& graph) { graph.steps.push_back({.task = task}); });
}

bool CaptureCall(Stream& stream, std::function<Status(aclrtStream)> again) {
  return RecordIn(stream, [&](Graph& graph) { graph.steps.push_back({.call = std::move(again)}); });
}

bool CaptureMemory(Stream& stream, std::span<void* const> addresses) {
  return RecordIn(stream, [&](Graph& graph) {
    graph.memory.reserve(graph.memory.size() + addresses.size());
    for (const void* address : addresses) {
      AclimbAllocation allocation;
      if (FindAllocation(address, &allocation)) graph.memory.push_back(allocation);
    }
  });
}

Status CheckUncaptured(const char* what) {
  if (active_captures.load(std::memory_order_acquire) == 0) return Ok();
  const ThreadState& thread = ThisThread();
  if (thread.capture_mode == ACL_MODEL_RI_CAPTURE_MODE_RELAXED) return Ok();
  std::lock_guard<std::mutex> lock(CapturesMutex());
  for (const Capture* capture : AllCaptures().active) {
    const bool own = capture->thread == thread.number;
    const bool forbids = own ? !IsRelaxed(*capture)
                             : capture->mode == ACL_MODEL_RI_CAPTURE_MODE_GLOBAL &&
                                   thread.capture_mode == ACL_MODEL_RI_CAPTURE_MODE_GLOBAL;
    if (!forbids) continue;
    return Refuse(ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT,
                  Cat(what, ", but ", own ? "this thread" : "another thread of the process",
                      " records work of a stream; expected no such call until it ends."),
                  "call it before aclmdlRICaptureBegin, or allow it with "
                  "aclmdlRICaptureThreadExchangeMode",
                  "runtime/capture/unordered");
  }
  return Ok();
}

void DropCapture(Stream& stream) {
  std::unique_ptr<Capture> dropped;
  {
    std::lock_guard<std::mutex> lock(CapturesMutex());
    dropped = Take(stream);
  }
  if (dropped != nullptr) (void)ReleaseShared<Graph>(dropped->graph->handle, ACLIMB_HANDLE_GRAPH);
}

}  // namespace aclimb

extern "C" {

aclError aclmdlRICaptureBegin(aclrtStream stream, aclmdlRICaptureMode mode) {
  return aclimb::Enter("aclmdlRICaptureBegin", [&] { return aclimb::Begin(stream, mode); });
}

aclError aclmdlRICaptureGetInfo(aclrtStream stream, aclmdlRICaptureStatus* status,
                                aclmdlRI* modelRI) {
  return aclimb::Enter("aclmdlRICaptureGetInfo",
                       [&] { return aclimb::GetInfo(stream, status, modelRI); });
}

int aclimb_capture_keep(const void* stream, void* const* memory, size_t count) {
  if (aclimb::active_captures.load(std::memory_order_acquire) == 0) return 0;
  try {
    const aclimb::Result<aclimb::StreamRef> found = aclimb::ResolveStreamForWork(stream);
    return found.ok() && aclimb::CaptureMemory(*found.value(), {memory, count}) ? 1 : 0;
  } catch (const std::bad_alloc&) {
    // Without a list of it, the memory stays until the device is reset.
    return 1;
  }
}

aclError aclmdlRICaptureEnd(aclrtStream stream, aclmdlRI* modelRI) {
  return aclimb::Enter("aclmdlRICaptureEnd", [&] { return aclimb::End(stream, modelRI); });
}

aclError aclmdlRICaptureThreadExchangeMode(aclmdlRICaptureMode* mode) {
  return aclimb::Enter("aclmdlRICaptureThreadExchangeMode", [&]() -> aclimb::Status {
    if (mode == nullptr) return aclimb::NullArgument("mode");
    ACLIMB_CHECK_OK(aclimb::CheckMode(*mode));
    std::swap(*mode, aclimb::ThisThread().capture_mode);
    return aclimb::Ok();
  });
}

aclError aclmdlRIExecuteAsync(aclmdlRI modelRI, aclrtStream stream) {
  return aclimb::Enter("aclmdlRIExecuteAsync",
                       [&] { return aclimb::Execute(modelRI, stream, nullptr); });
}

aclError aclmdlRIExecute(aclmdlRI modelRI, int32_t timeout) {
  return aclimb::Enter("aclmdlRIExecute", [&] { return aclimb::ExecuteNow(modelRI, timeout); });
}

aclError aclmdlRIDestroy(aclmdlRI modelRI) {
  return aclimb::Enter("aclmdlRIDestroy", [&] { return aclimb::Destroy(modelRI); });
}

}  // extern "C"
