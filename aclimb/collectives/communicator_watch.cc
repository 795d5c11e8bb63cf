// What a communicator whose ranks are processes learns of the others, and tells them.

#include <algorithm>
#include <utility>

#include "aclimb/collectives/communicator.h"
#include "aclimb/core/text.h"

namespace aclimb::collectives {
namespace {

using Clock = std::chrono::steady_clock;

// An operation that takes longer has the others asked where they are.
constexpr auto kSlow = std::chrono::seconds(2);
constexpr auto kSlowest = std::chrono::seconds(60);
// So long after a failure the hub may still tell its reason.
constexpr auto kReasonTime = std::chrono::milliseconds(1500);
// A rank that has gone may have done its part: what it sent is still read, as long as that gets on.
constexpr auto kGraceTime = std::chrono::seconds(2);

// Where nobody watches the channel there is nothing to tell.
bool HasLeft(const Stand& stand) { return stand.answered && stand.text.empty(); }

// Whether the operation cannot be done without that rank.
bool Needs(const Operation& operation, uint32_t rank) {
  return operation.kind != Kind::kTransfers ||
         std::any_of(operation.transfers.begin(), operation.transfers.end(),
                     [&](const Transfer& each) { return each.peer == rank; });
}

void AddOnce(uint32_t rank, std::vector<uint32_t>* ranks) {
  if (std::find(ranks->begin(), ranks->end(), rank) == ranks->end()) ranks->push_back(rank);
}

}  // namespace

Status Communicator::Explain(const Operation& operation, Status failure,
                             std::chrono::milliseconds took) {
  // Threads of one process know of each other already.
  if (origin_.link == nullptr) return failure;
  const std::string here = Cat("rank ", rank(), " of ", size(), " in ", operation.Text());
  const bool late = failure.code() == HCCL_E_TIMEOUT;
  const Refusal& own = failure.refusal();
  const bool of_others = own.code == HCCL_E_TCP_TRANSFER || own.code == HCCL_E_INTERNAL;
  if (!late && !of_others) {
    return Refuse(own.code, Cat(here, ": ", own.what), own.fix, own.rule);
  }
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (Status status = HeardLocked(operation, here); !status.ok()) return status;
  }
  const auto stands = origin_.link->Ask(origin_.key, origin_.ranks);
  {
    std::unique_lock<std::mutex> lock(mutex_);
    if (stands) NoteLeftLocked(*stands);
    Status status = HeardLocked(operation, here);
    if (!late && status.ok()) {
      changed_.wait_for(lock, kReasonTime, [&] {
        status = HeardLocked(operation, here);
        return !status.ok();
      });
    }
    if (!status.ok()) return status;
  }
  const std::string others =
      stands ? OthersStand(operation, *stands) : std::string("the hub does not answer");
  if (late) {
    return Refuse(HCCL_E_TIMEOUT,
                  Cat(here, " waited for ", took.count(), " ms: ", others,
                      "; expected every rank to make the call within HCCL_EXEC_TIMEOUT."),
                  "look at the ranks that are elsewhere; or raise HCCL_EXEC_TIMEOUT",
                  "collective/exec-timeout");
  }
  return Refuse(own.code,
                Cat(here, ": ", own.what, " (", others, "); expected the transfer to succeed."),
                own.code == HCCL_E_INTERNAL ? own.fix : kFixOfFailure, own.rule);
}

Status Communicator::HeardLocked(const Operation& operation, const std::string& here) const {
  const Gone* const gone = NeededLocked(operation);
  if (!cause_.ok() || gone != nullptr) {
    const Refusal& cause = cause_.ok() ? gone->why.refusal() : cause_.refusal();
    return Refuse(cause.code, Cat(here, ": ", cause.what), cause.fix, cause.rule);
  }
  const auto left = std::find_if(left_.begin(), left_.end(),
                                 [&](uint32_t rank) { return Needs(operation, rank); });
  return left == left_.end() ? Ok() : RankHasLeft(here, *left);
}

const Communicator::Gone* Communicator::NeededLocked(const Operation& operation) const {
  const Gone* last = nullptr;
  for (const auto& [rank, gone] : gone_) {
    if (last != nullptr && gone.since <= last->since) continue;
    if (Needs(operation, rank)) last = &gone;
  }
  return last;
}

