#include "aclimb/runtime/pageable_copy.h"

#include <condition_variable>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>

#include "aclimb/runtime/collective.h"
#include "aclimb/runtime/copy_operation.h"
#include "aclimb/runtime/event.h"
#include "aclimb/runtime/refusals.h"
#include "aclimb/runtime/synchronize.h"

namespace aclimb {
namespace {

struct StagedCopy {
  void* dst;
  size_t dst_pitch;
  size_t width;
  size_t height;
  std::unique_ptr<char[]> bytes;
  std::unique_ptr<const CopyOperation> described;
};

// Shared by the call and the task. The call may leave only while the task does not run.
class OrderedCopy {
 public:
  explicit OrderedCopy(const CopyShape& shape)
      : described(CopyOperation::Make(shape, /*reads=*/true)), shape_(shape) {}

  void Run() {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      if (state_ == State::kLeft) return;
      state_ = State::kRunning;
    }
    int code = Backend().memory_copy(shape_.dst, shape_.dst_pitch, shape_.src, shape_.src_pitch,
                                     shape_.width, shape_.height);
    if (code == 0 && Backend().cancelled() != 0) code = kRtStreamAbort;
    std::lock_guard<std::mutex> lock(mutex_);
    state_ = State::kDone;
    code_ = code;
    changed_.notify_all();
  }

  // How the copy ended, after a wait for the stream; nothing when it did not begin. From here on
  // the task touches nothing.
  std::optional<int> Leave() {
    std::unique_lock<std::mutex> lock(mutex_);
    if (state_ == State::kQueued) {
      state_ = State::kLeft;
      return std::nullopt;
    }
    changed_.wait(lock, [this] { return state_ == State::kDone; });
    return code_;
  }

  const std::unique_ptr<const CopyOperation> described;

 private:
  enum class State { kQueued, kRunning, kDone, kLeft };

  const CopyShape shape_;
  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  State state_ = State::kQueued;
  int code_ = 0;
};
using OrderedCopyRef = std::shared_ptr<OrderedCopy>;

Status Incomplete(const Stream& stream, const CopyShape& shape, int code, const char* why) {
  return Refuse(
      code,
      Cat("the copy of ", shape.width * shape.height, " bytes from ", AddressText(shape.src),
          " to ", AddressText(shape.dst), " is not complete: stream ", AddressText(stream.handle),
          why, "; expected the stream to reach it."),
      "queue the copy again on a stream that runs; dst holds any part of it",
      "runtime/memcpy/incomplete");
}

// Waits for the stream in the backend, which may run the copy inside this very call.
Status WaitFor(OrderedCopy& copy, Stream& stream, const CopyShape& shape) {
  HurryCollectives();
  AclimbMarker* recorded = nullptr;
  int waited = Backend().queue_record(stream.queue, &recorded);
  const MarkerRef marker(recorded);
  if (waited == 0) waited = Backend().marker_wait(recorded, -1, /*take_error=*/0);
  const std::optional<int> ended = copy.Leave();
  const int code = ended.value_or(waited);
  if (code != 0) {
    return Incomplete(stream, shape, code,
                      code == kRtStreamAbort
                          ? " was aborted or destroyed, or waits for an event whose work was"
                          : " could not get there");
  }
  if (ended) return Ok();
  // A tool failed the task before it could begin.
  const int failed = Backend().marker_wait(recorded, 0, /*take_error=*/1);
  if (failed != 0) return TaskError(stream, failed);
  return Incomplete(stream, shape, kRtAicoreException,
                    " failed there, as another call that waits for it was told");
}

void TellRead(const CopyShape& shape) {
  observe::Work work;
  work.kind = observe::WorkKind::kCopy;
  work.src = shape.src;
  work.src_pitch = shape.src_pitch;
  work.width = shape.width;
  work.height = shape.height;
  observe::Each([&](observe::Observer& tool) { tool.ReadsNow(work); });
}

}  // namespace

Status QueueStagedCopy(Stream& stream, const CopyShape& shape) {
  if (observe::On()) TellRead(shape);
  auto staged = std::make_unique<StagedCopy>();
  staged->dst = shape.dst;
  staged->dst_pitch = shape.dst_pitch;
  staged->width = shape.width;
  staged->height = shape.height;
  staged->bytes.reset(new char[shape.width * shape.height]);
  for (size_t row = 0; row < shape.height; ++row) {
    std::memcpy(staged->bytes.get() + row * shape.width,
                static_cast<const char*>(shape.src) + row * shape.src_pitch, shape.width);
  }
  AclimbTask task = {};
  task.name = "copy from pageable memory";
  task.run = [](void* payload) {
    const auto* copy = static_cast<StagedCopy*>(payload);
    return Backend().memory_copy(copy->dst, copy->dst_pitch, copy->bytes.get(), copy->width,
                                 copy->width, copy->height);
  };
  task.release = [](void* payload) { delete static_cast<StagedCopy*>(payload); };
  staged->described = CopyOperation::Make(shape, /*reads=*/false);
  if (staged->described != nullptr) task.operation = staged->described->operation();
  task.payload = staged.release();
  task.cost_bytes = shape.width * shape.height;
  uint32_t id = 0;
  const int code = Backend().queue_submit(stream.queue, &task, &id);
  NoteTask(id);
  return code == 0 ? Ok() : CannotQueue(code, "copy", "runtime/memcpy/queue");
}

Status CopyInStreamOrder(Stream& stream, const CopyShape& shape) {
  const auto copy = std::make_shared<OrderedCopy>(shape);
  AclimbTask task = {};
  task.name = "copy of pageable memory";
  task.run = [](void* payload) {
    (*static_cast<OrderedCopyRef*>(payload))->Run();
    return 0;  // the call that waits tells how it ended
  };
  task.release = [](void* payload) { delete static_cast<OrderedCopyRef*>(payload); };
  if (copy->described != nullptr) task.operation = copy->described->operation();
  task.payload = new OrderedCopyRef(copy);
  task.cost_bytes = shape.width * shape.height;
  uint32_t id = 0;
  const int queued = Backend().queue_submit(stream.queue, &task, &id);
  NoteTask(id);
  if (queued != 0) return CannotQueue(queued, "copy", "runtime/memcpy/queue");
  return WaitFor(*copy, stream, shape);
}

}  // namespace aclimb
