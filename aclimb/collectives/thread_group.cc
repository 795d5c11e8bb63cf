#include "aclimb/collectives/thread_group.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <new>
#include <numeric>

#include "aclimb/collectives/datatype.h"
#include "aclimb/collectives/errors.h"
#include "aclimb/collectives/reduction.h"
#include "aclimb/collectives/thread_ranks.h"
#include "aclimb/core/fork.h"
#include "aclimb/core/text.h"
#include "hccl/hccl_types.h"

namespace aclimb::collectives {
namespace {

// Of the groups that are no part of another one.
struct WholeGroups {
  std::mutex mutex;
  Meetings meetings;
};
WholeGroups& AllGroups() {
  static auto* const groups = new WholeGroups;
  return *groups;
}
ForkLock groups_lock(AllGroups().mutex);

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

uint32_t ThreadGroup::size() const { return ranks_->size(); }

uint64_t ThreadGroup::number() const { return ranks_->number(); }

ThreadGroup::~ThreadGroup() { ranks_->RankLeaves(rank_); }

std::vector<std::unique_ptr<Group>> ThreadGroup::Make(uint32_t size) {
  const auto ranks = std::make_shared<ThreadRanks>(size);
  std::vector<std::unique_ptr<Group>> groups;
  for (uint32_t rank = 0; rank < size; ++rank) {
    groups.push_back(std::make_unique<ThreadGroup>(ranks, rank));
  }
  return groups;
}

Result<std::unique_ptr<Group>> ThreadGroup::Of(Result<std::shared_ptr<ThreadRanks>> ranks,
                                               uint32_t rank) {
  if (!ranks.ok()) return ranks.TakeStatus();
  return std::unique_ptr<Group>(std::make_unique<ThreadGroup>(std::move(ranks.value()), rank));
}

Result<std::unique_ptr<Group>> ThreadGroup::Join(const std::string& key, uint32_t size,
                                                 uint32_t rank) {
  std::vector<uint32_t> ranks(size);
  std::iota(ranks.begin(), ranks.end(), 0);
  WholeGroups& all = AllGroups();
  const std::lock_guard<std::mutex> lock(all.mutex);
  return Of(all.meetings.Join(key, ranks, rank), rank);
}

Status ThreadGroup::Failure() const { return ranks_->Failure(); }

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

void ThreadGroup::Abort(Status why) noexcept { ranks_->Fail(std::move(why)); }

Result<std::unique_ptr<Group>> ThreadGroup::Split(const std::string& key,
                                                  const std::vector<uint32_t>& ranks, uint32_t rank,
                                                  bool, Deadline) {
  return Of(ranks_->Split(key, ranks, rank), rank);
}

}  // namespace aclimb::collectives
