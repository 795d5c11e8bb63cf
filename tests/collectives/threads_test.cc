#include "tests/collectives/threads.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "acl/acl.h"
#include "hccl/hccl.h"
#include "tests/collectives/rank.h"

// Ranks that are threads of one process.

namespace {

using collectives_test::ExpectRefused;
using collectives_test::Floats;
using collectives_test::InitAll;
using collectives_test::OnDevices;
using collectives_test::Rank;

TEST(Threads, AllFunctionsByInitAll) {
  for (const uint32_t size : {1u, 2u, 3u, 4u}) {
    const std::vector<HcclComm> comms = InitAll(size);
    OnDevices(size, [&](uint32_t rank, aclrtStream stream) {
      EXPECT_EQ(Rank(comms[rank], stream).RunAll(), 0) << size << " ranks";
      EXPECT_EQ(HcclCommDestroy(comms[rank]), HCCL_SUCCESS) << aclGetRecentErrMsg();
    });
  }
}

TEST(Threads, AllFunctionsByRootInfo) {
  HcclRootInfo info;
  ASSERT_EQ(HcclGetRootInfo(&info), HCCL_SUCCESS) << aclGetRecentErrMsg();
  std::string names[3];
  OnDevices(3, [&](uint32_t rank, aclrtStream stream) {
    HcclComm comm = nullptr;
    ASSERT_EQ(HcclCommInitRootInfo(3, &info, rank, &comm), HCCL_SUCCESS) << aclGetRecentErrMsg();
    char name[128] = "";
    EXPECT_EQ(HcclGetCommName(comm, name), HCCL_SUCCESS);
    names[rank] = name;
    EXPECT_EQ(Rank(comm, stream).RunAll(), 0);
    EXPECT_EQ(HcclCommDestroy(comm), HCCL_SUCCESS) << aclGetRecentErrMsg();
  });
  EXPECT_FALSE(names[0].empty());
  EXPECT_EQ(names[0], names[1]);
  EXPECT_EQ(names[0], names[2]);
}

TEST(Threads, ResultsRepeatBitForBit) {
  constexpr size_t kCount = 40003;
  std::vector<float> first;
  for (int run = 0; run < 3; ++run) {
    const std::vector<HcclComm> comms = InitAll(4);
    std::vector<float> results[4];
    OnDevices(4, [&](uint32_t rank, aclrtStream stream) {
      std::vector<float> values(kCount);
      for (size_t i = 0; i < kCount; ++i) {
        values[i] =
            std::sin(static_cast<float>(i * 4 + rank)) * std::exp2(static_cast<float>(i % 20));
      }
      Floats in(values), out(std::vector<float>(kCount, NAN));
      EXPECT_EQ(HcclAllReduce(in.address, out.address, kCount, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM,
                              comms[rank], stream),
                HCCL_SUCCESS);
      EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS) << aclGetRecentErrMsg();
      results[rank] = out.Read();
      EXPECT_EQ(HcclCommDestroy(comms[rank]), HCCL_SUCCESS);
    });
    if (run == 0) first = results[0];
    for (const std::vector<float>& result : results) {
      EXPECT_EQ(std::memcmp(result.data(), first.data(), kCount * 4), 0);
    }
    for (size_t i = 0; run == 0 && i < kCount; ++i) {
      double truth = 0, magnitude = 0;
      for (uint32_t rank = 0; rank < 4; ++rank) {
        const float value =
            std::sin(static_cast<float>(i * 4 + rank)) * std::exp2(static_cast<float>(i % 20));
        truth += value;
        magnitude += std::abs(value);
      }
      ASSERT_NEAR(first[i], truth, magnitude * 2e-7) << i;
    }
  }
}

