#include "tools/record/record.h"

#include <atomic>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "aclimb/core/text.h"
#include "tools/record/limit.h"
#include "tools/record/npy.h"
#include "tools/record/record_folder.h"
#include "tools/record/recorded_call.h"

namespace aclimb::tools {
namespace {

// The task of a call runs on another thread, before or after the call returns.
struct Recording {
  std::mutex mutex;
  RecordedCall call;
};

// An operator's call that the thread is in.
struct OpenCall {
  int depth = 0;  // of the thread's calls, from 1
  int phase = 0;
  RecordedCall call;
  std::shared_ptr<Recording> queued;  // null until its task is queued
  std::unique_ptr<OpenCall> outer;    // a callback of the program calls operators inside a call
};

// The calls that the thread is in. Without a destructor: programs call us from static ones, after
// those of the thread's objects.
struct Calls {
  int depth = 0;
  OpenCall* open = nullptr;  // the innermost of an operator

  // The operator's call itself, not one inside it; else null.
  OpenCall* Current() const { return open != nullptr && open->depth == depth ? open : nullptr; }
};
thread_local Calls calls;

class Record : public observe::Observer {
 public:
  Record(std::unique_ptr<RecordFolder> folder, uint64_t limit)
      : folder_(std::move(folder)), limit_(limit) {}

  bool EndsInChild() const override { return true; }

  int CallBegin(const char*) override {
    ++calls.depth;
    return 0;
  }

  void OperatorCalled(const AclimbOperatorCall& details) override {
    if (!folder_->open()) return;
    OpenCall* open = calls.Current();
    if (open == nullptr) {
      open = new OpenCall;
      open->depth = calls.depth;
      open->outer.reset(calls.open);
      calls.open = open;
    }
    open->phase = details.phase;
    RecordedCall& call = open->call;
    call.function = details.function;
    if (details.arguments != nullptr) call.arguments = details.arguments;
    call.workspace = details.workspace_size;
    call.deterministic = details.deterministic != 0;
  }

  void Refused(int, const char* text) override {
    OpenCall* open = calls.Current();
    if (open == nullptr) return;
    std::string& message = open->call.message;
    message += message.empty() ? "" : "\n";
    message += text;
  }

  void CallEnd(const char*, int code) override {
    const std::unique_ptr<OpenCall> ending(calls.Current());
    --calls.depth;
    if (ending == nullptr) return;
    OpenCall& ended = *ending;
    calls.open = ended.outer.release();
    if (ended.queued != nullptr) {
      const std::lock_guard<std::mutex> lock(ended.queued->mutex);
      RecordedCall& call = ended.queued->call;
      call.phase2 = code;
      call.phase2_ended = true;
      call.message = std::move(ended.call.message);
      // Else the end of the run writes it.
      if (IsOver(call)) Write(call);
    } else if (code != 0) {
      ended.call.phase2_ended = ended.phase == 2;
      (ended.phase == 1 ? ended.call.phase1 : ended.call.phase2) = code;
      ended.call.number = NewNumber();
      folder_->MakeFolder(ended.call.Folder());
      Write(ended.call);
    } else if (ended.phase == 2) {
      ended.call.phase2_ended = true;
      const std::lock_guard<std::mutex> lock(mutex_);
      captured_[Key(ended.call.function, ended.call.arguments.c_str())] = std::move(ended.call);
    }
  }

  void QueueMade(AclimbDevice* device, AclimbQueue* queue) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    streams_[queue] = made_[device]++;
  }

  void Queued(const observe::Work& work) override {
    if (work.operation == nullptr || !folder_->open()) return;
    OpenCall* open = calls.Current();
    if (open != nullptr && open->queued != nullptr) return;
    auto recording = std::make_shared<Recording>();
    RecordedCall& call = recording->call;
    if (open != nullptr) {
      call = open->call;
    } else if (!FindCaptured(*work.operation, &call)) {
      return;
    }
    call.number = NewNumber();
    call.run = RecordedCall::Run::kQueued;
    call.tensors = TensorsOf(*work.operation, &call.blocks, &call.device);
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      const auto stream = streams_.find(work.queue);
      if (stream != streams_.end()) call.stream = stream->second;
      waiting_[work.id] = recording;
    }
    folder_->MakeFolder(call.Folder());
    Write(call);
    if (open != nullptr) open->queued = std::move(recording);
  }

