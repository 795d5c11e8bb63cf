#include "aclimb/collectives/communicator.h"

#include <algorithm>
#include <utility>

#include "aclimb/collectives/errors.h"
#include "aclimb/core/codes.h"
#include "aclimb/core/text.h"

namespace aclimb::collectives {
namespace {

using Clock = std::chrono::steady_clock;

// HcclCommDestroy waits so long for a call that runs and does not get on.
constexpr auto kCloseTime = std::chrono::seconds(10);

// For a while after an operation the worker looks around by itself. Meanwhile it is not told of a
// short one that its stream comes to within the call: either a wait for the stream does that, which
// saves two changes of threads, or the runtime is told of something else (hurry), or the worker
// finds it.
constexpr auto kBusyTime = std::chrono::milliseconds(50);
constexpr auto kLookTime = std::chrono::milliseconds(1);
constexpr uint64_t kShortBytes = 1 << 20;

bool IsShort(const Operation& operation) {
  uint64_t bytes = operation.bytes();
  for (const Transfer& each : operation.transfers) bytes += each.bytes;
  return bytes <= kShortBytes;
}

// What the other ranks return where one has the code: what all of them did together is the same
// everywhere, what one met alone is a remote failure for the others.
uint32_t CodeForOthers(int code) {
  const bool common = code == HCCL_E_PARA || code == HCCL_E_TIMEOUT;
  return static_cast<uint32_t>(common ? code : HCCL_E_REMOTE);
}

Status Dropped(const Operation& operation, uint32_t rank) {
  return Refuse(HCCL_E_SUSPENDING,
                Cat(operation.Text(), " of rank ", rank,
                    " was dropped: its stream was aborted or destroyed, or did not take it; "
                    "expected it to run as on the other ranks."),
                "destroy the communicator and make a new one", "collective/dropped");
}

Status StandsBehind(const Operation& operation, const Operation& front) {
  return Refuse(
      HCCL_E_TIMEOUT,
      Cat(operation.Text(), " waited for ", operation.timeout_ms, " ms behind ", front.Text(),
          ", which its stream has not come to; expected streams to come to the calls of "
          "a communicator within HCCL_EXEC_TIMEOUT of each other."),
      "look at what the other stream waits for; or raise HCCL_EXEC_TIMEOUT",
      "collective/exec-timeout");
}

// The place of the call that this thread is in. Looking it up takes long, so that it is done once,
// and under no lock: messages about the operation are made under several.
std::string PlaceOfCall() {
  char text[256] = "";
  if (const uint32_t site = aclimb_call_site()) aclimb_call_site_text(site, text, sizeof(text));
  return text;
}

}  // namespace

Communicator::Communicator(std::unique_ptr<Group> group, Origin origin)
    : group_(std::move(group)),
      origin_(std::move(origin)),
      no_memory_(NoHostMemory("the operation")),
      no_memory_for_others_(
          RankHasFailed(rank(), CodeForOthers(no_memory_.code()), no_memory_.refusal().what)) {}

Communicator::~Communicator() {
  // Closed, unless it was never handed out.
  if (!stopping_) Close();
}

void Communicator::Start() {
  worker_.emplace([this] { Work(); });
  worker_->Name("hccl_worker");
  if (origin_.link == nullptr) return;
  observer_.emplace([this] { Observe(); });
  observer_->Name("hccl_observer");
  origin_.link->Watch(origin_.key, this);
}

void Communicator::Close() {
  {
    std::unique_lock<std::mutex> lock(mutex_);
    closing_ = true;
    while (!queue_.empty()) {
      const size_t left = queue_.size();
      const uint64_t progress = group_->Progress();
      const uint64_t run = runs_;
      const bool failed = !failure_.ok() || !group_->Failure().ok() ||
                          !HeardLocked(queue_.front()->operation, "").ok();
      const Clock::duration patience = running_ != nullptr ? kCloseTime
                                       : failed            ? Clock::duration::zero()
                                                           : origin_.settings.exec_timeout;
      const bool less =
          changed_.wait_for(lock, patience, [&] { return queue_.size() < left || runs_ != run; });
      if (less || group_->Progress() != progress) continue;
      Abandon(lock);
      break;
    }
    stopping_ = true;
    work_.notify_all();
    look_.notify_all();
  }
  if (origin_.link != nullptr) origin_.link->Unwatch(origin_.key);
  if (observer_) observer_->Join();
  if (worker_) worker_->Join();
}

void Communicator::Abandon(std::unique_lock<std::mutex>& lock) {
  const Operation& operation = queue_.front()->operation;
  const std::string here =
      Cat("HcclCommDestroy found ", operation.Text(), " of rank ", rank(), " waiting");
  Status why = HeardLocked(operation, here);
  if (why.ok()) {
    why = Refuse(HCCL_E_TIMEOUT,
                 Cat(here, ", and it did not get on; expected the work to be done before."),
                 "wait for the streams before HcclCommDestroy", "collective/destroyed");
  }
  lock.unlock();
  End(why);
  lock.lock();
  // Streams that come to the rest later find no thread.
  std::erase_if(queue_, [](const auto& item) { return !item->reached; });
}

Status Communicator::Queue(Operation operation, std::unique_ptr<ToolView> view,
                           aclrtStream stream) {
  operation.timeout_ms = origin_.settings.exec_timeout.count();
  operation.place = PlaceOfCall();
  auto item = std::make_shared<Queued>();
  auto payload = std::make_unique<std::shared_ptr<Queued>>(item);
  AclimbCollective collective = {};
  collective.name = operation.function;
  collective.reached = &Reached;
  collective.help = &Help;
  collective.hurry = &Hurry;
  collective.finish = &Finish;
  collective.release = [](void* mine) { delete static_cast<std::shared_ptr<Queued>*>(mine); };
  collective.operation = view != nullptr ? view->operation() : nullptr;
  const std::lock_guard<std::mutex> issue(issue_mutex_);
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!failure_.ok()) return FailureLocked();
    if (Status failed = group_->Failure(); !failed.ok()) return failed;
    if (closing_) {
      return Refuse(HCCL_E_PARA, "comm is being destroyed; expected a living communicator.",
                    "make all calls before HcclCommDestroy", "collective/handle");
    }
    if (operation.kind != Kind::kTransfers) operation.number = ++numbers_;
    for (Transfer& each : operation.transfers) {
      each.number = ++(each.sends ? sends_ : receives_)[each.peer];
    }
    item->owner = shared_from_this();
    item->operation = std::move(operation);
    item->view = std::move(view);
    item->caller = std::this_thread::get_id();
    queue_.push_back(item);
  }
  collective.payload = payload.release();
  AclimbReason reason = {"", ""};
  const int code = aclimb_launch_collective(stream, &collective, &reason);
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    item->caller = {};
  }
  if (code == 0 && !item->refused) return Ok();
  if (code == 0) {
    // A stream that has failed takes calls and drops them.
    Status dropped = Dropped(item->operation, rank());
    End(dropped);
    return dropped;
  }
  return Refuse(HCCL_E_PARA, Cat("the operation cannot be queued on the stream: ", reason.what),
                reason.fix, "collective/stream");
}