// Work on the stream waits for the collective, and the call itself does not.
TEST(Threads, InStreamOrder) {
  const std::vector<HcclComm> comms = InitAll(2);
  std::atomic<int> queued{0};
  OnDevices(2, [&](uint32_t rank, aclrtStream stream) {
    Floats buffer({static_cast<float>(rank + 1)});
    constexpr int kSteps = 20;
    void* pinned = nullptr;  // copies from and to other memory of the host wait
    ASSERT_EQ(aclrtMallocHost(&pinned, kSteps * 4), ACL_SUCCESS);
    float* const results = static_cast<float*>(pinned);
    // Rank 1 begins when rank 0 has queued everything.
    while (rank == 1 && queued == 0) std::this_thread::yield();
    for (int step = 0; step < kSteps; ++step) {
      EXPECT_EQ(HcclAllReduce(buffer.address, buffer.address, 1, HCCL_DATA_TYPE_FP32,
                              HCCL_REDUCE_SUM, comms[rank], stream),
                HCCL_SUCCESS);
      EXPECT_EQ(
          aclrtMemcpyAsync(&results[step], 4, buffer.address, 4, ACL_MEMCPY_DEVICE_TO_HOST, stream),
          ACL_SUCCESS);
    }
    queued = 1;
    EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS) << aclGetRecentErrMsg();
    float expected = 3;
    for (int step = 0; step < kSteps; ++step) {
      EXPECT_EQ(results[step], expected);
      expected *= 2;
    }
    EXPECT_EQ(aclrtFreeHost(pinned), ACL_SUCCESS);
    EXPECT_EQ(HcclCommDestroy(comms[rank]), HCCL_SUCCESS);
  });
}

TEST(Threads, SubCommunicators) {
  const std::vector<HcclComm> comms = InitAll(4);
  OnDevices(4, [&](uint32_t rank, aclrtStream stream) {
    HcclComm comm = comms[rank];
    uint32_t odd[] = {3, 1}, all[] = {0, 1, 2, 3};
    HcclCommConfig config;
    HcclCommConfigInit(&config);
    HcclComm sub = &config;
    const uint32_t place = rank == 3 ? 0 : rank == 1 ? 1 : 0xFFFFFFFF;
    ASSERT_EQ(HcclCreateSubCommConfig(&comm, 2, odd, 7, place, &config, &sub), HCCL_SUCCESS)
        << aclGetRecentErrMsg();
    if (rank % 2 == 0) {
      EXPECT_EQ(sub, nullptr);
    } else {
      uint32_t got = 9;
      EXPECT_EQ(HcclGetRankId(sub, &got), HCCL_SUCCESS);
      EXPECT_EQ(got, place);
      EXPECT_EQ(Rank(sub, stream).RunAll(), 0);
      HcclComm again = nullptr;
      ExpectRefused(HcclCreateSubCommConfig(&sub, 1, all, 8, 0, &config, &again),
                    got == 0 ? HCCL_E_NOT_SUPPORT : HCCL_E_PARA,
                    got == 0 ? "one of all ranks" : "rankIds");
      EXPECT_EQ(HcclCommDestroy(sub), HCCL_SUCCESS);
    }
    HcclComm whole = nullptr;
    ASSERT_EQ(HcclCreateSubCommConfig(&comm, 4, all, 9, rank, nullptr, &whole), HCCL_SUCCESS)
        << aclGetRecentErrMsg();
    EXPECT_EQ(Rank(whole, stream).RunAll(), 0);
    EXPECT_EQ(HcclCommDestroy(whole), HCCL_SUCCESS);
    EXPECT_EQ(HcclCommDestroy(comm), HCCL_SUCCESS);
  });
}

