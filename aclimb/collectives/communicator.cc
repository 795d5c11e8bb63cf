#include "aclimb/collectives/communicator.h"

#include <algorithm>
#include <utility>

#include "aclimb/collectives/errors.h"
#include "aclimb/core/codes.h"
#include "aclimb/core/text.h"

namespace aclimb::collectives {
namespace {

using Clock = std::chrono::steady_clock;

// An operation that takes longer has the others asked where they are.
constexpr auto kSlow = std::chrono::seconds(2);
constexpr auto kSlowest = std::chrono::seconds(60);
// So long after a failure the hub may still tell its reason.
constexpr auto kReasonTime = std::chrono::milliseconds(1500);

constexpr const char* kFix =
    "look at that rank first: its own message tells more; then destroy the communicator and make a "
    "new one";

Status Copy(const Status& status) {
  if (status.ok()) return Ok();
  const Refusal& refusal = status.refusal();
  return Refuse(refusal.code, refusal.what, refusal.fix, refusal.rule);
}

}  // namespace

Communicator::Communicator(std::unique_ptr<Group> group, Origin origin)
    : group_(std::move(group)), origin_(std::move(origin)) {
  worker_.emplace([this] { Work(); });
  worker_->Name("hccl_worker");
  if (origin_.link == nullptr) return;
  origin_.link->Watch(origin_.channel, this);
  observer_.emplace([this] { Observe(); });
  observer_->Name("hccl_observer");
}

Communicator::~Communicator() = default;

void Communicator::Close() {
  {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [this] { return queue_.empty(); });
    stopping_ = true;
    changed_.notify_all();
  }
  if (origin_.link != nullptr) origin_.link->Unwatch(origin_.channel);
  if (observer_) observer_->Join();
  worker_->Join();
}

Status Communicator::Queue(Operation operation, std::unique_ptr<ToolView> view,
                           aclrtStream stream) {
  operation.timeout_ms = origin_.settings.exec_timeout.count();
  auto item = std::make_shared<Queued>();
  auto payload = std::make_unique<std::shared_ptr<Queued>>(item);
  AclimbCollective collective = {};
  collective.name = operation.function;
  collective.reached = &Reached;
  collective.finish = &Finish;
  collective.release = [](void* mine) { delete static_cast<std::shared_ptr<Queued>*>(mine); };
  collective.operation = view != nullptr ? view->operation() : nullptr;
  const std::lock_guard<std::mutex> issue(issue_mutex_);
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!failure_.ok()) return FailureLocked();
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
  if (code == 0) return Ok();
  // With ASCEND_LAUNCH_BLOCKING the operation itself may have failed.
  if (!item->refused && item->code != HCCL_SUCCESS) {
    return Refuse(item->code, item->text, kFix, "collective/failed");
  }
  return Refuse(HCCL_E_PARA, Cat("the operation cannot be queued on the stream: ", reason.what),
                reason.fix, "collective/stream");
}

void Communicator::Reached(void* payload, AclimbSuspension* stop) {
  const std::shared_ptr<Queued> item = *static_cast<std::shared_ptr<Queued>*>(payload);
  Communicator& self = *item->owner;
  const std::lock_guard<std::mutex> lock(self.mutex_);
  if (stop == nullptr && item->caller == std::this_thread::get_id()) {
    // Within Queue.
    return self.TakeBackLocked(item);
  }
  item->stop = stop;
  item->dropped = stop == nullptr;
  item->reached = true;
  self.changed_.notify_all();
}

void Communicator::TakeBackLocked(const std::shared_ptr<Queued>& item) {
  item->refused = true;
  const Operation& operation = item->operation;
  if (operation.kind != Kind::kTransfers) --numbers_;
  for (const Transfer& each : operation.transfers) {
    --(each.sends ? sends_ : receives_)[each.peer];
  }
  std::erase(queue_, item);
  changed_.notify_all();
}

int Communicator::Finish(void* payload, const char** text) {
  const Queued& item = **static_cast<std::shared_ptr<Queued>*>(payload);
  *text = item.text.c_str();
  return item.code == HCCL_SUCCESS ? 0 : kRtAicpuException;
}

