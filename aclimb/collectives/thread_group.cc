#include "aclimb/collectives/thread_group.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <new>

#include "aclimb/collectives/datatype.h"
#include "aclimb/collectives/errors.h"
#include "aclimb/collectives/reduction.h"
#include "aclimb/core/fork.h"
#include "aclimb/core/text.h"
#include "hccl/hccl_types.h"

namespace aclimb::collectives {

class ThreadRanks {
 public:
  explicit ThreadRanks(uint32_t size) : here_(size), left_(size) {}

  uint32_t size() const { return static_cast<uint32_t>(here_.size()); }

  // All ranks have come with operations that agree; until they part they may use each other's.
  Status Meet(uint32_t rank, const Operation& operation);
  // All ranks have done their part, which they do whatever happens meanwhile. Without memory one
  // cannot; then nobody has a result.
  Status Part(bool done);
  const Operation& of(uint32_t rank) const { return *here_[rank]; }

  Status RunTransfers(uint32_t rank, const Operation& operation);

  void Fail(Status why) {
    const std::lock_guard<std::mutex> lock(mutex_);
    FailLocked(std::move(why));
  }
  void RankLeaves(uint32_t rank) {
    const std::lock_guard<std::mutex> lock(mutex_);
    left_[rank] = true;
    changed_.notify_all();
  }

 private:
  // A send that waits for its receiver.
  struct Offer {
    const Transfer* transfer;
    bool taken = false;  // the receiver copies
    bool done = false;
  };
  using Pair = std::pair<uint32_t, uint32_t>;  // from, to