TEST(Threads, DifferentCallsAreNamedOnAllRanks) {
  const std::vector<HcclComm> comms = InitAll(3);
  OnDevices(3, [&](uint32_t rank, aclrtStream stream) {
    Floats buffer({1, 2, 3, 4});
    const HcclResult code =
        rank == 1 ? HcclBroadcast(buffer.address, 4, HCCL_DATA_TYPE_FP32, 0, comms[rank], stream)
                  : HcclAllReduce(buffer.address, buffer.address, 4, HCCL_DATA_TYPE_FP32,
                                  HCCL_REDUCE_SUM, comms[rank], stream);
    EXPECT_EQ(code, HCCL_SUCCESS);
    EXPECT_EQ(aclrtSynchronizeStream(stream), 507018);
    const std::string text = aclGetRecentErrMsg();
    for (const char* part : {"rank 0 makes call 1: HcclAllReduce(count = 4, dataType = FP32",
                             "rank 1 makes call 1: HcclBroadcast(count = 4", "HCCL_E_PARA"}) {
      EXPECT_NE(text.find(part), std::string::npos) << part << " is not in:\n" << text;
    }
    HcclResult error = HCCL_SUCCESS;
    EXPECT_EQ(HcclGetCommAsyncError(comms[rank], &error), HCCL_SUCCESS);
    EXPECT_EQ(error, HCCL_E_PARA);
    // Nothing more can be done with it.
    EXPECT_EQ(HcclBarrier(comms[rank], stream), HCCL_E_PARA);
    EXPECT_EQ(HcclCommDestroy(comms[rank]), HCCL_SUCCESS);
  });
}

TEST(Threads, ARankThatLeftIsNamed) {
  const std::vector<HcclComm> comms = InitAll(2);
  OnDevices(2, [&](uint32_t rank, aclrtStream stream) {
    if (rank == 0) {
      EXPECT_EQ(HcclBarrier(comms[0], stream), HCCL_SUCCESS);
      EXPECT_EQ(aclrtSynchronizeStream(stream), 507018);
      const std::string text = aclGetRecentErrMsg();
      EXPECT_NE(text.find("rank 1 has destroyed its communicator"), std::string::npos) << text;
      EXPECT_NE(text.find("HcclBarrier"), std::string::npos) << text;
    }
    EXPECT_EQ(HcclCommDestroy(comms[rank]), HCCL_SUCCESS);
  });
}

TEST(Threads, GroupsOfOneIdAreApart) {
  const std::vector<HcclComm> comms = InitAll(3);
  OnDevices(3, [&](uint32_t rank, aclrtStream stream) {
    HcclComm comm = comms[rank];
    uint32_t all[] = {0, 1, 2};
    HcclComm subs[3] = {};
    for (HcclComm& sub : subs) {
      ASSERT_EQ(HcclCreateSubCommConfig(&comm, 3, all, 7, rank, nullptr, &sub), HCCL_SUCCESS)
          << aclGetRecentErrMsg();
      EXPECT_EQ(Rank(sub, stream).RunAll(), 0);
      // The first ends before the second begins; two live at once then.
      if (&sub == subs) {
        EXPECT_EQ(HcclCommDestroy(sub), HCCL_SUCCESS);
      }
    }
    EXPECT_EQ(Rank(subs[1], stream).RunAll(), 0);
    EXPECT_EQ(HcclCommDestroy(subs[1]), HCCL_SUCCESS);
    EXPECT_EQ(Rank(subs[2], stream).RunAll(), 0);
    EXPECT_EQ(HcclCommDestroy(subs[2]), HCCL_SUCCESS);
    HcclComm none = nullptr;
    ExpectRefused(HcclCreateSubCommConfig(&comm, 3, all, 8, 0xFFFFFFFF, nullptr, &none),
                  HCCL_E_PARA, "subCommRankId is 4294967295");
    EXPECT_EQ(HcclCommDestroy(comm), HCCL_SUCCESS);
  });
}

