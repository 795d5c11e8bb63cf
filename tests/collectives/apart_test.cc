// Ranks that are processes, and that do without some of the others for a while.

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <functional>
#include <new>
#include <string>
#include <vector>

#include "acl/acl.h"
#include "hccl/hccl.h"

namespace {

struct Rank {
  uint32_t rank = 0;
  HcclComm comm = nullptr;
  aclrtStream stream = nullptr;
  void* memory = nullptr;

  void AllReduce(HcclComm of) const {
    EXPECT_EQ(HcclAllReduce(memory, memory, 4, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, of, stream),
              HCCL_SUCCESS);
  }
  void Send(uint32_t to) const {
    EXPECT_EQ(HcclSend(memory, 4, HCCL_DATA_TYPE_FP32, to, comm, stream), HCCL_SUCCESS);
  }
  void Receive(uint32_t from) const {
    EXPECT_EQ(HcclRecv(memory, 4, HCCL_DATA_TYPE_FP32, from, comm, stream), HCCL_SUCCESS);
  }
  void ExpectSuccess() const {
    EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS) << aclGetRecentErrMsg();
  }
};

// Forks off the ranks and waits for them. This process itself makes no call: it has no threads
// then.
void RunRanks(uint32_t size, const std::function<void(const Rank&)>& body) {
  struct Shared {
    HcclRootInfo info;
    std::atomic<bool> written{false};
  };
  void* const memory =
      mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  auto* const shared = new (memory) Shared;
  std::vector<pid_t> children;
  for (uint32_t r = 0; r < size; ++r) {
    children.push_back(fork());
    if (children.back() != 0) continue;
    Rank rank;
    rank.rank = r;
    EXPECT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
    if (r == 0) {
      EXPECT_EQ(HcclGetRootInfo(&shared->info), HCCL_SUCCESS);
      shared->written = true;
    }
    while (!shared->written) usleep(1000);
    EXPECT_EQ(HcclCommInitRootInfo(size, &shared->info, r, &rank.comm), HCCL_SUCCESS)
        << aclGetRecentErrMsg();
    EXPECT_EQ(aclrtCreateStream(&rank.stream), ACL_SUCCESS);
    EXPECT_EQ(aclrtMalloc(&rank.memory, 64, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
    if (!testing::Test::HasFailure()) body(rank);
    std::fflush(stdout);
    _exit(testing::Test::HasFailure() ? 1 : 0);
  }
  for (const pid_t child : children) {
    int status = 1;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  munmap(memory, sizeof(Shared));
}

// Longer than it takes until a rank that waits is looked at twice.
constexpr unsigned kLateSeconds = 6;

// Rank 0 waits in a collective for rank 1, which has had what rank 0 sent and waits for rank 2.
TEST(Apart, ACollectiveWaitsForATransferWithAnotherRank) {
  RunRanks(3, [](const Rank& self) {
    if (self.rank == 0) self.Send(1);
    if (self.rank == 1) {
      HcclSendRecvItem both[] = {{HCCL_RECV, self.memory, 4, HCCL_DATA_TYPE_FP32, 0},
                                 {HCCL_SEND, self.memory, 4, HCCL_DATA_TYPE_FP32, 2}};
      EXPECT_EQ(HcclBatchSendRecv(both, 2, self.comm, self.stream), HCCL_SUCCESS);
    }
    if (self.rank == 2) {
      sleep(kLateSeconds);
      self.Receive(1);
    }
    self.AllReduce(self.comm);
    self.ExpectSuccess();
    EXPECT_EQ(HcclCommDestroy(self.comm), HCCL_SUCCESS);
  });
}

// A transfer goes on without a third rank that has died, and fails with its own that has.
TEST(Apart, ATransferDoesWithoutARankThatHasGone) {
  RunRanks(3, [](const Rank& self) {
    self.AllReduce(self.comm);
    self.ExpectSuccess();
    if (self.rank == 2) _exit(0);
    HcclResult error = HCCL_SUCCESS;
    while (error == HCCL_SUCCESS) {
      usleep(1000);
      EXPECT_EQ(HcclGetCommAsyncError(self.comm, &error), HCCL_SUCCESS);
    }
    EXPECT_EQ(error, HCCL_E_REMOTE);
    if (self.rank == 0) {
      self.Receive(1);
      self.ExpectSuccess();
      self.Receive(1);
      EXPECT_NE(aclrtSynchronizeStream(self.stream), ACL_SUCCESS);
      const std::string text = aclGetRecentErrMsg();
      EXPECT_NE(text.find("rank 1 has gone"), std::string::npos) << text;
    } else {
      sleep(kLateSeconds);
      self.Send(0);
      self.ExpectSuccess();
    }
  });
}

// Rank 1 lets rank 0 wait too long; rank 2, which has left, has no part in it.
TEST(Apart, ATransferThatIsLateNamesItsOwnRank) {
  setenv("HCCL_EXEC_TIMEOUT", "3", 1);
  RunRanks(3, [](const Rank& self) {
    self.AllReduce(self.comm);
    self.ExpectSuccess();
    if (self.rank == 0) {
      self.Receive(1);
      EXPECT_NE(aclrtSynchronizeStream(self.stream), ACL_SUCCESS);
      const std::string text = aclGetRecentErrMsg();
      EXPECT_NE(text.find("HCCL_E_TIMEOUT"), std::string::npos) << text;
      EXPECT_NE(text.find("rank 1 has made no call since call 1"), std::string::npos) << text;
    }
    for (HcclResult error = HCCL_SUCCESS; self.rank == 1 && error == HCCL_SUCCESS; usleep(1000)) {
      EXPECT_EQ(HcclGetCommAsyncError(self.comm, &error), HCCL_SUCCESS);
    }
    EXPECT_EQ(HcclCommDestroy(self.comm), HCCL_SUCCESS);
  });
  unsetenv("HCCL_EXEC_TIMEOUT");
}

// A rank that destroys one communicator and goes on with another is named to who uses the first.
TEST(Apart, ARankThatLeftOneOfTwoCommunicatorsIsNamed) {
  RunRanks(2, [](const Rank& self) {
    uint32_t all[] = {0, 1};
    HcclComm comm = self.comm, sub = nullptr;
    EXPECT_EQ(HcclCreateSubCommConfig(&comm, 2, all, 7, self.rank, nullptr, &sub), HCCL_SUCCESS);
    if (self.rank == 0) {
      EXPECT_EQ(HcclCommDestroy(comm), HCCL_SUCCESS);
      self.AllReduce(sub);
    } else {
      self.AllReduce(comm);
      EXPECT_NE(aclrtSynchronizeStream(self.stream), ACL_SUCCESS);
      const std::string text = aclGetRecentErrMsg();
      EXPECT_NE(text.find("HCCL_E_REMOTE"), std::string::npos) << text;
      EXPECT_NE(text.find("rank 0 has destroyed its communicator"), std::string::npos) << text;
      EXPECT_EQ(HcclCommDestroy(comm), HCCL_SUCCESS);
      self.AllReduce(sub);
    }
    self.ExpectSuccess();
    EXPECT_EQ(HcclCommDestroy(sub), HCCL_SUCCESS);
  });
}

}  // namespace
