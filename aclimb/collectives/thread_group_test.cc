// Ranks that are threads of one process, without the streams and communicators above them.

#include "aclimb/collectives/thread_group.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <future>
#include <memory>
#include <string>
#include <vector>

namespace aclimb::collectives {
namespace {

constexpr int64_t kTimeoutMs = 30 * 1000;

// A buffer of what one item sends or receives.
using Item = std::array<std::byte, 16>;

Operation Batch(std::vector<Transfer> transfers) {
  Operation operation;
  operation.function = "HcclBatchSendRecv";
  operation.kind = Kind::kTransfers;
  operation.transfers = std::move(transfers);
  operation.timeout_ms = kTimeoutMs;
  return operation;
}
Transfer Send(uint32_t peer, Item& item) { return {true, peer, item.data(), item.size(), 1}; }
Transfer Receive(uint32_t peer, Item& item) { return {false, peer, item.data(), item.size(), 1}; }

Operation Barrier() {
  Operation operation;
  operation.function = "HcclBarrier";
  operation.kind = Kind::kBarrier;
  operation.number = 1;
  operation.timeout_ms = kTimeoutMs;
  return operation;
}

// Runs the operations one after another, each rank on a thread; the statuses of the last ones.
std::vector<Status> RunAll(const std::vector<std::unique_ptr<Group>>& groups,
                           const std::vector<std::vector<Operation>>& operations) {
  std::vector<std::future<Status>> runs;
  for (size_t rank = 0; rank < groups.size(); ++rank) {
    runs.push_back(std::async(std::launch::async, [&, rank] {
      Status status;
      for (const Operation& each : operations[rank]) {
        if (status.ok()) status = groups[rank]->Run(each);
      }
      return status;
    }));
  }
  std::vector<Status> statuses;
  for (auto& run : runs) statuses.push_back(run.get());
  return statuses;
}

void ExpectFailure(const Status& status, HcclResult code, const std::string& part) {
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.code(), code);
  EXPECT_NE(status.refusal().what.find(part), std::string::npos) << status.refusal().what;
}

// Rank 2 sends to rank 0 before rank 1 can: the order of rank 0's list does not matter.
TEST(ThreadGroup, ABatchReceivesWhatComesFirst) {
  const auto groups = ThreadGroup::Make(3);
  Item from_one, from_two, passed, first, second;
  first.fill(std::byte{1});
  second.fill(std::byte{2});
  const std::vector<Status> statuses =
      RunAll(groups, {{Batch({Receive(1, from_one), Receive(2, from_two)})},
                      {Batch({Receive(2, passed)}), Batch({Send(0, passed)})},
                      {Batch({Send(0, first)}), Batch({Send(1, second)})}});
  for (const Status& status : statuses) EXPECT_TRUE(status.ok()) << status.refusal().what;
  EXPECT_EQ(from_one, second);
  EXPECT_EQ(from_two, first);
}

// Within a pair the order of the list is that of the peer's.
TEST(ThreadGroup, TransfersOfOnePairKeepTheirOrder) {
  const auto groups = ThreadGroup::Make(2);
  std::array<Item, 3> sent, received;
  std::vector<Transfer> sends, receives;
  for (size_t i = 0; i < sent.size(); ++i) {
    sent[i].fill(static_cast<std::byte>(i + 1));
    sends.push_back(Send(1, sent[i]));
    receives.push_back(Receive(0, received[i]));
  }
  const std::vector<Status> statuses = RunAll(groups, {{Batch(sends)}, {Batch(receives)}});
  for (const Status& status : statuses) EXPECT_TRUE(status.ok()) << status.refusal().what;
  EXPECT_EQ(received, sent);
}

// A rank that has done its part of a batch may leave while another one is awaited.
TEST(ThreadGroup, ABatchDoesNotNeedWhoHasDoneItsPart) {
  auto groups = ThreadGroup::Make(3);
  Item sent, received[3];
  sent.fill(std::byte{7});
  auto batch = std::async(std::launch::async, [&] {
    return groups[0]->Run(Batch({Send(1, sent), Send(2, sent)}));
  });
  EXPECT_TRUE(groups[1]->Run(Batch({Receive(0, received[1])})).ok());
  groups[1] = nullptr;
  EXPECT_EQ(batch.wait_for(std::chrono::milliseconds(50)), std::future_status::timeout);
  EXPECT_TRUE(groups[2]->Run(Batch({Receive(0, received[2])})).ok());
  const Status status = batch.get();
  EXPECT_TRUE(status.ok()) << status.refusal().what;
}

TEST(ThreadGroup, ATransferAgainstACollectiveFailsAtOnce) {
  for (const bool sends : {true, false}) {
    for (const uint32_t later : {0u, 1u}) {
      const auto groups = ThreadGroup::Make(2);
      Item item;
      const Operation operations[] = {Batch({sends ? Send(1, item) : Receive(1, item)}), Barrier()};
      auto first = std::async(std::launch::async,
                              [&] { return groups[1 - later]->Run(operations[1 - later]); });
      EXPECT_EQ(first.wait_for(std::chrono::milliseconds(20)), std::future_status::timeout);
      const auto begin = std::chrono::steady_clock::now();
      const Status second = groups[later]->Run(operations[later]);
      EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
      const std::string both = std::string("rank 0 makes HcclBatchSendRecv(16 bytes ") +
                               (sends ? "to rank 1 (send" : "from rank 1 (receive") +
                               " 1 of this pair)), rank 1 makes call 1: HcclBarrier()";
      ExpectFailure(first.get(), HCCL_E_PARA, both);
      ExpectFailure(second, HCCL_E_PARA, both);
      // Who runs nothing is told when it asks.
      ExpectFailure(groups[later]->Failure(), HCCL_E_PARA, both);
    }
  }
}

TEST(ThreadGroup, RanksOfAPartAgreeOnItsList) {
  const auto groups = ThreadGroup::Make(3);
  const auto split = [&](uint32_t rank, const std::vector<uint32_t>& ranks, uint32_t place) {
    return groups[rank]->Split("key", ranks, place, false, Group::Deadline::max());
  };
  auto first = split(0, {0, 1}, 0);
  ASSERT_TRUE(first.ok());
  // Other ranks may use the key for a group of their own.
  auto alone = split(2, {2}, 0);
  ASSERT_TRUE(alone.ok());
  EXPECT_TRUE(alone.value()->Run(Barrier()).ok());
  const char* const text = "do not agree on which of them make the group";
  ExpectFailure(split(1, {1, 0}, 0).status(), HCCL_E_PARA, text);
  ExpectFailure(first.value()->Run(Barrier()), HCCL_E_PARA, text);
  // They may try again.
  std::vector<std::unique_ptr<Group>> again;
  for (const uint32_t rank : {0, 1}) {
    auto group = split(rank, {0, 1}, rank);
    ASSERT_TRUE(group.ok()) << group.status().refusal().what;
    again.push_back(std::move(group.value()));
  }
  EXPECT_EQ(again[0]->number(), again[1]->number());
  for (const Status& status : RunAll(again, {{Barrier()}, {Barrier()}})) EXPECT_TRUE(status.ok());
}

// One rank is ahead of the others, with groups of different lists and one key; each of two ranks
// that make groups together makes them in the other's order.
TEST(ThreadGroup, GroupsOfOneKeyWaitSideBySide) {
  const std::vector<std::vector<uint32_t>> lists = {{1, 2}, {0, 1}, {0, 2}, {0, 1, 2}};
  for (const std::vector<uint32_t>& order :
       {std::vector<uint32_t>{0, 1, 2}, std::vector<uint32_t>{0, 2, 1},
        std::vector<uint32_t>{2, 1, 0}}) {
    const auto groups = ThreadGroup::Make(3);
    std::vector<std::vector<std::unique_ptr<Group>>> made(lists.size());
    for (const uint32_t rank : order) {
      for (size_t i = 0; i < lists.size(); ++i) {
        const auto at = std::find(lists[i].begin(), lists[i].end(), rank);
        if (at == lists[i].end()) continue;
        auto group =
            groups[rank]->Split("key", lists[i], static_cast<uint32_t>(at - lists[i].begin()),
                                false, Group::Deadline::max());
        ASSERT_TRUE(group.ok()) << "rank " << rank << ", list " << i;
        made[i].push_back(std::move(group.value()));
      }
    }
    for (const auto& each : made) {
      const std::vector<std::vector<Operation>> barriers(each.size(), {Barrier()});
      for (const Status& status : RunAll(each, barriers)) EXPECT_TRUE(status.ok());
    }
  }
}

// Also who comes last to one of the two groups learns that the other two disagreed.
TEST(ThreadGroup, ADisagreementEndsBothGroups) {
  const auto groups = ThreadGroup::Make(3);
  const auto split = [&](uint32_t rank, const std::vector<uint32_t>& ranks, uint32_t place) {
    return groups[rank]->Split("key", ranks, place, false, Group::Deadline::max());
  };
  const char* const text = "do not agree on which of them make the group";
  auto first = split(0, {0, 1, 2}, 0);
  ASSERT_TRUE(first.ok());
  ExpectFailure(split(1, {0, 1}, 1).status(), HCCL_E_PARA, text);
  ExpectFailure(first.value()->Run(Barrier()), HCCL_E_PARA, text);
  ExpectFailure(split(2, {0, 1, 2}, 2).status(), HCCL_E_PARA, text);
}

// Nobody waits for a rank that came and left before.
TEST(ThreadGroup, WhoJoinsLateLearnsWhoHasLeft) {
  const auto groups = ThreadGroup::Make(2);
  const auto split = [&](uint32_t rank) {
    return groups[rank]->Split("key", {0, 1}, rank, false, Group::Deadline::max());
  };
  ASSERT_TRUE(split(0).ok());
  auto late = split(1);
  ASSERT_TRUE(late.ok());
  ExpectFailure(late.value()->Run(Barrier()), HCCL_E_REMOTE, "rank 0 has destroyed");
  ASSERT_TRUE(ThreadGroup::Join("all", 2, 0).ok());
  auto other = ThreadGroup::Join("all", 2, 1);
  ASSERT_TRUE(other.ok());
  ExpectFailure(other.value()->Run(Barrier()), HCCL_E_REMOTE, "rank 0 has destroyed");
}

}  // namespace
}  // namespace aclimb::collectives