// A stream that stops at failures takes calls without a code and drops them.
TEST(Threads, ACallThatAFailedStreamDropsIsRefused) {
  const std::vector<HcclComm> comms = InitAll(2), others = InitAll(2);
  std::atomic<int> heard{0};
  OnDevices(2, [&](uint32_t rank, aclrtStream stream) {
    Floats buffer({1, 2, 3, 4});
    const auto reduce = [&](HcclComm comm, uint64_t count) {
      return HcclAllReduce(buffer.address, buffer.address, count, HCCL_DATA_TYPE_FP32,
                           HCCL_REDUCE_SUM, comm, stream);
    };
    if (rank == 1) {
      EXPECT_EQ(aclrtSetStreamFailureMode(stream, ACL_STOP_ON_FAILURE), ACL_SUCCESS);
    }
    EXPECT_EQ(reduce(comms[rank], 1 + rank), HCCL_SUCCESS);
    EXPECT_EQ(aclrtSynchronizeStream(stream), 507018);
    aclGetRecentErrMsg();
    if (rank == 1) {
      ExpectRefused(reduce(others[1], 4), HCCL_E_SUSPENDING, "was dropped");
      HcclResult error = HCCL_SUCCESS;
      EXPECT_EQ(HcclGetCommAsyncError(others[1], &error), HCCL_SUCCESS);
      EXPECT_EQ(error, HCCL_E_SUSPENDING);
    } else {
      // At the latest when it runs.
      if (reduce(others[0], 4) == HCCL_SUCCESS) {
        EXPECT_NE(aclrtSynchronizeStream(stream), 0);
      }
      EXPECT_NE(std::string(aclGetRecentErrMsg()).find("was dropped"), std::string::npos);
    }
    ++heard;
    while (heard < 2) std::this_thread::yield();
    EXPECT_EQ(HcclCommDestroy(comms[rank]), HCCL_SUCCESS);
    EXPECT_EQ(HcclCommDestroy(others[rank]), HCCL_SUCCESS);
  });
}

// HcclCommDestroy waits neither for ever for a stream that does not come to the call, nor is the
// call done afterwards.
TEST(Threads, DestroyedBeforeTheStreamComesToTheCall) {
  setenv("HCCL_EXEC_TIMEOUT", "1", 1);
  const HcclComm comm = InitAll(1)[0];
  unsetenv("HCCL_EXEC_TIMEOUT");
  std::atomic<bool> go{false};
  OnDevices(1, [&](uint32_t, aclrtStream stream) {
    Floats buffer({1, 2, 3, 4});
    EXPECT_EQ(aclrtLaunchHostFunc(
                  stream,
                  [](void* flag) {
                    while (!*static_cast<std::atomic<bool>*>(flag)) std::this_thread::yield();
                  },
                  &go),
              ACL_SUCCESS);
    EXPECT_EQ(HcclBarrier(comm, stream), HCCL_SUCCESS);
    EXPECT_EQ(HcclCommDestroy(comm), HCCL_SUCCESS);
    go = true;
    EXPECT_EQ(aclrtSynchronizeStream(stream), 507018);
    const std::string text = aclGetRecentErrMsg();
    EXPECT_NE(text.find("destroyed before the stream came to the call"), std::string::npos) << text;
  });
}

