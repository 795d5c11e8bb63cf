// How ranks of one process come together, how they fail, and calls between HcclGroupStart and
// HcclGroupEnd.

#include <gtest/gtest.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "acl/acl.h"
#include "hccl/hccl.h"
#include "tests/collectives/threads.h"
#include "tests/support/free_ports.h"
#include "tests/support/in_time.h"
#include "tests/support/sleeper.h"

namespace {

using collectives_test::ExpectRefused;
using collectives_test::Floats;
using collectives_test::InitAll;
using collectives_test::OnDevices;

// A rank table, and ports of its own for the root of its ranks.
struct RankTable {
  RankTable(const std::string& address, const std::string& devices) {
    std::ofstream(file) << R"({"version": "1.0", "server_list": [{"server_id": ")" << address
                        << R"(", "device": [)" << devices << "]}]}";
    setenv("HCCL_IF_BASE_PORT", std::to_string(aclimb::testing::FreePorts(32)).c_str(), 1);
  }
  ~RankTable() {
    unsetenv("HCCL_IF_BASE_PORT");
    unlink(file.c_str());
  }
  RankTable(const RankTable&) = delete;
  RankTable& operator=(const RankTable&) = delete;

  const std::string file = testing::TempDir() + "/rank_table." + std::to_string(getpid());
};