Status Communicator::Await(aclrtStream stream) {
  AclimbReason reason = {"", ""};
  if (aclimb_await_collective(stream, &reason) == 0) return Ok();
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!failure_.ok()) {
    return Refuse(failure_.code(), failure_.refusal().what, kFixOfFailure, "collective/failed");
  }
  return Refuse(HCCL_E_PARA, Cat("the stream of the operation has failed: ", reason.what),
                reason.fix, "collective/stream");
}

void Communicator::Reached(void* payload, AclimbSuspension* stop) {
  const std::shared_ptr<Queued> item = *static_cast<std::shared_ptr<Queued>*>(payload);
  Communicator& self = *item->owner;
  // A child of fork drops what its parent does.
  if (self.IsLost()) return;
  std::unique_lock<std::mutex> lock(self.mutex_);
  if (stop == nullptr && item->reached) return self.Drop(item, lock);
  if (stop == nullptr && item->caller == std::this_thread::get_id()) {
    // Within Queue.
    return self.TakeBackLocked(item);
  }
  if (self.stopping_) {
    item->code = static_cast<HcclResult>(self.failure_.code());
    item->text =
        "the communicator was destroyed before the stream came to the call; expected it to live.";
    lock.unlock();
    if (stop != nullptr) aclimb_collective_done(stop);
    return;
  }
  item->stop = stop;
  item->dropped = stop == nullptr;
  item->reached = true;
  item->since = Clock::now();
  ++self.reached_;
  const bool in_the_call = item->caller == std::this_thread::get_id();
  if (in_the_call && self.worker_looks_ && IsShort(item->operation)) return;
  // Behind one that its stream has not come to it does not wait for ever.
  if (self.queue_.front() == item || !self.queue_.front()->reached) self.work_.notify_one();
}