  int Started(const observe::Work& work) override {
    if (const std::shared_ptr<Recording> recording = Find(work.id, /*take=*/false)) {
      const std::lock_guard<std::mutex> lock(recording->mutex);
      recording->call.run = RecordedCall::Run::kStarted;
      WriteTensors(recording->call, /*outputs=*/false);
      // A run that ends the process leaves its inputs and this.
      Write(recording->call);
    }
    return 0;
  }

  void Finished(const observe::Work& work, int code) override {
    if (const std::shared_ptr<Recording> recording = Find(work.id, /*take=*/true)) {
      const std::lock_guard<std::mutex> lock(recording->mutex);
      recording->call.run = RecordedCall::Run::kEnded;
      recording->call.run_code = code;
      WriteTensors(recording->call, /*outputs=*/true);
      Write(recording->call);
    }
  }

  void Dropped(const observe::Work& work) override {
    if (const std::shared_ptr<Recording> recording = Find(work.id, /*take=*/true)) {
      const std::lock_guard<std::mutex> lock(recording->mutex);
      recording->call.run = RecordedCall::Run::kDropped;
      Write(recording->call);
    }
  }

 private:
  uint64_t NewNumber() { return last_.fetch_add(1, std::memory_order_relaxed) + 1; }

  static bool IsOver(const RecordedCall& call) {
    return call.run == RecordedCall::Run::kEnded || call.run == RecordedCall::Run::kDropped;
  }

  static std::string Key(std::string_view function, const char* arguments) {
    return Cat(function, arguments == nullptr ? "" : arguments);
  }

  bool FindCaptured(const AclimbOperation& operation, RecordedCall* call) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = captured_.find(Key(operation.function, operation.arguments));
    if (found == captured_.end()) return false;
    *call = found->second;
    return true;
  }

  std::shared_ptr<Recording> Find(uint64_t work, bool take) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = waiting_.find(work);
    if (found == waiting_.end()) return nullptr;
    std::shared_ptr<Recording> recording = found->second;
    if (take) waiting_.erase(found);
    return recording;
  }

  void WriteTensors(RecordedCall& call, bool outputs) {
    for (RecordedTensor& tensor : call.tensors) {
      if (tensor.is_output != outputs || tensor.data == nullptr || tensor.bytes > limit_) continue;
      folder_->WriteFile(call.Folder() + '/' + tensor.name + ".npy",
                         NpyHeader(static_cast<DType>(tensor.dtype), tensor.elements),
                         std::string_view(tensor.data, tensor.bytes));
      tensor.written = folder_->open();
    }
  }

  void Write(const RecordedCall& call) {
    folder_->WriteFile(call.Folder() + "/call.json", call.Json(limit_), "");
  }

  const std::unique_ptr<RecordFolder> folder_;
  const uint64_t limit_;
  std::atomic<uint64_t> last_{0};
  std::mutex mutex_;
  std::unordered_map<AclimbDevice*, int> made_;    // streams of the device so far
  std::unordered_map<AclimbQueue*, int> streams_;  // their numbers
  std::unordered_map<uint64_t, std::shared_ptr<Recording>> waiting_;  // by work
  // Calls that a capture took, by function and arguments. The graph's run queues their tasks.
  std::unordered_map<std::string, RecordedCall> captured_;
};

}  // namespace

observe::Observer* MakeRecord() {
  const char* path = secure_getenv("ACLIMB_RECORD");
  if (path == nullptr || path[0] == '\0') return nullptr;
  Result<uint64_t> limit = ReadRecordLimit();
  std::unique_ptr<RecordFolder> folder = RecordFolder::Open(path);
  if (folder == nullptr) return nullptr;
  return new Record(std::move(folder), limit.ok() ? limit.value() : kDefaultRecordLimit);
}

}  // namespace aclimb::tools
