// How ranks of one process come together, how they fail, and calls between HcclGroupStart and
// HcclGroupEnd.

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "acl/acl.h"
#include "hccl/hccl.h"
#include "tests/collectives/threads.h"

namespace {

using collectives_test::ExpectRefused;
using collectives_test::Floats;
using collectives_test::InitAll;
using collectives_test::OnDevices;

// A rank table of two ranks.
std::string WriteTable() {
  const std::string file = testing::TempDir() + "/rank_table." + std::to_string(getpid());
  std::ofstream(file) << R"({"version": "1.0", "server_list": [{"server_id": "127.0.0.1",
      "device": [{"device_id": "0", "rank_id": "0"}, {"device_id": "1", "rank_id": "1"}]}]})";
  return file;
}

TEST(ThreadGroups, OneRankTableMakesMany) {
  const std::string file = WriteTable();
  OnDevices(2, [&](uint32_t rank, aclrtStream stream) {
    aclrtStream streams[] = {stream, nullptr};
    ASSERT_EQ(aclrtCreateStream(&streams[1]), ACL_SUCCESS);
    HcclComm comms[2] = {};
    std::string names[2];
    for (int i = 0; i < 2; ++i) {
      ASSERT_EQ(HcclCommInitClusterInfo(file.c_str(), rank, &comms[i]), HCCL_SUCCESS)
          << aclGetRecentErrMsg();
      char name[128] = "";
      EXPECT_EQ(HcclGetCommName(comms[i], name), HCCL_SUCCESS);
      names[i] = name;
    }
    EXPECT_NE(names[0], names[1]);
    Floats one(std::vector<float>(1000, 1)), two(std::vector<float>(10, 2));
    Floats* const buffers[] = {&one, &two};
    constexpr int kSteps = 10;
    for (int step = 0; step < kSteps; ++step) {
      for (int i = 0; i < 2; ++i) {
        EXPECT_EQ(HcclAllReduce(buffers[i]->address, buffers[i]->address, buffers[i]->host.size(),
                                HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, comms[i], streams[i]),
                  HCCL_SUCCESS)
            << aclGetRecentErrMsg();
      }
    }
    for (int i = 0; i < 2; ++i) {
      EXPECT_EQ(aclrtSynchronizeStream(streams[i]), ACL_SUCCESS) << aclGetRecentErrMsg();
      const auto expected = static_cast<float>((1 << kSteps) * (i + 1));
      EXPECT_EQ(buffers[i]->Read(), std::vector<float>(buffers[i]->host.size(), expected));
      EXPECT_EQ(HcclCommDestroy(comms[i]), HCCL_SUCCESS);
    }
    EXPECT_EQ(aclrtDestroyStream(streams[1]), ACL_SUCCESS);
  });
  unlink(file.c_str());
}

// A watchdog asks, on a rank that calls nothing.
TEST(ThreadGroups, AFailureIsToldOnEveryRank) {
  setenv("HCCL_EXEC_TIMEOUT", "1", 1);
  const std::vector<HcclComm> comms = InitAll(2);
  unsetenv("HCCL_EXEC_TIMEOUT");
  std::atomic<bool> failed{false}, told{false};
  OnDevices(2, [&](uint32_t rank, aclrtStream stream) {
    HcclResult error = HCCL_SUCCESS;
    if (rank == 1) {
      EXPECT_EQ(HcclBarrier(comms[1], stream), HCCL_SUCCESS);
      EXPECT_EQ(aclrtSynchronizeStream(stream), 507018);
      failed = true;
      while (!told) std::this_thread::yield();
    } else {
      EXPECT_EQ(HcclGetCommAsyncError(comms[0], &error), HCCL_SUCCESS);
      EXPECT_EQ(error, HCCL_SUCCESS);
      while (!failed) std::this_thread::yield();
      EXPECT_EQ(HcclGetCommAsyncError(comms[0], &error), HCCL_SUCCESS);
      EXPECT_EQ(error, HCCL_E_TIMEOUT);
      ExpectRefused(HcclBarrier(comms[0], stream), HCCL_E_TIMEOUT, "rank 0 did not take part");
      told = true;
    }
    EXPECT_EQ(HcclCommDestroy(comms[rank]), HCCL_SUCCESS);
  });
}

}  // namespace