HcclResult Communicator::AsyncError() {
  const std::lock_guard<std::mutex> lock(mutex_);
  const Status& status = failure_.ok() ? cause_ : failure_;
  return static_cast<HcclResult>(status.code());
}

void Communicator::Work() {
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    changed_.wait(lock,
                  [this] { return stopping_ || (!queue_.empty() && queue_.front()->reached); });
    if (queue_.empty() || !queue_.front()->reached) return;
    const std::shared_ptr<Queued> item = queue_.front();
    if (item->dropped) {
      // The others wait for it.
      FailLocked(Refuse(HCCL_E_SUSPENDING,
                        Cat(item->operation.Text(), " of rank ", rank(),
                            " was dropped: its stream was aborted or destroyed, or did not take "
                            "it; expected it to run as on the other ranks."),
                        "destroy the communicator and make a new one", "collective/dropped"));
    } else {
      running_ = &item->operation;
      running_since_ = Clock::now();
      changed_.notify_all();
      lock.unlock();
      Perform(*item);
      lock.lock();
      running_ = nullptr;
      done_ = std::max(done_, item->operation.number);
    }
    queue_.pop_front();
    changed_.notify_all();
    if (item->stop == nullptr) continue;
    lock.unlock();
    aclimb_collective_done(item->stop);
    lock.lock();
  }
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
    } catch (const std::bad_alloc&) {
      status = Refuse(HCCL_E_MEMORY, "host memory is exhausted; expected some for the operation.",
                      "free host memory", "collective/host-memory");
    }
    if (status.ok()) return;
    const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start);
    status = Explain(item.operation, std::move(status), took);
    if (origin_.link != nullptr) {
      origin_.link->TellFailure(origin_.channel, status.refusal().what);
    }
    group_->Abort(status.refusal().what);
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  item.code = static_cast<HcclResult>(status.code());
  item.text = Cat(status.refusal().what, " (", status.code(), " ", NameOf(item.code), ")");
  FailLocked(std::move(status));
}

Status Communicator::Explain(const Operation& operation, Status failure,
                             std::chrono::milliseconds took) {
  // Threads of one process know of each other already.
  if (origin_.link == nullptr) return failure;
  const std::string here = Cat("rank ", rank(), " of ", size(), " in ", operation.Text());
  const bool late = took.count() >= operation.timeout_ms;
  {
    std::unique_lock<std::mutex> lock(mutex_);
    const auto heard = [this] { return !cause_.ok() || !left_.empty(); };
    if (!late) changed_.wait_for(lock, kReasonTime, heard);
    if (Status status = HeardLocked(here); !status.ok()) return status;
  }
  const auto stands = origin_.link->Ask(origin_.channel, origin_.ranks);
  const std::string others = stands ? OthersStand(*stands) : std::string("the hub does not answer");
  if (late) {
    return Refuse(HCCL_E_TIMEOUT,
                  Cat(here, " waited for ", took.count(), " ms: ", others,
                      "; expected every rank to make the call within HCCL_EXEC_TIMEOUT."),
                  "look at the ranks that are elsewhere; or raise HCCL_EXEC_TIMEOUT",
                  "collective/exec-timeout");
  }
  return Refuse(
      failure.code(),
      Cat(here, ": ", failure.refusal().what, " (", others, "); expected the transfer to succeed."),
      kFix, failure.refusal().rule);
}

Status Communicator::HeardLocked(const std::string& here) const {
  if (!cause_.ok()) {
    const Refusal& cause = cause_.refusal();
    return Refuse(cause.code, Cat(here, ": ", cause.what), cause.fix, cause.rule);
  }
  if (left_.empty()) return Ok();
  return Refuse(HCCL_E_REMOTE,
                Cat(here, ": rank ", left_[0],
                    " has destroyed its communicator and takes no part; expected every rank to "
                    "make the same calls."),
                "destroy communicators when all ranks have done their work",
                "collective/rank-left");
}

std::string Communicator::OthersStand(const std::vector<Stand>& stands) const {
  if (stands.empty()) return "all other ranks are in the same call";
  std::string text;
  size_t told = 0;
  for (const Stand& stand : stands) {
    if (++told > 4) break;
    const std::optional<uint32_t> place = Place(stand.rank);
    text += Cat(told == 1 ? "" : "; ", "rank ", place.value_or(stand.rank), " ",
                !stand.answered      ? "does not answer"
                : stand.text.empty() ? "has destroyed its communicator"
                                     : stand.text);
  }
  if (stands.size() > 4) text += Cat("; and ", stands.size() - 4, " more ranks are elsewhere");
  return text;
}