TEST(Threads, AnAbortedStreamEndsTheCommunicator) {
  const std::vector<HcclComm> comms = InitAll(2);
  std::atomic<bool> queued{false}, aborted{false}, heard{false};
  OnDevices(2, [&](uint32_t rank, aclrtStream stream) {
    if (rank == 1) {
      // Queued behind a callback that holds the stream, and dropped there.
      EXPECT_EQ(aclrtLaunchHostFunc(
                    stream,
                    [](void* flag) {
                      while (!*static_cast<std::atomic<bool>*>(flag)) std::this_thread::yield();
                    },
                    &aborted),
                ACL_SUCCESS);
      EXPECT_EQ(HcclBarrier(comms[1], stream), HCCL_SUCCESS);
      // A barrier that rank 0 calls after the abort is refused at once.
      while (!queued) std::this_thread::yield();
      EXPECT_EQ(aclrtStreamAbort(stream), ACL_SUCCESS);
      aborted = true;
      HcclResult error = HCCL_SUCCESS;
      while (error == HCCL_SUCCESS) {
        EXPECT_EQ(HcclGetCommAsyncError(comms[1], &error), HCCL_SUCCESS);
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
      EXPECT_EQ(error, HCCL_E_SUSPENDING);
    } else {
      EXPECT_EQ(HcclBarrier(comms[0], stream), HCCL_SUCCESS);
      queued = true;
      EXPECT_EQ(aclrtSynchronizeStream(stream), 507018);
      const std::string text = aclGetRecentErrMsg();
      EXPECT_NE(text.find("was dropped"), std::string::npos) << text;
      heard = true;
    }
    while (!heard) std::this_thread::yield();
    EXPECT_EQ(HcclCommDestroy(comms[rank]), HCCL_SUCCESS);
  });
}

// What each function refuses of its own arguments, on a communicator of one rank.
void RefuseByFunction(HcclComm comm, aclrtStream stream, void* at) {
  constexpr HcclDataType kType = HCCL_DATA_TYPE_FP32;
  constexpr uint64_t kHuge = uint64_t{1} << 62;
  const HcclReduceOp kSum = HCCL_REDUCE_SUM;
  void* const later = static_cast<char*>(at) + 8;
  const uint64_t one[] = {1}, two[] = {2}, none[] = {0};
  ExpectRefused(HcclReduce(at, later, 1, kType, kSum, 3, comm, stream), HCCL_E_PARA, "root is 3");
  ExpectRefused(HcclReduceScatter(at, later, kHuge, kType, kSum, comm, stream), HCCL_E_PARA,
                "recvCount is 4611686018427387904");
  ExpectRefused(HcclReduceScatterV(at, two, none, later, 1, kType, kSum, comm, stream), HCCL_E_PARA,
                "recvCount is 1; expected sendCounts[0] of this rank, which is 2");
  ExpectRefused(HcclReduceScatterV(at, nullptr, none, later, 1, kType, kSum, comm, stream),
                HCCL_E_PTR, "sendCounts is null");
  ExpectRefused(HcclAllGather(at, later, kHuge, kType, comm, stream), HCCL_E_PARA,
                "sendCount is 4611686018427387904");
  ExpectRefused(HcclAllGatherV(at, 1, later, two, none, kType, comm, stream), HCCL_E_PARA,
                "sendCount is 1; expected recvCounts[0] of this rank, which is 2");
  ExpectRefused(HcclScatter(at, nullptr, 1, kType, 0, comm, stream), HCCL_E_PTR, "recvBuf is null");
  ExpectRefused(HcclAlltoAll(at, kHuge, kType, later, 1, kType, comm, stream), HCCL_E_PARA,
                "sendCount is 4611686018427387904");
  ExpectRefused(HcclAlltoAll(at, 1, kType, later, 1, HCCL_DATA_TYPE_INT32, comm, stream),
                HCCL_E_NOT_SUPPORT, "recvType is INT32");
  ExpectRefused(HcclAlltoAllV(at, one, none, kType, later, two, none, kType, comm, stream),
                HCCL_E_PARA, "sends to itself is 1");
  ExpectRefused(HcclAlltoAllV(at, two, none, kType, at, two, one, kType, comm, stream), HCCL_E_PARA,
                "blocks of sendBuf and of recvBuf overlap");
  ExpectRefused(HcclAlltoAllVC(at, nullptr, kType, later, kType, comm, stream), HCCL_E_PTR,
                "sendCountMatrix is null");
  ExpectRefused(HcclRecv(at, 1, kType, 4, comm, stream), HCCL_E_PARA, "srcRank is 4");
  HcclSendRecvItem items[] = {{HCCL_SEND, at, 1, kType, 0}, {HCCL_RECV, nullptr, 1, kType, 0}};
  const auto batch = [&] { return HcclBatchSendRecv(items, 2, comm, stream); };
  ExpectRefused(batch(), HCCL_E_PTR, "sendRecvInfo[1].buf is null");
  items[1] = {HCCL_RECV, later, 1, kType, 4};
  ExpectRefused(batch(), HCCL_E_PARA, "sendRecvInfo[1].remoteRank is 4");
  items[1] = {HCCL_SEND_RECV_RESERVED, later, 1, kType, 0};
  ExpectRefused(batch(), HCCL_E_PARA, "sendRecvInfo[1].sendRecvType is 2");
  ExpectRefused(HcclBatchSendRecv(nullptr, 2, comm, stream), HCCL_E_PTR, "sendRecvInfo is null");
  ExpectRefused(HcclGroupEnd(), HCCL_E_PARA, "no group is open");
  ExpectRefused(HcclGetRankId(comm, nullptr), HCCL_E_PTR, "rank is null");
  ExpectRefused(HcclGetCommName(comm, nullptr), HCCL_E_PTR, "commName is null");
  ExpectRefused(HcclGetCommAsyncError(comm, nullptr), HCCL_E_PTR, "asyncError is null");
}

TEST(Threads, Refusals) {
  ExpectRefused(HcclGetRootInfo(nullptr), HCCL_E_PTR, "rootInfo is null");
  int32_t twice[] = {1, 1}, far[] = {0, 9};
  HcclComm comms[5] = {};
  ExpectRefused(HcclCommInitAll(2, twice, comms), HCCL_E_PARA, "devices[1] is 1");
  ExpectRefused(HcclCommInitAll(2, far, comms), HCCL_E_PARA, "devices[1] is 9");
  ExpectRefused(HcclCommInitAll(0, far, comms), HCCL_E_PARA, "ndev is 0");
  ExpectRefused(HcclCommInitAll(5, far, comms), HCCL_E_PARA, "ndev is 5");
  ExpectRefused(HcclCommDestroy(nullptr), HCCL_E_PTR, "comm is null");
  ExpectRefused(HcclCommDestroy(comms), HCCL_E_PARA, "no live communicator");
  HcclRootInfo info;
  std::memset(&info, 7, sizeof(info));
  ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  ExpectRefused(HcclCommInitRootInfo(2, &info, 0, comms), HCCL_E_PARA, "rootInfo does not begin");
  ASSERT_EQ(HcclGetRootInfo(&info), HCCL_SUCCESS);
  info.internal[40] = static_cast<char>(info.internal[40] + 1);
  ExpectRefused(HcclCommInitRootInfo(2, &info, 0, comms), HCCL_E_PARA, "damaged");
  ExpectRefused(HcclCommInitRootInfo(2, &info, 2, comms), HCCL_E_PARA, "rank is 2");
  ExpectRefused(HcclCommInitRootInfo(0, &info, 0, comms), HCCL_E_PARA, "nRanks is 0");
  const HcclComm comm = InitAll(1)[0];
  aclrtStream stream = nullptr;
  ASSERT_EQ(aclrtCreateStream(&stream), ACL_SUCCESS);
  Floats buffer({1, 2, 3, 4});
  void* const at = buffer.address;
  float host = 0;
  const auto reduce = [&](void* in, void* out, uint64_t count, int type, int op) {
    return HcclAllReduce(in, out, count, static_cast<HcclDataType>(type),
                         static_cast<HcclReduceOp>(op), comm, stream);
  };
  ExpectRefused(reduce(nullptr, at, 4, 4, 0), HCCL_E_PTR, "sendBuf is null");
  ExpectRefused(reduce(at, nullptr, 4, 4, 0), HCCL_E_PTR, "recvBuf is null");
  ExpectRefused(reduce(&host, at, 1, 4, 0), HCCL_E_PARA, "which is host memory");
  ExpectRefused(reduce(at, at, 400, 4, 0), HCCL_E_PARA, "the call needs 1600");
  ExpectRefused(reduce(at, at, uint64_t{1} << 62, 4, 0), HCCL_E_PARA,
                "count is 4611686018427387904");
  ExpectRefused(reduce(at, at, 4, 13, 0), HCCL_E_PARA, "dataType is 13");
  ExpectRefused(reduce(at, at, 4, 4, 9), HCCL_E_PARA, "op is 9");
  ExpectRefused(reduce(at, at, 4, 15, 0), HCCL_E_NOT_SUPPORT, "FP8E4M3");
  ExpectRefused(reduce(at, static_cast<char*>(at) + 4, 3, 4, 0), HCCL_E_PARA, "overlap");
  ExpectRefused(reduce(static_cast<char*>(at) + 2, at, 1, 4, 0), HCCL_E_PARA, "a multiple of 4");
  ExpectRefused(HcclBroadcast(at, 4, HCCL_DATA_TYPE_FP32, 1, comm, stream), HCCL_E_PARA,
                "root is 1");
  ExpectRefused(HcclSend(at, 4, HCCL_DATA_TYPE_FP32, 0, comm, stream), HCCL_E_PARA,
                "destRank is 0");
  ExpectRefused(HcclBarrier(comm, &host), HCCL_E_PARA, "queued on the stream");
  RefuseByFunction(comm, stream, at);
  ExpectRefused(
      HcclCommSuspend(comm) == HCCL_E_NOT_SUPPORT ? reduce(at, at, 4, 13, 0) : HCCL_SUCCESS,
      HCCL_E_PARA, "HcclCommSuspend");
  // After all of this it works.
  EXPECT_EQ(Rank(comm, stream).RunAll(), 0);
  EXPECT_EQ(HcclCommDestroy(comm), HCCL_SUCCESS);
  ExpectRefused(HcclBarrier(comm, stream), HCCL_E_PARA, "destroyed communicator");
  EXPECT_EQ(aclrtDestroyStream(stream), ACL_SUCCESS);
}

TEST(Threads, Options) {
  HcclCommConfigInit(nullptr);
  HcclCommConfig config;
  HcclCommConfigInit(&config);
  std::strcpy(config.hcclCommName, "of my own");
  HcclRootInfo info;
  ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  ASSERT_EQ(HcclGetRootInfo(&info), HCCL_SUCCESS);
  HcclComm comm = nullptr;
  HcclCommConfig wrong = config;
  wrong.hcclDeterministic = 5;
  ExpectRefused(HcclCommInitRootInfoConfig(1, &info, 0, &wrong, &comm), HCCL_E_PARA,
                "config->hcclDeterministic is 5");
  std::memset(wrong.reserved, 0, sizeof(wrong.reserved));
  ExpectRefused(HcclCommInitRootInfoConfig(1, &info, 0, &wrong, &comm), HCCL_E_PARA,
                "HcclCommConfigInit");
  ASSERT_EQ(HcclCommInitRootInfoConfig(1, &info, 0, &config, &comm), HCCL_SUCCESS)
      << aclGetRecentErrMsg();
  char name[128] = "";
  EXPECT_EQ(HcclGetCommName(comm, name), HCCL_SUCCESS);
  EXPECT_STREQ(name, "of my own");
  EXPECT_EQ(HcclCommDestroy(comm), HCCL_SUCCESS);
  HcclConfigValue value = {1};
  EXPECT_EQ(HcclSetConfig(HCCL_DETERMINISTIC, value), HCCL_SUCCESS);
  value.value = 7;
  ExpectRefused(HcclSetConfig(HCCL_DETERMINISTIC, value), HCCL_E_PARA, "configValue.value is 7");
  EXPECT_EQ(HcclGetConfig(HCCL_DETERMINISTIC, &value), HCCL_SUCCESS);
  EXPECT_EQ(value.value, 1);
  EXPECT_EQ(HcclGetCommConfigCapability(), 5u);
  EXPECT_STREQ(HcclGetErrorString(HCCL_E_TIMEOUT), "time is up");
  for (int code = 0; code < 30; ++code) {
    EXPECT_NE(HcclGetErrorString(static_cast<HcclResult>(code)), nullptr);
  }
}

}  // namespace