bool Communicator::ConcernedLocked() const {
  if (!cause_.ok()) return true;
  return running_ == nullptr ? !gone_.empty() : NeededLocked(*running_) != nullptr;
}

// A rank that goes on with another communicator does not leave the hub.
void Communicator::NoteLeftLocked(const std::vector<Stand>& stands) {
  for (const Stand& stand : stands) {
    if (HasLeft(stand)) AddOnce(Place(stand.rank).value_or(stand.rank), &left_);
  }
}

std::string Communicator::OthersStand(const Operation& operation,
                                      const std::vector<Stand>& stands) const {
  std::string text;
  size_t told = 0;
  for (const Stand& stand : stands) {
    const bool same = stand.answered && stand.signature != 0 && stand.number == operation.number &&
                      stand.signature == operation.Signature();
    const uint32_t place = Place(stand.rank).value_or(stand.rank);
    if (same || !Needs(operation, place) || ++told > 4) continue;
    text += Cat(told == 1 ? "" : "; ", "rank ", place, " ",
                !stand.answered  ? "does not answer"
                : HasLeft(stand) ? "has destroyed its communicator"
                                 : stand.text);
  }
  if (told == 0) return "all other ranks are in the same call";
  if (told > 4) text += Cat("; and ", told - 4, " more ranks are elsewhere");
  return text;
}

void Communicator::Observe() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (!stopping_) {
    if (!lock.owns_lock()) lock.lock();
    try {
      ObserveLocked(lock);
    } catch (const std::exception&) {
      // Without memory nobody is asked; time-outs still hold.
      if (!lock.owns_lock()) lock.lock();
      look_.wait_for(lock, kSlow);
    }
  }
}

// One operation. Nobody tells when it has ended: that would cost each of them a wake-up.
void Communicator::ObserveLocked(std::unique_lock<std::mutex>& lock) {
  while (!stopping_ && (running_ == nullptr || !failure_.ok())) {
    observer_sleeps_ = true;
    look_.wait(lock);
  }
  observer_sleeps_ = false;
  const uint64_t run = runs_;
  auto patience = std::chrono::milliseconds(kSlow);
  auto next_ask = running_since_ + patience;
  uint64_t progress = group_->Progress();
  auto quiet_since = running_since_;
  std::string suspected;
  while (!stopping_ && running_ != nullptr && failure_.ok() && runs_ == run) {
    const auto now = Clock::now();
    auto due = next_ask;
    if (const Gone* const gone = NeededLocked(*running_)) {
      const uint64_t seen = group_->Progress();
      if (std::exchange(progress, seen) != seen) quiet_since = now;
      quiet_since = std::max(quiet_since, gone->since);
      if (now >= quiet_since + kGraceTime) {
        quiet_since = now;
        lock.unlock();
        group_->Abort(Ok());
        lock.lock();
        continue;
      }
      due = std::min(due, quiet_since + kGraceTime);
    }
    if (now < due) {
      look_.wait_until(lock, due);
      continue;
    }
    if (now < next_ask) continue;
    AskOthers(lock, &suspected);
    patience = std::min<std::chrono::milliseconds>(patience * 2, kSlowest);
    next_ask = Clock::now() + patience;
    // What was not certain is looked at again soon.
    if (!suspected.empty()) next_ask = Clock::now() + kSlow;
  }
}

void Communicator::AskOthers(std::unique_lock<std::mutex>& lock, std::string* suspected) {
  const uint64_t run = runs_;
  lock.unlock();
  const auto stands = origin_.link->Ask(origin_.key, origin_.ranks);
  lock.lock();
  if (!stands || running_ == nullptr || runs_ != run || ConcernedLocked()) return;
  const std::string before = std::exchange(*suspected, "");
  for (const Stand& stand : *stands) {
    bool certain = true;
    const std::string difference = stand.answered ? DifferenceLocked(stand, &certain) : "";
    if (difference.empty()) continue;
    if (!certain && before != difference) {
      *suspected = difference;
      continue;
    }
    cause_ =
        Refuse(HCCL_E_PARA,
               Cat("the ranks do not make the same calls: ", difference, "; expected the same."),
               "have all ranks make the same calls in the same order, with equal counts, "
               "types, operations and roots",
               "collective/mismatch");
    lock.unlock();
    group_->Abort(Ok());
    lock.lock();
    return;
  }
}