void Communicator::Observe() {
  std::unique_lock<std::mutex> lock(mutex_);
  auto patience = std::chrono::milliseconds(kSlow);
  const Operation* asked = nullptr;
  while (!stopping_) {
    if (running_ == nullptr || !failure_.ok()) {
      asked = nullptr;
      changed_.wait(lock);
      continue;
    }
    if (running_ != asked) patience = kSlow;
    const auto due = running_since_ + patience;
    if (Clock::now() < due) {
      changed_.wait_until(lock, due);
      continue;
    }
    asked = running_;
    patience = std::min<std::chrono::milliseconds>(patience * 2, kSlowest);
    const uint64_t number = running_->number;
    const uint64_t signature = running_->Signature();
    const std::string text = running_->Text();
    lock.unlock();
    const auto stands = origin_.link->Ask(origin_.channel, origin_.ranks);
    lock.lock();
    if (!stands || running_ != asked || number == 0) continue;
    for (const Stand& stand : *stands) {
      // Who is at the same number with another call never meets this one.
      if (!stand.answered || stand.number != number || stand.signature == 0) continue;
      if (!cause_.ok() || stand.signature == signature) continue;
      cause_ = Refuse(
          HCCL_E_PARA,
          Cat("the ranks do not make the same calls: rank ", rank(), " is in ", text, ", rank ",
              Place(stand.rank).value_or(stand.rank), " ", stand.text, "; expected the same."),
          "have all ranks make the same calls in the same order, with equal counts, types, "
          "operations and roots",
          "collective/mismatch");
      const std::string why = cause_.refusal().what;
      lock.unlock();
      group_->Abort(why);
      lock.lock();
      break;
    }
  }
}

void Communicator::FailLocked(Status why) {
  if (failure_.ok()) failure_ = std::move(why);
  changed_.notify_all();
}

Status Communicator::FailureLocked() const { return Copy(failure_); }

std::optional<uint32_t> Communicator::Place(uint32_t at_link) const {
  const auto found = std::find(origin_.ranks.begin(), origin_.ranks.end(), at_link);
  if (found == origin_.ranks.end()) return std::nullopt;
  return static_cast<uint32_t>(found - origin_.ranks.begin());
}

void Communicator::RankGone(uint32_t at_link, const std::string& why) {
  const std::optional<uint32_t> place = Place(at_link);
  if (!place) return;
  const std::string what = Cat("rank ", *place, " has gone (", why, "); expected it to go on.");
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (cause_.ok()) cause_ = Refuse(HCCL_E_REMOTE, what, kFix, "collective/rank-gone");
    changed_.notify_all();
  }
  // What waits for that rank need not wait for the system to notice.
  group_->Abort(what);
}

void Communicator::RankLeft(uint32_t at_link) {
  const std::optional<uint32_t> place = Place(at_link);
  if (!place) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  left_.push_back(*place);
  changed_.notify_all();
}

void Communicator::RankFailed(uint32_t at_link, const std::string& what) {
  const std::optional<uint32_t> place = Place(at_link);
  if (!place) return;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (cause_.ok()) {
      cause_ = Refuse(HCCL_E_REMOTE, Cat("rank ", *place, " failed: ", what), kFix,
                      "collective/rank-failed");
    }
    changed_.notify_all();
  }
  group_->Abort(what);
}

Stand Communicator::WhereItStands() {
  const std::lock_guard<std::mutex> lock(mutex_);
  Stand stand;
  if (running_ != nullptr) {
    stand.number = running_->number;
    stand.signature = running_->Signature();
    stand.text = Cat("is in ", running_->Text());
  } else if (!queue_.empty()) {
    stand.number = done_;
    stand.text =
        Cat("has queued ", queue_.front()->operation.Text(), ", which its stream has not come to");
  } else {
    stand.number = done_;
    stand.text = done_ == 0 ? std::string("has made no call yet")
                            : Cat("has made no call since call ", done_);
  }
  return stand;
}

}  // namespace aclimb::collectives