void Communicator::Hurry(void* payload) {
  const std::shared_ptr<Queued>& item = *static_cast<std::shared_ptr<Queued>*>(payload);
  Communicator& self = *item->owner;
  if (self.IsLost()) return;
  const std::lock_guard<std::mutex> lock(self.mutex_);
  if (item->reached) self.work_.notify_one();
}

int Communicator::Help(void* payload) {
  // The stream keeps the payload only until it has the result.
  const std::shared_ptr<Queued> item = *static_cast<std::shared_ptr<Queued>*>(payload);
  Communicator& self = *item->owner;
  if (self.IsLost()) return 0;
  std::unique_lock<std::mutex> lock(self.mutex_);
  if (self.running_ == nullptr && !self.stopping_ && self.NextLocked() == item) self.DoNext(lock);
  return item->dropped ? 1 : 0;
}

void Communicator::Drop(const std::shared_ptr<Queued>& item, std::unique_lock<std::mutex>& lock) {
  if (std::find(queue_.begin(), queue_.end(), item) == queue_.end()) return;
  item->dropped = true;
  if (running_ != &item->operation) return;
  lock.unlock();
  End(Dropped(item->operation, rank()));
}

void Communicator::TakeBackLocked(const std::shared_ptr<Queued>& item) {
  if (std::exchange(item->refused, true)) return;
  const Operation& operation = item->operation;
  if (operation.kind != Kind::kTransfers) --numbers_;
  for (const Transfer& each : operation.transfers) {
    --(each.sends ? sends_ : receives_)[each.peer];
  }
  EraseLocked(item);
  changed_.notify_all();
  if (!queue_.empty() && queue_.front()->reached) work_.notify_one();
}

void Communicator::EraseLocked(const std::shared_ptr<Queued>& item) {
  if (queue_.empty() || queue_.front() != item) {
    std::erase(queue_, item);
    return;
  }
  // Most often it is the first: what is queued behind it is not looked at.
  queue_.pop_front();
  front_since_ = Clock::now();
}

int Communicator::Finish(void* payload) {
  const Queued& item = **static_cast<std::shared_ptr<Queued>*>(payload);
  if (item.code == HCCL_SUCCESS) return 0;
  aclimb_explain(item.text.c_str());
  return kRtAicpuException;
}

HcclResult Communicator::AsyncError() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!failure_.ok()) return static_cast<HcclResult>(failure_.code());
  if (!cause_.ok()) return static_cast<HcclResult>(cause_.code());
  if (!gone_.empty()) return static_cast<HcclResult>(gone_.begin()->second.why.code());
  return static_cast<HcclResult>(group_->Failure().code());
}

