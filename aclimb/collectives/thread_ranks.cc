#include "aclimb/collectives/thread_ranks.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "aclimb/collectives/errors.h"
#include "aclimb/core/text.h"
#include "hccl/hccl_types.h"

namespace aclimb::collectives {
namespace {

Group::Deadline DeadlineOf(const Operation& operation) {
  return std::chrono::steady_clock::now() + std::chrono::milliseconds(operation.timeout_ms);
}

Status Differ(uint32_t rank, const Operation& mine, uint32_t other, const Operation& theirs) {
  return Refuse(HCCL_E_PARA,
                Cat("the ranks do not make the same calls: rank ", rank, " makes ", mine.Text(),
                    ", rank ", other, " makes ", theirs.Text(), "; expected the same."),
                "have all ranks make the same calls in the same order, with equal counts, types, "
                "operations and roots",
                "collective/mismatch");
}

std::atomic<uint64_t> numbers{0};

}  // namespace

ThreadRanks::ThreadRanks(uint32_t size) : number_(++numbers), here_(size), left_(size) {}

Result<std::shared_ptr<ThreadRanks>> Meetings::Join(const std::string& key,
                                                    const std::vector<uint32_t>& ranks,
                                                    uint32_t place) {
  const auto [begin, end] = open_.equal_range(key);
  auto [own, other] = FindForming(begin, end, ranks, ranks[place]);
  if (own == end) {
    const auto size = static_cast<uint32_t>(ranks.size());
    own = open_.emplace(
        key, Open{{ranks, std::vector<bool>(size)}, std::make_shared<ThreadRanks>(size)});
  }
  Open& open = own->second;
  const std::shared_ptr<ThreadRanks> group = open.group;
  open.come[place] = true;
  if (other != end && !open.failed) {
    // Who comes later to one of the two is told as well.
    for (ThreadRanks* const each : {group.get(), other->second.group.get()}) {
      each->Fail(Refuse(HCCL_E_PARA,
                        "the ranks do not agree on which of them make the group; expected all of "
                        "its ranks to make the group with one list.",
                        "call with the same ranks and the same number of the group everywhere",
                        "collective/group"));
    }
    Disagree(&open, &other->second);
    if (other->second.IsComplete()) open_.erase(other);
  }
  if (open.IsComplete()) open_.erase(own);
  if (Status failed = group->Failure(); !failed.ok()) return failed;
  return group;
}

template <typename Ready, typename Needed>
Status ThreadRanks::WaitFor(std::unique_lock<std::mutex>& lock, uint32_t rank,
                            const Operation& operation, Group::Deadline deadline, Ready ready,
                            Needed needed) {
  Status vain;
  const bool in_time = changed_.wait_until(lock, deadline, [&] {
    if (ready() || !failure_.ok()) return true;
    for (const uint32_t awaited : needed()) {
      if (vain.ok()) vain = WhyInVain(rank, operation, awaited);
    }
    return !vain.ok();
  });
  if (ready()) return Ok();
  if (failure_.ok() && in_time) FailLocked(std::move(vain));
  if (!failure_.ok()) return FailureLocked();
  const std::vector<uint32_t> awaited = needed();
  std::string missing = awaited.size() == 1 ? "rank" : "ranks";
  for (const uint32_t r : awaited) missing += Cat(r == awaited.front() ? " " : ", ", r);
  FailLocked(Refuse(
      HCCL_E_TIMEOUT,
      Cat(operation.Text(), " was not done within ", operation.timeout_ms, " ms: ", missing,
          " did not take part; expected all ranks to make "
          "the same calls within HCCL_EXEC_TIMEOUT."),
      "look at what is done there instead; or raise HCCL_EXEC_TIMEOUT", "collective/exec-timeout"));
  return FailureLocked();
}

Status ThreadRanks::WhyInVain(uint32_t rank, const Operation& operation, uint32_t awaited) const {
  if (left_[awaited]) return RankHasLeft(operation.Text(), awaited);
  // A collective ends when all have come, and this rank comes after its transfers.
  if (operation.kind != Kind::kTransfers || here_[awaited] == nullptr) return Ok();
  return Differ(rank, operation, awaited, *here_[awaited]);
}

Status ThreadRanks::Compare() const {
  const uint64_t wanted = here_[0]->Signature();
  for (uint32_t rank = 1; rank < size(); ++rank) {
    const Operation& other = *here_[rank];
    if (other.Signature() == wanted) continue;
    return Differ(0, *here_[0], rank, other);
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
  const auto missing = [&] {
    std::vector<uint32_t> ranks;
    for (uint32_t r = 0; r < size(); ++r) {
      if (here_[r] == nullptr) ranks.push_back(r);
    }
    return ranks;
  };
  std::unique_lock<std::mutex> lock(mutex_);
  if (!failure_.ok()) return FailureLocked();
  const uint64_t meeting = meetings_;
  here_[rank] = &operation;
  ++come_;
  try {
    if (come_ < size()) {
      // Who transfers may wait for this rank.
      if (transferring_ > 0) changed_.notify_all();
      Status waited = WaitFor(
          lock, rank, operation, DeadlineOf(operation), [&] { return meetings_ != meeting; },
          missing);
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
  return agreed_ ? Ok() : FailureLocked();
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
  std::vector<const Transfer*> receives;  // that are not done
  offers.reserve(operation.transfers.size());
  const auto deadline = DeadlineOf(operation);
  std::unique_lock<std::mutex> lock(mutex_);
  // The lock is held where an exception comes from.
  struct Guard {
    ThreadRanks& ranks;
    std::unique_lock<std::mutex>& lock;
    uint32_t rank;
    std::vector<Offer>& offers;
    ~Guard() {
      ranks.Withdraw(lock, rank, &offers);
      --ranks.transferring_;
    }
  } const guard{*this, lock, rank, offers};
  ++transferring_;
  if (!failure_.ok()) return FailureLocked();
  for (const Transfer& each : operation.transfers) {
    if (each.sends) {
      offers.push_back({&each});
      offers_[{rank, each.peer}].push_back(&offers.back());
    } else {
      receives.push_back(&each);
    }
  }
  changed_.notify_all();
  const auto needed = [&] {
    std::vector<uint32_t> ranks;
    for (const Transfer* each : receives) ranks.push_back(each->peer);
    for (const Offer& offer : offers) {
      if (!offer.taken) ranks.push_back(offer.transfer->peer);
    }
    std::sort(ranks.begin(), ranks.end());
    ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
    return ranks;
  };
  for (;;) {
    // Any receive whose peer sends, and of one pair the first.
    auto next = receives.end();
    const auto ready = [&] {
      next = std::find_if(receives.begin(), receives.end(), [&](const Transfer* each) {
        const auto offered = offers_.find({each->peer, rank});
        return offered != offers_.end() && !offered->second.empty();
      });
      return next != receives.end() || needed().empty();
    };
    if (Status status = WaitFor(lock, rank, operation, deadline, ready, needed); !status.ok()) {
      return status;
    }
    if (next == receives.end()) return Ok();
    if (Status status = Take(lock, rank, operation, **next); !status.ok()) return status;
    receives.erase(next);
  }
}

Status ThreadRanks::Take(std::unique_lock<std::mutex>& lock, uint32_t rank,
                         const Operation& operation, const Transfer& transfer) {
  std::deque<Offer*>& offered = offers_[{transfer.peer, rank}];
  Offer* const offer = offered.front();
  if (offer->transfer->bytes != transfer.bytes) {
    FailLocked(Refuse(
        HCCL_E_PARA,
        Cat("rank ", transfer.peer, " sends ", offer->transfer->bytes, " bytes to rank ", rank,
            ", whose ", operation.Text(), " expects ", transfer.bytes, "; expected the same."),
        "pass the same count and dataType to the send and to its receive", "collective/mismatch"));
    return FailureLocked();
  }
  offered.pop_front();
  // From here on the sender waits until the copy is done, whatever happens.
  offer->taken = true;
  const std::byte* const from = offer->transfer->data;
  lock.unlock();
  std::memmove(transfer.data, from, transfer.bytes);
  lock.lock();
  offer->done = true;
  changed_.notify_all();
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

}  // namespace aclimb::collectives