std::string Communicator::DifferenceLocked(const Stand& stand, bool* certain) const {
  const Operation& mine = *running_;
  const uint32_t other = Place(stand.rank).value_or(stand.rank);
  const std::string both =
      Cat("rank ", rank(), " is in ", mine.Text(), ", rank ", other, " ", stand.text);
  const bool collective = mine.number != 0, theirs_collective = stand.signature != 0;
  if (collective != theirs_collective) {
    // Who is in the collective knows what it has done, and tells the other one of the failure.
    if (!collective || stand.number >= mine.number) return "";
    *certain = false;
    const bool never_meets =
        std::any_of(stand.flows.begin(), stand.flows.end(),
                    [&](const Flow& theirs) { return IsToComeLocked(other, theirs); });
    return never_meets ? both : "";
  }
  // Who is at the same number with another call never meets this one.
  if (collective && stand.number != mine.number) return "";
  if (collective && stand.signature != mine.Signature()) return both;
  for (const Flow& flow : mine.Flows(rank())) {
    for (const Flow& theirs : stand.flows) {
      const bool meets =
          flow.peer == other && flow.sends != theirs.sends && flow.number == theirs.number;
      if (!meets || flow.bytes == theirs.bytes) continue;
      return Cat(both, ": rank ", flow.sends ? rank() : other, " sends ",
                 flow.sends ? flow.bytes : theirs.bytes, " bytes to rank ",
                 flow.sends ? other : rank(), ", which expects ",
                 flow.sends ? theirs.bytes : flow.bytes);
    }
  }
  return "";
}

bool Communicator::IsToComeLocked(uint32_t other, const Flow& theirs) const {
  const auto& called = theirs.sends ? receives_ : sends_;
  const auto last = called.find(other);
  if (last == called.end() || theirs.number > last->second) return true;
  return std::any_of(queue_.begin(), queue_.end(), [&](const auto& item) {
    const std::vector<Transfer>& all = item->operation.transfers;
    return std::any_of(all.begin(), all.end(), [&](const Transfer& each) {
      return each.peer == other && each.sends != theirs.sends && each.number == theirs.number;
    });
  });
}

std::optional<uint32_t> Communicator::Place(uint32_t at_link) const {
  const auto found = std::find(origin_.ranks.begin(), origin_.ranks.end(), at_link);
  if (found == origin_.ranks.end()) return std::nullopt;
  return static_cast<uint32_t>(found - origin_.ranks.begin());
}

void Communicator::RankGone(uint32_t at_link, const std::string& why) {
  const std::optional<uint32_t> place = Place(at_link);
  if (!place) return;
  Status gone =
      Refuse(HCCL_E_REMOTE, Cat("rank ", *place, " has gone (", why, "); expected it to go on."),
             kFixOfFailure, "collective/rank-gone");
  const std::lock_guard<std::mutex> lock(mutex_);
  gone_.try_emplace(*place, Gone{Clock::now(), std::move(gone)});
  changed_.notify_all();
  look_.notify_all();
}

void Communicator::RankLeft(uint32_t at_link) {
  const std::optional<uint32_t> place = Place(at_link);
  if (!place) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  AddOnce(*place, &left_);
  changed_.notify_all();
}

void Communicator::RankFailed(uint32_t at_link, uint32_t code, const std::string& what) {
  const std::optional<uint32_t> place = Place(at_link);
  if (!place) return;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!ConcernedLocked()) cause_ = RankHasFailed(*place, code, what);
    changed_.notify_all();
  }
  group_->Abort(Ok());
}

Stand Communicator::WhereItStands() {
  const std::lock_guard<std::mutex> lock(mutex_);
  Stand stand;
  stand.number = done_;
  if (running_ != nullptr) {
    stand.text = Cat("is in ", running_->Text());
    stand.flows = running_->Flows(rank());
    for (Flow& flow : stand.flows) flow.peer = origin_.ranks[flow.peer];
    if (running_->number == 0) return stand;
    stand.number = running_->number;
    stand.signature = running_->Signature();
  } else if (!queue_.empty()) {
    stand.text =
        Cat("has queued ", queue_.front()->operation.Text(), ", which its stream has not come to");
  } else {
    stand.text = done_ == 0 ? std::string("has made no call yet")
                            : Cat("has made no call since call ", done_);
  }
  return stand;
}

}  // namespace aclimb::collectives