void Communicator::Work() {
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    const auto ready = [this] {
      return running_ == nullptr && (NextLocked() != nullptr || stopping_);
    };
    while (!ready()) {
      const auto now = Clock::now();
      const std::shared_ptr<Queued> behind = LongestWaitingLocked();
      const auto due = behind != nullptr
                           ? std::max(behind->since, front_since_) + origin_.settings.exec_timeout
                           : Clock::time_point();
      if (behind != nullptr && now >= due) {
        const std::shared_ptr<Queued> front = queue_.front();
        lock.unlock();
        try {
          End(StandsBehind(behind->operation, front->operation));
        } catch (...) {
          EndUntold();
        }
        lock.lock();
        continue;
      }
      worker_looks_ = now < busy_until_;
      if (worker_looks_) {
        work_.wait_for(lock, kLookTime);
      } else if (behind != nullptr) {
        work_.wait_until(lock, due);
      } else {
        work_.wait(lock);
      }
      worker_looks_ = false;
    }
    if (NextLocked() == nullptr) return;
    DoNext(lock);
  }
}

std::shared_ptr<Communicator::Queued> Communicator::NextLocked() const {
  for (const auto& item : queue_) {
    if (item->reached) return item;
    if (failure_.ok()) break;
  }
  return nullptr;
}

std::shared_ptr<Communicator::Queued> Communicator::LongestWaitingLocked() const {
  if (reached_ == 0 || running_ != nullptr) return nullptr;
  std::shared_ptr<Queued> longest;
  for (const auto& item : queue_) {
    if (item->reached && (longest == nullptr || item->since < longest->since)) longest = item;
  }
  return longest;
}

void Communicator::DoNext(std::unique_lock<std::mutex>& lock) {
  const std::shared_ptr<Queued> item = NextLocked();
  running_ = &item->operation;
  running_since_ = Clock::now();
  ++runs_;
  const bool dropped = item->dropped;
  if (std::exchange(observer_sleeps_, false)) look_.notify_one();
  if (closing_) changed_.notify_all();
  lock.unlock();
  try {
    if (dropped) {
      // The others wait for it.
      End(Dropped(item->operation, rank()));
    } else {
      Perform(*item);
    }
  } catch (...) {
    EndUntold();
    item->code = HCCL_E_MEMORY;
  }
  lock.lock();
  running_ = nullptr;
  busy_until_ = Clock::now() + kBusyTime;
  if (!dropped) done_ = std::max(done_, item->operation.number);
  EraseLocked(item);
  --reached_;
  changed_.notify_all();
  // Who helps leaves the next one to the worker.
  if (stopping_ || reached_ > 0) work_.notify_one();
  if (item->stop == nullptr) return;
  lock.unlock();
  aclimb_collective_done(item->stop);
  lock.lock();
}

void Communicator::Perform(Queued& item) {
  Status status;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    status = FailureLocked();
  }
  if (status.ok()) {
    const auto start = Clock::now();
    try {
      status = group_->Run(item.operation);
    } catch (...) {
      status = StatusOfException();
    }
    if (status.ok()) return;
    const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start);
    bool ended = false;  // by this rank itself
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      ended = !failure_.ok();
      if (ended) status = FailureLocked();
    }
    if (!ended) status = Explain(item.operation, std::move(status), took);
    End(status);
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  item.code = static_cast<HcclResult>(status.code());
  item.text = Cat(NameOf(item.code), " (", status.code(), "): ", status.refusal().what);
  FailLocked(std::move(status));
}

void Communicator::End(const Status& why) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    FailLocked(CopyOf(why));
  }
  const std::string& what = why.refusal().what;
  const uint32_t code = CodeForOthers(why.code());
  if (origin_.link != nullptr) origin_.link->TellFailure(origin_.key, code, what);
  group_->Abort(RankHasFailed(rank(), code, what));
}

void Communicator::EndUntold() noexcept {
  Status for_others;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    for_others = std::move(no_memory_for_others_);
    FailLocked(std::move(no_memory_));
  }
  group_->Abort(std::move(for_others));
}

void Communicator::FailLocked(Status why) {
  if (failure_.ok()) failure_ = std::move(why);
  changed_.notify_all();
  look_.notify_all();
  work_.notify_all();
}

Status Communicator::FailureLocked() const { return CopyOf(failure_); }

}  // namespace aclimb::collectives