  void FailLocked(Status why) {
    if (failure_.ok()) failure_ = std::move(why);
    changed_.notify_all();
  }
  Status Failure() const {
    const Refusal& refusal = failure_.refusal();
    return Refuse(refusal.code, refusal.what, refusal.fix, refusal.rule);
  }
  // Whether all that are here agree.
  Status Compare() const;
  // Waits until ready() or until it is clear that this will not be.
  //   deadline  of the operation
  //   needed    ranks that are waited for
  template <typename Ready>
  Status WaitFor(std::unique_lock<std::mutex>& lock, const Operation& operation,
                 Group::Deadline deadline, Ready ready, const std::vector<uint32_t>& needed);
  // Under the lock, which is let go meanwhile: nobody finds the rank's offers any more.
  void Withdraw(std::unique_lock<std::mutex>& lock, uint32_t rank, std::vector<Offer>* offers);

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<const Operation*> here_;  // null: has not come
  std::vector<bool> left_;
  uint32_t come_ = 0;
  uint64_t meetings_ = 0;
  bool agreed_ = true;  // of the last meeting
  uint32_t parted_ = 0;
  bool incomplete_ = false;  // of those that part
  bool in_vain_ = false;     // of the last parting
  uint64_t partings_ = 0;
  Status failure_;
  std::map<Pair, std::deque<Offer*>> offers_;
};

namespace {

// Ranks of one HcclRootInfo, and sub-groups, find each other by a key.
struct Meetings {
  std::mutex mutex;
  std::map<std::string, std::weak_ptr<ThreadRanks>> by_key;
};
Meetings& AllMeetings() {
  static auto* const meetings = new Meetings;
  return *meetings;
}
ForkLock meetings_lock(AllMeetings().mutex);

// The share of `count` elements that a rank computes: whole cache lines, but for the last.
std::pair<uint64_t, uint64_t> ShareOf(uint64_t count, uint64_t element_bytes, uint32_t rank,
                                      uint32_t size) {
  const uint64_t line = std::max<uint64_t>(64 / element_bytes, 1);
  const uint64_t lines = (count + line - 1) / line;
  const uint64_t begin = std::min(lines * rank / size * line, count);
  const uint64_t end = std::min(lines * (rank + 1) / size * line, count);
  return {begin, end};
}

// This rank's share of the reduction of everybody's buffers, written to those of `to`.
void ReduceShare(const ThreadRanks& ranks, uint32_t rank, const Operation& mine,
                 const std::vector<uint32_t>& to) {
  const uint64_t bytes = SizeOf(mine.type);
  const auto [begin, end] = ShareOf(mine.count, bytes, rank, ranks.size());
  // In steps that stay in the cache while they are written to all.
  constexpr uint64_t kStepBytes = 64 * 1024;
  const uint64_t step = kStepBytes / bytes;
  std::vector<const std::byte*> parts(ranks.size());
  for (uint64_t at = begin; at < end; at += step) {
    const uint64_t count = std::min(step, end - at);
    for (uint32_t r = 0; r < ranks.size(); ++r) parts[r] = ranks.of(r).in + at * bytes;
    std::byte* const first = ranks.of(to[0]).out + at * bytes;
    ReduceInOrder(mine.type, mine.op, parts, count, first);
    for (size_t i = 1; i < to.size(); ++i) {
      std::memcpy(ranks.of(to[i]).out + at * bytes, first, count * bytes);
    }
  }
}

Group::Deadline DeadlineOf(const Operation& operation) {
  return std::chrono::steady_clock::now() + std::chrono::milliseconds(operation.timeout_ms);
}

void Copy(std::byte* to, const std::byte* from, uint64_t bytes) {
  if (to != from && bytes > 0) std::memmove(to, from, bytes);
}

// What the rank does while all buffers are there.
void DoPart(const ThreadRanks& ranks, uint32_t rank, const Operation& mine) {
  const uint32_t size = ranks.size();
  switch (mine.kind) {
    case Kind::kAllReduce: {
      std::vector<uint32_t> all(size);
      for (uint32_t r = 0; r < size; ++r) all[r] = r;
      return ReduceShare(ranks, rank, mine, all);
    }
    case Kind::kReduce:
      return ReduceShare(ranks, rank, mine, {mine.root});
    case Kind::kReduceScatter: {
      std::vector<const std::byte*> parts(size);
      for (uint32_t r = 0; r < size; ++r) {
        parts[r] = ranks.of(r).in + ranks.of(r).in_blocks[rank].offset;
      }
      return ReduceInOrder(mine.type, mine.op, parts, mine.count, mine.out);
    }
    case Kind::kBroadcast:
      return Copy(mine.out, ranks.of(mine.root).out, mine.bytes());
    case Kind::kAllGather:
      for (uint32_t r = 0; r < size; ++r) {
        const Block& block = mine.out_blocks[r];
        Copy(mine.out + block.offset, ranks.of(r).in, block.bytes);
      }
      return;
    case Kind::kScatter: {
      const Operation& root = ranks.of(mine.root);
      return Copy(mine.out, root.in + root.in_blocks[rank].offset, mine.bytes());
    }
    case Kind::kAllToAll:
      for (uint32_t r = 0; r < size; ++r) {
        const Block& to = mine.out_blocks[r];
        Copy(mine.out + to.offset, ranks.of(r).in + ranks.of(r).in_blocks[rank].offset, to.bytes);
      }
      return;
    case Kind::kTransfers:
    case Kind::kBarrier:
      return;
  }
}

}  // namespace

template <typename Ready>
Status ThreadRanks::WaitFor(std::unique_lock<std::mutex>& lock, const Operation& operation,
                            Group::Deadline deadline, Ready ready,
                            const std::vector<uint32_t>& needed) {
  const auto left = [&] {
    return std::find_if(needed.begin(), needed.end(), [&](uint32_t r) {
      return left_[r] && (operation.kind == Kind::kTransfers || here_[r] == nullptr);
    });
  };
  const bool in_time = changed_.wait_until(
      lock, deadline, [&] { return ready() || !failure_.ok() || left() != needed.end(); });
  if (ready()) return Ok();
  if (!failure_.ok()) return Failure();
  if (in_time) {
    FailLocked(Refuse(HCCL_E_REMOTE,
                      Cat("rank ", *left(), " has destroyed its communicator and takes no part in ",
                          operation.Text(), "; expected every rank to make the same calls."),
                      "destroy communicators when all ranks have done their work",
                      "collective/rank-left"));
    return Failure();
  }
  std::string missing;
  for (const uint32_t r : needed) {
    if (operation.kind != Kind::kTransfers && here_[r] != nullptr) continue;
    missing += Cat(missing.empty() ? "" : ", ", r);
  }
  FailLocked(Refuse(
      HCCL_E_TIMEOUT,
      Cat(operation.Text(), " was not done within ", operation.timeout_ms, " ms: rank ", missing,
          " did not take part; expected all ranks to make "
          "the same calls within HCCL_EXEC_TIMEOUT."),
      "look at that rank: what does it do instead? Or raise HCCL_EXEC_TIMEOUT",
      "collective/exec-timeout"));
  return Failure();
}

Status ThreadRanks::Compare() const {
  const uint64_t wanted = here_[0]->Signature();
  for (uint32_t rank = 1; rank < size(); ++rank) {
    const Operation& other = *here_[rank];
    if (other.Signature() == wanted) continue;
    return Refuse(HCCL_E_PARA,
                  Cat("the ranks do not make the same calls: rank 0 makes ", here_[0]->Text(),
                      ", rank ", rank, " makes ", other.Text(), "; expected the same."),
                  "have all ranks make the same calls in the same order, with equal counts, types, "
                  "operations and roots",
                  "collective/mismatch");
  }
  if (here_[0]->kind != Kind::kAllToAll) return Ok();
  for (uint32_t from = 0; from < size(); ++from) {
    for (uint32_t to = 0; to < size(); ++to) {
      const uint64_t sent = here_[from]->in_blocks[to].bytes;
      const uint64_t wanted_bytes = here_[to]->out_blocks[from].bytes;
      if (sent == wanted_bytes) continue;
      return Refuse(
          HCCL_E_PARA,
          Cat("in ", here_[from]->Text(), " rank ", from, " sends ", sent, " bytes to rank ", to,
              ", which expects ", wanted_bytes, "; expected the same."),
          "exchange the counts first, or compute them alike on both sides", "collective/mismatch");
    }
  }
  return Ok();
}

Status ThreadRanks::Meet(uint32_t rank, const Operation& operation) {
  std::vector<uint32_t> others;
  for (uint32_t r = 0; r < size(); ++r) {
    if (r != rank) others.push_back(r);
  }
  std::unique_lock<std::mutex> lock(mutex_);
  if (!failure_.ok()) return Failure();
  const uint64_t meeting = meetings_;
  here_[rank] = &operation;
  ++come_;
  try {
    if (come_ < size()) {
      Status waited = WaitFor(
          lock, operation, DeadlineOf(operation), [&] { return meetings_ != meeting; }, others);
      if (!waited.ok()) return waited;
    } else {
      Status differs = Compare();
      come_ = 0;
      ++meetings_;
      agreed_ = differs.ok();
      if (!agreed_) FailLocked(std::move(differs));
      changed_.notify_all();
    }
  } catch (...) {
    // Nobody has met this rank, and nobody will.
    here_[rank] = nullptr;
    --come_;
    throw;
  }
  // All go on alike, even when a failure came since.
  return agreed_ ? Ok() : Failure();
}

Status ThreadRanks::Part(bool done) {
  std::unique_lock<std::mutex> lock(mutex_);
  const uint64_t parting = partings_;
  incomplete_ = incomplete_ || !done;
  if (++parted_ == size()) {
    parted_ = 0;
    ++partings_;
    in_vain_ = std::exchange(incomplete_, false);
    std::fill(here_.begin(), here_.end(), nullptr);
    changed_.notify_all();
  } else {
    changed_.wait(lock, [&] { return partings_ != parting; });
  }
  if (!in_vain_) return Ok();
  return NoHostMemory("every rank's part");
}

Status ThreadRanks::RunTransfers(uint32_t rank, const Operation& operation) {
  std::vector<Offer> offers;
  offers.reserve(operation.transfers.size());
  const auto deadline = DeadlineOf(operation);
  std::unique_lock<std::mutex> lock(mutex_);
  // The lock is held where an exception comes from.
  struct Guard {
    ThreadRanks& ranks;
    std::unique_lock<std::mutex>& lock;
    uint32_t rank;
    std::vector<Offer>& offers;
    ~Guard() { ranks.Withdraw(lock, rank, &offers); }
  } const guard{*this, lock, rank, offers};
  if (!failure_.ok()) return Failure();
  for (const Transfer& each : operation.transfers) {
    if (!each.sends) continue;
    offers.push_back({&each});
    offers_[{rank, each.peer}].push_back(&offers.back());
  }
  changed_.notify_all();
  for (const Transfer& each : operation.transfers) {
    if (each.sends) continue;
    std::deque<Offer*>& offered = offers_[{each.peer, rank}];
    Status status =
        WaitFor(lock, operation, deadline, [&] { return !offered.empty(); }, {each.peer});
    if (!status.ok()) return status;
    Offer* const offer = offered.front();
    if (offer->transfer->bytes != each.bytes) {
      FailLocked(
          Refuse(HCCL_E_PARA,
                 Cat("rank ", each.peer, " sends ", offer->transfer->bytes, " bytes to rank ", rank,
                     ", whose ", operation.Text(), " expects ", each.bytes, "; expected the same."),
                 "pass the same count and dataType to the send and to its receive",
                 "collective/mismatch"));
      return Failure();
    }
    offered.pop_front();
    // From here on the sender waits until the copy is done, whatever happens.
    offer->taken = true;
    const std::byte* const from = offer->transfer->data;
    lock.unlock();
    Copy(each.data, from, each.bytes);
    lock.lock();
    offer->done = true;
    changed_.notify_all();
  }
  for (const Offer& offer : offers) {
    Status status =
        WaitFor(lock, operation, deadline, [&] { return offer.taken; }, {offer.transfer->peer});
    if (!status.ok()) return status;
  }
  return Ok();
}

void ThreadRanks::Withdraw(std::unique_lock<std::mutex>& lock, uint32_t rank,
                           std::vector<Offer>* offers) {
  for (const Offer& offer : *offers) {
    if (offer.taken) {
      changed_.wait(lock, [&] { return offer.done; });
    } else if (const auto at = offers_.find({rank, offer.transfer->peer}); at != offers_.end()) {
      std::erase(at->second, &offer);
    }
  }
}

uint32_t ThreadGroup::size() const { return ranks_->size(); }

ThreadGroup::~ThreadGroup() { ranks_->RankLeaves(rank_); }

std::vector<std::unique_ptr<Group>> ThreadGroup::Make(uint32_t size) {
  const auto ranks = std::make_shared<ThreadRanks>(size);
  std::vector<std::unique_ptr<Group>> groups;
  for (uint32_t rank = 0; rank < size; ++rank) {
    groups.push_back(std::make_unique<ThreadGroup>(ranks, rank));
  }
  return groups;
}

std::unique_ptr<Group> ThreadGroup::Join(const std::string& key, uint32_t size, uint32_t rank) {
  Meetings& meetings = AllMeetings();
  const std::lock_guard<std::mutex> lock(meetings.mutex);
  std::erase_if(meetings.by_key, [](const auto& entry) { return entry.second.expired(); });
  std::weak_ptr<ThreadRanks>& place = meetings.by_key[key];
  std::shared_ptr<ThreadRanks> ranks = place.lock();
  if (ranks == nullptr) place = ranks = std::make_shared<ThreadRanks>(size);
  return std::make_unique<ThreadGroup>(std::move(ranks), rank);
}

Status ThreadGroup::Run(const Operation& operation) {
  if (operation.kind == Kind::kTransfers) return ranks_->RunTransfers(rank_, operation);
  if (Status met = ranks_->Meet(rank_, operation); !met.ok()) return met;
  bool done = false;
  try {
    DoPart(*ranks_, rank_, operation);
    done = true;
  } catch (const std::bad_alloc&) {
    // The others still use this rank's buffers.
  }
  return ranks_->Part(done);
}

void ThreadGroup::Abort(const std::string& why) {
  ranks_->Fail(Refuse(HCCL_E_REMOTE, why, "destroy the communicator and make a new one",
                      "collective/aborted"));
}

Result<std::unique_ptr<Group>> ThreadGroup::Split(const std::string& key,
                                                  const std::vector<uint32_t>& ranks, uint32_t rank,
                                                  bool, Deadline) {
  // Other groups of threads have other shared objects.
  std::string name = Cat(reinterpret_cast<uintptr_t>(ranks_.get()), "/", key);
  for (const uint32_t each : ranks) name += Cat("_", each);
  return Join(name, static_cast<uint32_t>(ranks.size()), rank);
}

}  // namespace aclimb::collectives