TEST(ThreadGroups, OneRankTableMakesMany) {
  const RankTable table(
      "127.0.0.1", R"({"device_id": "0", "rank_id": "0"}, {"device_id": "1", "rank_id": "1"})");
  OnDevices(2, [&](uint32_t rank, aclrtStream stream) {
    aclrtStream streams[] = {stream, nullptr};
    ASSERT_EQ(aclrtCreateStream(&streams[1]), ACL_SUCCESS);
    HcclComm comms[2] = {};
    std::string names[2];
    for (int i = 0; i < 2; ++i) {
      ASSERT_EQ(HcclCommInitClusterInfo(table.file.c_str(), rank, &comms[i]), HCCL_SUCCESS)
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
}

// Nobody listens for a rank that cannot join.
TEST(ThreadGroups, ARankTableServesAfterARefusedCall) {
  const RankTable table(
      "127.0.0.1", R"({"device_id": "0", "rank_id": "0"}, {"device_id": "1", "rank_id": "1"})");
  std::thread([&] {
    HcclComm comm = nullptr;
    ExpectRefused(HcclCommInitClusterInfo(table.file.c_str(), 0, &comm), HCCL_E_RUNTIME,
                  "has no device");
  }).join();
  OnDevices(2, [&](uint32_t rank, aclrtStream) {
    HcclComm comm = nullptr;
    ASSERT_EQ(HcclCommInitClusterInfo(table.file.c_str(), rank, &comm), HCCL_SUCCESS)
        << aclGetRecentErrMsg();
    EXPECT_EQ(HcclCommDestroy(comm), HCCL_SUCCESS);
  });
}

// One rank listens nowhere: the address is of no host.
TEST(ThreadGroups, OneRankOfATableNeedsNoNetwork) {
  const RankTable table("192.0.2.1", R"({"device_id": "0", "rank_id": "0"})");
  OnDevices(1, [&](uint32_t, aclrtStream stream) {
    HcclComm comm = nullptr;
    ASSERT_EQ(HcclCommInitClusterInfo(table.file.c_str(), 0, &comm), HCCL_SUCCESS)
        << aclGetRecentErrMsg();
    EXPECT_EQ(HcclBarrier(comm, stream), HCCL_SUCCESS);
    EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS) << aclGetRecentErrMsg();
    EXPECT_EQ(HcclCommDestroy(comm), HCCL_SUCCESS);
  });
}

// A watchdog asks, on a rank that calls nothing.
TEST(ThreadGroups, AFailureIsToldOnEveryRank) {
  setenv("HCCL_EXEC_TIMEOUT", "1", 1);
  const std::vector<HcclComm> comms = InitAll(2);
  unsetenv("HCCL_EXEC_TIMEOUT");
  std::atomic<bool> asked{false}, failed{false}, told{false};
  OnDevices(2, [&](uint32_t rank, aclrtStream stream) {
    HcclResult error = HCCL_SUCCESS;
    if (rank == 1) {
      while (!asked) std::this_thread::yield();
      EXPECT_EQ(HcclBarrier(comms[1], stream), HCCL_SUCCESS);
      EXPECT_EQ(aclrtSynchronizeStream(stream), 507018);
      failed = true;
      while (!told) std::this_thread::yield();
    } else {
      EXPECT_EQ(HcclGetCommAsyncError(comms[0], &error), HCCL_SUCCESS);
      EXPECT_EQ(error, HCCL_SUCCESS);
      asked = true;
      while (!failed) std::this_thread::yield();
      EXPECT_EQ(HcclGetCommAsyncError(comms[0], &error), HCCL_SUCCESS);
      EXPECT_EQ(error, HCCL_E_TIMEOUT);
      ExpectRefused(HcclBarrier(comms[0], stream), HCCL_E_TIMEOUT, "rank 0 did not take part");
      told = true;
    }
    EXPECT_EQ(HcclCommDestroy(comms[rank]), HCCL_SUCCESS);
  });
}

// Calls of a communicator are done in their order, so that one waits for a stream that is not its
// own.
TEST(ThreadGroups, TimeIsUpForACallBehindAStreamThatStands) {
  setenv("HCCL_EXEC_TIMEOUT", "1", 1);
  const std::vector<HcclComm> comms = InitAll(2);
  unsetenv("HCCL_EXEC_TIMEOUT");
  const HcclComm comm = comms[0];
  std::atomic<bool> go{false};
  OnDevices(1, [&](uint32_t, aclrtStream stands) {
    aclrtStream stream = nullptr;
    ASSERT_EQ(aclrtCreateStream(&stream), ACL_SUCCESS);
    EXPECT_EQ(aclrtLaunchHostFunc(
                  stands,
                  [](void* flag) {
                    while (!*static_cast<std::atomic<bool>*>(flag)) std::this_thread::yield();
                  },
                  &go),
              ACL_SUCCESS);
    EXPECT_EQ(HcclBarrier(comm, stands), HCCL_SUCCESS);
    EXPECT_EQ(HcclBarrier(comm, stream), HCCL_SUCCESS);
    EXPECT_EQ(aclrtSynchronizeStream(stream), 507018);
    EXPECT_FALSE(go);
    const std::string text = aclGetRecentErrMsg();
    EXPECT_NE(text.find("call 2: HcclBarrier() waited for 1000 ms behind call 1: HcclBarrier()"),
              std::string::npos)
        << text;
    // The other rank has the code, and this one's number.
    HcclResult error = HCCL_SUCCESS;
    EXPECT_EQ(HcclGetCommAsyncError(comms[1], &error), HCCL_SUCCESS);
    EXPECT_EQ(error, HCCL_E_TIMEOUT);
    ASSERT_EQ(aclrtSetDevice(1), ACL_SUCCESS);
    ExpectRefused(HcclBarrier(comms[1], nullptr), HCCL_E_TIMEOUT, "rank 0 failed: call 2");
    EXPECT_EQ(HcclCommDestroy(comms[1]), HCCL_SUCCESS);
    ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
    go = true;
    EXPECT_EQ(aclrtSynchronizeStream(stands), 507018);
    EXPECT_EQ(HcclCommDestroy(comm), HCCL_SUCCESS);
    EXPECT_EQ(aclrtDestroyStream(stream), ACL_SUCCESS);
  });
}

// The stream of its second call stands. HCCL_EXEC_TIMEOUT is far away.
TEST(ThreadGroups, AFailedCommunicatorIsDestroyedAtOnce) {
  const std::vector<HcclComm> comms = InitAll(2);
  std::atomic<bool> queued{false}, go{false};
  OnDevices(2, [&](uint32_t rank, aclrtStream stream) {
    Floats buffer({1});
    if (rank == 1) {
      while (!queued) std::this_thread::yield();
      EXPECT_EQ(HcclBroadcast(buffer.address, 1, HCCL_DATA_TYPE_FP32, 0, comms[1], stream),
                HCCL_SUCCESS);
    } else {
      aclrtStream stands = nullptr;
      ASSERT_EQ(aclrtCreateStream(&stands), ACL_SUCCESS);
      EXPECT_EQ(aclrtLaunchHostFunc(
                    stands,
                    [](void* flag) {
                      while (!*static_cast<std::atomic<bool>*>(flag)) std::this_thread::yield();
                    },
                    &go),
                ACL_SUCCESS);
      EXPECT_EQ(HcclBarrier(comms[0], stream), HCCL_SUCCESS);
      EXPECT_EQ(HcclBarrier(comms[0], stands), HCCL_SUCCESS);
      queued = true;
      EXPECT_EQ(aclrtSynchronizeStream(stream), 507018);
      EXPECT_EQ(HcclCommDestroy(comms[0]), HCCL_SUCCESS);
      go = true;
      EXPECT_EQ(aclrtSynchronizeStream(stands), 507018);
      EXPECT_EQ(aclrtDestroyStream(stands), ACL_SUCCESS);
      return;
    }
    EXPECT_EQ(aclrtSynchronizeStream(stream), 507018);
    EXPECT_EQ(HcclCommDestroy(comms[1]), HCCL_SUCCESS);
  });
}

// A stream has the whole time for each of its calls, also when another one waits behind many.
TEST(ThreadGroups, ACallBehindAStreamThatGetsOnHasTime) {
  setenv("HCCL_EXEC_TIMEOUT", "1", 1);
  // Where one of the pauses takes the whole time, all of them take so long.
  EXPECT_TRUE(aclimb::testing::HoldsInTime(std::chrono::milliseconds(1900), [] {
    const HcclComm comm = InitAll(1)[0];
    bool in_time = false;
    OnDevices(1, [&](uint32_t, aclrtStream slow) {
      aclrtStream stream = nullptr;
      ASSERT_EQ(aclrtCreateStream(&stream), ACL_SUCCESS);
      const auto pause = [](void*) { std::this_thread::sleep_for(std::chrono::milliseconds(200)); };
      bool queued = true;
      for (int call = 0; call < 6; ++call) {
        EXPECT_EQ(aclrtLaunchHostFunc(slow, pause, nullptr), ACL_SUCCESS);
        queued = HcclBarrier(comm, slow) == HCCL_SUCCESS && queued;
      }
      queued = HcclBarrier(comm, stream) == HCCL_SUCCESS && queued;
      const int waited = aclrtSynchronizeStream(stream);
      in_time = aclrtSynchronizeStream(slow) == ACL_SUCCESS && waited == ACL_SUCCESS && queued;
      if (!in_time) std::printf("%s\n", aclGetRecentErrMsg());
      EXPECT_EQ(HcclCommDestroy(comm), HCCL_SUCCESS);
      EXPECT_EQ(aclrtDestroyStream(stream), ACL_SUCCESS);
    });
    return in_time;
  }));
  unsetenv("HCCL_EXEC_TIMEOUT");
}

// Calls of one rank in a group: what the other one calls alone has to meet them in their order, and
// sends and receives of both sides get on together wherever they stand.
TEST(ThreadGroups, CallsBehindASendWaitForTheEndWithIt) {
  constexpr HcclDataType kType = HCCL_DATA_TYPE_FP32;
  const std::vector<HcclComm> comms = InitAll(2);
  OnDevices(2, [&](uint32_t rank, aclrtStream stream) {
    const HcclComm comm = comms[rank];
    Floats mine({static_cast<float>(rank + 1)}), theirs({0}), sum({static_cast<float>(rank + 1)});
    const auto send = [&] { return HcclSend(mine.address, 1, kType, 1 - rank, comm, stream); };
    const auto receive = [&] { return HcclRecv(theirs.address, 1, kType, 1 - rank, comm, stream); };
    const auto reduce = [&] {
      return HcclAllReduce(sum.address, sum.address, 1, kType, HCCL_REDUCE_SUM, comm, stream);
    };
    if (rank == 0) {
      EXPECT_EQ(HcclGroupStart(), HCCL_SUCCESS);
      EXPECT_EQ(send(), HCCL_SUCCESS);
      EXPECT_EQ(reduce(), HCCL_SUCCESS);
      EXPECT_EQ(HcclGroupEnd(), HCCL_SUCCESS) << aclGetRecentErrMsg();
    } else {
      EXPECT_EQ(receive(), HCCL_SUCCESS);
      EXPECT_EQ(reduce(), HCCL_SUCCESS);
    }
    EXPECT_EQ(HcclGroupStart(), HCCL_SUCCESS);
    EXPECT_EQ(send(), HCCL_SUCCESS);
    EXPECT_EQ(reduce(), HCCL_SUCCESS);
    HcclSendRecvItem item = {HCCL_RECV, theirs.address, 1, kType, 1 - rank};
    EXPECT_EQ(HcclBatchSendRecv(&item, 1, comm, stream), HCCL_SUCCESS);
    EXPECT_EQ(HcclGroupEnd(), HCCL_SUCCESS) << aclGetRecentErrMsg();
    EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS) << aclGetRecentErrMsg();
    EXPECT_EQ(theirs.Read(), std::vector<float>{static_cast<float>(2 - rank)});
    EXPECT_EQ(sum.Read(), std::vector<float>{6});
    EXPECT_EQ(HcclCommDestroy(comm), HCCL_SUCCESS);
  });
}

// One thread makes the calls of several devices.
TEST(ThreadGroups, OneThreadCallsForAllItsDevices) {
  const std::vector<HcclComm> comms = InitAll(2);
  aclrtStream streams[2] = {};
  void* memory[2] = {};
  const auto on_each = [&](const std::function<void(uint32_t)>& body) {
    for (uint32_t rank = 0; rank < 2; ++rank) {
      ASSERT_EQ(aclrtSetDevice(static_cast<int32_t>(rank)), ACL_SUCCESS);
      body(rank);
    }
  };
  on_each([&](uint32_t rank) {
    ASSERT_EQ(aclrtCreateStream(&streams[rank]), ACL_SUCCESS);
    ASSERT_EQ(aclrtMalloc(&memory[rank], 8, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
    const float values[] = {static_cast<float>(rank + 1), 0};
    ASSERT_EQ(aclrtMemcpy(memory[rank], 8, values, 8, ACL_MEMCPY_HOST_TO_DEVICE), ACL_SUCCESS);
  });
  EXPECT_EQ(HcclGroupStart(), HCCL_SUCCESS);
  on_each([&](uint32_t rank) {
    float* const at = static_cast<float*>(memory[rank]);
    EXPECT_EQ(HcclSend(at, 1, HCCL_DATA_TYPE_FP32, 1 - rank, comms[rank], streams[rank]),
              HCCL_SUCCESS);
    EXPECT_EQ(HcclRecv(at + 1, 1, HCCL_DATA_TYPE_FP32, 1 - rank, comms[rank], streams[rank]),
              HCCL_SUCCESS);
  });
  EXPECT_EQ(HcclGroupEnd(), HCCL_SUCCESS) << aclGetRecentErrMsg();
  on_each([&](uint32_t rank) {
    EXPECT_EQ(aclrtSynchronizeStream(streams[rank]), ACL_SUCCESS) << aclGetRecentErrMsg();
    float values[2] = {};
    EXPECT_EQ(aclrtMemcpy(values, 8, memory[rank], 8, ACL_MEMCPY_DEVICE_TO_HOST), ACL_SUCCESS);
    EXPECT_EQ(values[1], static_cast<float>(2 - rank));
    EXPECT_EQ(HcclCommDestroy(comms[rank]), HCCL_SUCCESS);
    EXPECT_EQ(aclrtFree(memory[rank]), ACL_SUCCESS);
    EXPECT_EQ(aclrtDestroyStream(streams[rank]), ACL_SUCCESS);
  });
}

TEST(ThreadGroups, ABatchIsOfOneStream) {
  const HcclComm comm = InitAll(2)[0];
  OnDevices(1, [&](uint32_t, aclrtStream stream) {
    Floats buffer({1, 2});
    aclrtStream other = nullptr;
    ASSERT_EQ(aclrtCreateStream(&other), ACL_SUCCESS);
    EXPECT_EQ(HcclGroupStart(), HCCL_SUCCESS);
    EXPECT_EQ(HcclSend(buffer.address, 1, HCCL_DATA_TYPE_FP32, 1, comm, stream), HCCL_SUCCESS);
    ExpectRefused(HcclRecv(buffer.address, 1, HCCL_DATA_TYPE_FP32, 1, comm, other),
                  HCCL_E_NOT_SUPPORT, "on two streams");
    // Half of the batch would wait for ever.
    ExpectRefused(HcclGroupEnd(), HCCL_E_NOT_SUPPORT, "on two streams");
    EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
    // The next group is a new one.
    EXPECT_EQ(HcclGroupStart(), HCCL_SUCCESS);
    EXPECT_EQ(HcclGroupEnd(), HCCL_SUCCESS);
    EXPECT_EQ(aclrtDestroyStream(other), ACL_SUCCESS);
  });
}

// Each of its wrong calls is refused, and the end tells of every communicator.
TEST(ThreadGroups, WrongCallsOfAGroupAreRefused) {
  const HcclComm comm = InitAll(2)[0];
  OnDevices(1, [&](uint32_t, aclrtStream stream) {
    Floats buffer({1});
    const auto send = [&](void* data, uint32_t to, HcclComm by) {
      return HcclSend(data, 1, HCCL_DATA_TYPE_FP32, to, by, stream);
    };
    EXPECT_EQ(HcclGroupStart(), HCCL_SUCCESS);
    ExpectRefused(send(nullptr, 1, comm), HCCL_E_PTR, "sendBuf is null");
    ExpectRefused(send(buffer.address, 99, comm), HCCL_E_PARA, "destRank is 99");
    ExpectRefused(send(buffer.address, 1, nullptr), HCCL_E_PTR, "comm is null");
    HcclSendRecvItem item = {HCCL_SEND, buffer.address, 1, HCCL_DATA_TYPE_FP32, 7};
    ExpectRefused(HcclBatchSendRecv(&item, 1, comm, stream), HCCL_E_PARA,
                  "sendRecvInfo[0].remoteRank is 7");
    EXPECT_EQ(send(buffer.address, 1, comm), HCCL_SUCCESS) << aclGetRecentErrMsg();
    EXPECT_EQ(HcclGroupEnd(), HCCL_E_PTR);
    const std::string text = aclGetRecentErrMsg();
    for (const char* const part : {"sendBuf is null", "comm is null"}) {
      EXPECT_NE(text.find(part), std::string::npos) << text;
    }
    EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
  });
}

// What a group queues it queues in the contexts of its calls, and the thread keeps its own.
TEST(ThreadGroups, TheEndOfAGroupKeepsTheContext) {
  const HcclComm comm = InitAll(1)[0];
  OnDevices(1, [&](uint32_t, aclrtStream stream) {
    aclrtContext primary = nullptr, own = nullptr, current = nullptr;
    ASSERT_EQ(aclrtGetCurrentContext(&primary), ACL_SUCCESS);
    Floats sent({1}), received({0});
    const auto open = [&] {
      received.host = {0};
      EXPECT_EQ(HcclGroupStart(), HCCL_SUCCESS);
      EXPECT_EQ(HcclSend(sent.address, 1, HCCL_DATA_TYPE_FP32, 0, comm, stream), HCCL_SUCCESS);
      EXPECT_EQ(HcclRecv(received.address, 1, HCCL_DATA_TYPE_FP32, 0, comm, stream), HCCL_SUCCESS);
    };
    // The context of the calls is no more.
    ASSERT_EQ(aclrtCreateContext(&own, 0), ACL_SUCCESS);
    open();
    ASSERT_EQ(aclrtSetCurrentContext(primary), ACL_SUCCESS);
    ASSERT_EQ(aclrtDestroyContext(own), ACL_SUCCESS);
    ExpectRefused(HcclGroupEnd(), HCCL_E_PARA, "the context that was current");
    EXPECT_EQ(aclrtGetCurrentContext(&current), ACL_SUCCESS);
    EXPECT_EQ(current, primary);
    // The thread has none at the end.
    open();
    ASSERT_EQ(aclrtCreateContext(&own, 0), ACL_SUCCESS);
    ASSERT_EQ(aclrtDestroyContext(own), ACL_SUCCESS);
    EXPECT_EQ(HcclGroupEnd(), HCCL_SUCCESS) << aclGetRecentErrMsg();
    EXPECT_NE(aclrtGetCurrentContext(&current), ACL_SUCCESS);
    aclGetRecentErrMsg();
    EXPECT_EQ(HcclGroupStart(), HCCL_SUCCESS);
    EXPECT_EQ(HcclGroupEnd(), HCCL_SUCCESS);
    const char* const text = aclGetRecentErrMsg();
    EXPECT_TRUE(text == nullptr || *text == '\0') << text;
    ASSERT_EQ(aclrtSetCurrentContext(primary), ACL_SUCCESS);
    EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS) << aclGetRecentErrMsg();
    EXPECT_EQ(received.Read(), std::vector<float>{1});
    EXPECT_EQ(HcclCommDestroy(comm), HCCL_SUCCESS);
  });
}

// The thread does the operation itself while it waits, and ends when that is done.
TEST(ThreadGroups, AThreadIsCancelledInAWait) {
  static std::vector<HcclComm> comms;
  static aclrtStream stream = nullptr;
  static aclimb::testing::Sleeper in_wait;
  comms = InitAll(2);
  const auto wait = [](void*) -> void* {
    EXPECT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
    EXPECT_EQ(aclrtCreateStream(&stream), ACL_SUCCESS);
    EXPECT_EQ(HcclBarrier(comms[0], stream), HCCL_SUCCESS);
    aclrtSynchronizeStream(stream);
    EXPECT_EQ(HcclBarrier(comms[0], stream), HCCL_SUCCESS);
    in_wait.Begins();
    aclrtSynchronizeStream(stream);
    pthread_testcancel();
    return nullptr;
  };
  pthread_t thread;
  ASSERT_EQ(pthread_create(&thread, nullptr, wait, nullptr), 0);
  OnDevices(2, [&](uint32_t rank, aclrtStream other) {
    if (rank == 0) return;
    EXPECT_EQ(HcclBarrier(comms[1], other), HCCL_SUCCESS);
    EXPECT_EQ(aclrtSynchronizeStream(other), ACL_SUCCESS) << aclGetRecentErrMsg();
    EXPECT_TRUE(in_wait.Sleeps());
    EXPECT_EQ(pthread_cancel(thread), 0);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_EQ(HcclBarrier(comms[1], other), HCCL_SUCCESS);
    EXPECT_EQ(aclrtSynchronizeStream(other), ACL_SUCCESS) << aclGetRecentErrMsg();
    void* result = nullptr;
    EXPECT_EQ(pthread_join(thread, &result), 0);
    EXPECT_EQ(result, PTHREAD_CANCELED);
    EXPECT_EQ(HcclCommDestroy(comms[1]), HCCL_SUCCESS);
  });
  ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS) << aclGetRecentErrMsg();
  EXPECT_EQ(HcclCommDestroy(comms[0]), HCCL_SUCCESS);
  EXPECT_EQ(aclrtDestroyStream(stream), ACL_SUCCESS);
  EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
}

TEST(ThreadGroups, ACancelledThreadMakesItsCommunicator) {
  static HcclRootInfo info;
  static HcclComm comm = nullptr;
  ASSERT_EQ(HcclGetRootInfo(&info), HCCL_SUCCESS) << aclGetRecentErrMsg();
  const auto make = [](void*) -> void* {
    EXPECT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
    EXPECT_EQ(pthread_cancel(pthread_self()), 0);
    EXPECT_EQ(HcclCommInitRootInfo(2, &info, 0, &comm), HCCL_SUCCESS);
    pthread_testcancel();
    return nullptr;
  };
  pthread_t thread;
  ASSERT_EQ(pthread_create(&thread, nullptr, make, nullptr), 0);
  OnDevices(2, [&](uint32_t rank, aclrtStream) {
    if (rank == 0) return;
    HcclComm other = nullptr;
    EXPECT_EQ(HcclCommInitRootInfo(2, &info, 1, &other), HCCL_SUCCESS) << aclGetRecentErrMsg();
    EXPECT_EQ(HcclCommDestroy(other), HCCL_SUCCESS);
  });
  void* result = nullptr;
  EXPECT_EQ(pthread_join(thread, &result), 0);
  EXPECT_EQ(result, PTHREAD_CANCELED);
  ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  EXPECT_EQ(HcclCommDestroy(comm), HCCL_SUCCESS);
  EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
}

}  // namespace
