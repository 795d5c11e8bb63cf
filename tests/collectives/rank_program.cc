// A rank that is a process.
//   rank_program <what it does> <rank> <number of ranks> <file of the root info>
// Exits with 0 when all went as it should.

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "acl/acl.h"
#include "hccl/hccl.h"
#include "tests/collectives/rank.h"
#include "tests/support/sleeper.h"

namespace {

using collectives_test::Rank;

constexpr int kAllCame = 3;  // processes_test.py knows it

int failures = 0;

void Expect(bool holds, const char* what) {
  if (holds) return;
  ++failures;
  std::fprintf(stderr, "%s\n%s\n", what, aclGetRecentErrMsg());
}
#define EXPECT(condition) Expect((condition), #condition)

void ExpectPart(const std::string& text, const char* part) {
  if (text.find(part) != std::string::npos) return;
  ++failures;
  std::fprintf(stderr, "\"%s\" is not in:\n%s\n", part, text.c_str());
}

HcclRootInfo ShareRootInfo(int rank, const std::string& file) {
  HcclRootInfo info;
  if (rank == 0) {
    EXPECT(HcclGetRootInfo(&info) == HCCL_SUCCESS);
    std::ofstream(file + ".part", std::ios::binary).write(info.internal, sizeof(info.internal));
    EXPECT(std::rename((file + ".part").c_str(), file.c_str()) == 0);
    return info;
  }
  while (access(file.c_str(), R_OK) != 0) usleep(1000);
  std::ifstream(file, std::ios::binary).read(info.internal, sizeof(info.internal));
  return info;
}

// Waits, by files of that name, until all of `count` ranks have come here.
void Meet(const std::string& name, uint32_t rank, uint32_t count) {
  std::ofstream(name + std::to_string(rank)) << "ready";
  for (uint32_t r = 0; r < count; ++r) {
    while (access((name + std::to_string(r)).c_str(), R_OK) != 0) usleep(1000);
  }
}

struct Program {
  std::string what;
  std::string file;  // of the root info; others beside it
  uint32_t rank = 0;
  uint32_t size = 0;
  HcclComm comm = nullptr;
  aclrtStream stream = nullptr;
  void* memory = nullptr;

  HcclResult AllReduce(uint64_t count) {
    return HcclAllReduce(memory, memory, count, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, comm, stream);
  }

  void All() {
    EXPECT(Rank(comm, stream).RunAll() == 0);
    std::vector<uint32_t> backward;
    for (uint32_t r = size; r > 0; --r) backward.push_back(r - 1);
    HcclComm sub = nullptr;
    EXPECT(HcclCreateSubCommConfig(&comm, size, backward.data(), 3, size - 1 - rank, nullptr,
                                   &sub) == HCCL_SUCCESS);
    EXPECT(Rank(sub, stream).RunAll() == 0);
    EXPECT(HcclCommDestroy(sub) == HCCL_SUCCESS);
  }

  // Prints a digest of a sum that depends on the order in which it is made.
  void Digest() {
    constexpr size_t kCount = 100003;
    std::vector<float> values(kCount);
    for (size_t i = 0; i < kCount; ++i) {
      values[i] =
          std::sin(static_cast<float>(i * 4 + rank)) * std::exp2(static_cast<float>(i % 20));
    }
    const size_t bytes = kCount * sizeof(float);
    EXPECT(aclrtMemcpy(memory, bytes, values.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE) == 0);
    EXPECT(AllReduce(kCount) == HCCL_SUCCESS);
    EXPECT(aclrtSynchronizeStream(stream) == 0);
    EXPECT(aclrtMemcpy(values.data(), bytes, memory, bytes, ACL_MEMCPY_DEVICE_TO_HOST) == 0);
    uint64_t digest = 0, in_order = 1;
    for (size_t i = 0; i < kCount; ++i) {
      uint32_t bits;
      std::memcpy(&bits, &values[i], sizeof(bits));
      digest = digest * 1099511628211u + bits;
      float sum = 0;
      for (uint32_t r = 0; r < size; ++r) {
        const float value =
            std::sin(static_cast<float>(i * 4 + r)) * std::exp2(static_cast<float>(i % 20));
        sum = r == 0 ? value : sum + value;
      }
      if (sum != values[i]) in_order = 0;
    }
    std::printf("%016llx %s\n", static_cast<unsigned long long>(digest),
                in_order != 0 ? "in the order of ranks" : "in another order");
  }

  // The first call is done on all ranks. One that has its result may be ahead of another.
  void AllHaveCalled() {
    EXPECT(AllReduce(4) == HCCL_SUCCESS);
    EXPECT(aclrtSynchronizeStream(stream) == 0);
    Meet(file + ".ready", rank, size);
  }

  // Memory is given back under an operation that has not run.
  void FreeEarly() {
    void* other = nullptr;
    EXPECT(aclrtMalloc(&other, 4096, ACL_MEM_MALLOC_HUGE_FIRST) == 0);
    EXPECT(aclrtMemset(other, 4096, 0, 4096) == 0);
    EXPECT(HcclBroadcast(other, 100, HCCL_DATA_TYPE_FP32, 0, comm, stream) == HCCL_SUCCESS);
    EXPECT(aclrtFree(other) == 0);
    EXPECT(aclrtSynchronizeStream(stream) == 0);
  }

  // A child has no communicators, and the parent's work on.
  void Fork() {
    EXPECT(AllReduce(4) == HCCL_SUCCESS);
    EXPECT(aclrtSynchronizeStream(stream) == 0);
    const pid_t child = fork();
    if (child == 0) {
      const bool refused =
          AllReduce(4) == HCCL_E_UNAVAIL && HcclCommDestroy(comm) == HCCL_E_UNAVAIL;
      ExpectPart(aclGetRecentErrMsg(), "made before the process was forked off");
      _exit(refused && failures == 0 ? 0 : 1);
    }
    int status = 1;
    EXPECT(waitpid(child, &status, 0) == child && status == 0);
    EXPECT(AllReduce(4) == HCCL_SUCCESS);
    EXPECT(aclrtSynchronizeStream(stream) == 0);
  }

  // The stream fails, and what it says names the parts.
  void ExpectFailure(HcclResult code, const std::vector<const char*>& parts) {
    ExpectFailureOf(aclrtSynchronizeStream(stream), code, parts);
  }
  // The same, of a call that has waited for the stream.
  void ExpectFailureOf(int waited, HcclResult code, const std::vector<const char*>& parts) {
    EXPECT(waited == 507018);
    const std::string text = aclGetRecentErrMsg();
    for (const char* part : parts) ExpectPart(text, part);
    HcclResult error = HCCL_SUCCESS;
    EXPECT(HcclGetCommAsyncError(comm, &error) == HCCL_SUCCESS);
    if (error != code) {
      ++failures;
      std::fprintf(stderr, "async error %d, not %d:\n%s\n", error, code, text.c_str());
    }
    EXPECT(AllReduce(4) == code);
  }

  // The last rank dies between two calls.
  void Die() {
    AllHaveCalled();
    if (rank == size - 1) raise(SIGKILL);
    EXPECT(AllReduce(50000) == HCCL_SUCCESS);
    const std::string gone = "rank " + std::to_string(size - 1) + " has gone";
    ExpectFailure(HCCL_E_REMOTE, {gone.c_str(), "call 2: HcclAllReduce(count = 50000"});
  }

  // Rank 0, in whose process the ranks meet, dies.
  void RootDies() {
    AllHaveCalled();
    if (rank == 0) raise(SIGKILL);
    EXPECT(AllReduce(50000) == HCCL_SUCCESS);
    ExpectFailure(HCCL_E_REMOTE, {"rank 0 has gone", "call 2: HcclAllReduce"});
  }

  // The network between the two hosts is cut after the first call.
  void CutOff() {
    AllHaveCalled();
    while (access((file + ".cut").c_str(), R_OK) != 0) usleep(1000);
    EXPECT(AllReduce(50000) == HCCL_SUCCESS);
    const std::string gone = "rank " + std::to_string(1 - rank) + " has gone";
    ExpectFailure(HCCL_E_REMOTE, {gone.c_str(), "call 2: HcclAllReduce(count = 50000"});
  }

  // The last rank does not make a call until time is up for the others. That is short for this call
  // alone, however slow the machine is: a group takes the time-out that is set when it is made.
  void Late() {
    std::vector<uint32_t> all;
    for (uint32_t r = 0; r < size; ++r) all.push_back(r);
    HcclComm short_time = nullptr;
    AllHaveCalled();
    setenv("HCCL_EXEC_TIMEOUT", "3", 1);
    EXPECT(HcclCreateSubCommConfig(&comm, size, all.data(), 3, rank, nullptr, &short_time) ==
           HCCL_SUCCESS);
    const HcclComm whole = std::exchange(comm, short_time);
    if (rank == size - 1) {
      EXPECT(AwaitError() == HCCL_E_TIMEOUT);
    } else {
      EXPECT(AllReduce(4) == HCCL_SUCCESS);
      EXPECT(aclrtSynchronizeStream(stream) == 507018);
      const std::string text = aclGetRecentErrMsg();
      ExpectPart(text, "call 1: HcclAllReduce(count = 4");
      // The first to run out of time tells who is missing; the others hear of it.
      const std::string missing = "rank " + std::to_string(size - 1) + " has made no call yet";
      ExpectPart(text, missing.c_str());
      ExpectPart(text, "HCCL_EXEC_TIMEOUT");
    }
    comm = whole;
    EXPECT(HcclCommDestroy(short_time) == HCCL_SUCCESS);
  }

  // Waits until the communicator has failed.
  HcclResult AwaitError() {
    HcclResult error = HCCL_SUCCESS;
    while (error == HCCL_SUCCESS) {
      usleep(1000);
      EXPECT(HcclGetCommAsyncError(comm, &error) == HCCL_SUCCESS);
    }
    return error;
  }

  // Rank 1 dies while its data is on the way to rank 0, which has a part of it, and stands still
  // until somebody continues it after that. Ends with kAllCame where it had all of it by then.
  void DieInside() {
    constexpr uint64_t kBytes = uint64_t{256} << 20;
    const std::string come = file + ".come";
    void* large = nullptr;
    EXPECT(aclrtMalloc(&large, kBytes, ACL_MEM_MALLOC_HUGE_FIRST) == 0);
    EXPECT(aclrtMemset(large, kBytes, static_cast<int>(rank), kBytes) == 0);
    if (rank == 1) {
      EXPECT(HcclSend(large, kBytes, HCCL_DATA_TYPE_INT8, 0, comm, stream) == HCCL_SUCCESS);
      while (access(come.c_str(), R_OK) != 0) usleep(100);
      pid_t receiver = 0;
      std::ifstream(come) >> receiver;
      std::string state;
      while (state != "T") {
        std::ifstream status("/proc/" + std::to_string(receiver) + "/status");
        while (status >> state && state != "State:") {
        }
        status >> state;
      }
      raise(SIGKILL);
    }
    EXPECT(HcclRecv(large, kBytes, HCCL_DATA_TYPE_INT8, 1, comm, stream) == HCCL_SUCCESS);
    char first = 0;
    while (first == 0) EXPECT(aclrtMemcpy(&first, 1, large, 1, ACL_MEMCPY_DEVICE_TO_HOST) == 0);
    std::ofstream(come + ".part") << getpid();
    EXPECT(std::rename((come + ".part").c_str(), come.c_str()) == 0);
    raise(SIGSTOP);
    const int waited = aclrtSynchronizeStream(stream);
    if (waited == 0) {
      char last = 0;
      EXPECT(aclrtMemcpy(&last, 1, static_cast<char*>(large) + kBytes - 1, 1,
                         ACL_MEMCPY_DEVICE_TO_HOST) == 0);
      EXPECT(last == 1);
      _exit(failures == 0 ? kAllCame : 1);
    }
    ExpectFailureOf(waited, HCCL_E_REMOTE,
                    {"rank 1 has gone", "HcclRecv(268435456 bytes from rank 1"});
    EXPECT(aclrtFree(large) == 0);
  }

  // The last rank ends, without HcclCommDestroy, as soon as it has done its part of a broadcast,
  // which the others still read.
  void EndEarly() {
    constexpr uint64_t kBytes = uint64_t{64} << 20;
    const auto fill = static_cast<char>(rank == size - 1 ? 7 : 0);
    void* large = nullptr;
    EXPECT(aclrtMalloc(&large, kBytes, ACL_MEM_MALLOC_HUGE_FIRST) == 0);
    EXPECT(aclrtMemset(large, kBytes, fill, kBytes) == 0);
    EXPECT(HcclBroadcast(large, kBytes, HCCL_DATA_TYPE_INT8, size - 1, comm, stream) ==
           HCCL_SUCCESS);
    EXPECT(aclrtSynchronizeStream(stream) == 0);
    if (rank == size - 1) _exit(0);
    char last = 0;
    EXPECT(aclrtMemcpy(&last, 1, static_cast<char*>(large) + kBytes - 1, 1,
                       ACL_MEMCPY_DEVICE_TO_HOST) == 0);
    EXPECT(last == 7);
    EXPECT(AwaitError() == HCCL_E_REMOTE);
    EXPECT(aclrtFree(large) == 0);
  }

  // The ranks' counts of a pair differ.
  void Counts() {
    const std::vector<uint64_t> two(size, 2), places(size, 0);
    std::vector<uint64_t> wanted(size, 2);
    if (rank == 0) wanted[1] = 3;
    EXPECT(HcclAlltoAllV(memory, two.data(), places.data(), HCCL_DATA_TYPE_INT32,
                         static_cast<char*>(memory) + 4096, wanted.data(), places.data(),
                         HCCL_DATA_TYPE_INT32, comm, stream) == HCCL_SUCCESS);
    // Rank 1 may have sent its part, and be done.
    if (rank != 0) {
      aclrtSynchronizeStream(stream);
      EXPECT(AwaitError() == HCCL_E_PARA);
      return;
    }
    ExpectFailure(HCCL_E_PARA,
                  {"rank 1 sends 8 bytes to rank 0, which expects 12", "call 1: HcclAlltoAllV"});
  }

  // A send of 8 elements, and its receive of 4.
  void SendCounts() {
    if (rank == 0) {
      EXPECT(HcclSend(memory, 8, HCCL_DATA_TYPE_FP32, 1, comm, stream) == HCCL_SUCCESS);
    } else {
      EXPECT(HcclRecv(memory, 4, HCCL_DATA_TYPE_FP32, 0, comm, stream) == HCCL_SUCCESS);
    }
    ExpectFailure(HCCL_E_PARA,
                  {"rank 0 sends 32 bytes to rank 1, which expects 16", "HcclSend", "HcclRecv"});
  }

  // A send, and a collective where its receive should be.
  void SendAgainstCollective() {
    if (rank == 0) {
      EXPECT(HcclSend(memory, 8, HCCL_DATA_TYPE_FP32, 1, comm, stream) == HCCL_SUCCESS);
    } else {
      EXPECT(AllReduce(4) == HCCL_SUCCESS);
    }
    ExpectFailure(HCCL_E_PARA, {"the ranks do not make the same calls", "HcclSend(32 bytes",
                                "HcclAllReduce(count = 4"});
  }

  // Groups of one name, and of one id, at once and one after another.
  void Names() {
    HcclCommConfig config;
    HcclCommConfigInit(&config);
    std::strcpy(config.hcclCommName, "mine");
    std::vector<uint32_t> all;
    for (uint32_t r = 0; r < size; ++r) all.push_back(r);
    HcclComm first = nullptr, second = nullptr, third = nullptr;
    const auto split = [&](HcclComm* sub) {
      EXPECT(HcclCreateSubCommConfig(&comm, size, all.data(), 3, rank, &config, sub) ==
             HCCL_SUCCESS);
      char name[128] = "";
      EXPECT(HcclGetCommName(*sub, name) == HCCL_SUCCESS && std::strcmp(name, "mine") == 0);
    };
    split(&first);
    split(&second);
    // The first fails everywhere, and nothing else does.
    EXPECT(HcclBroadcast(memory, 4 + rank, HCCL_DATA_TYPE_FP32, 0, first, stream) == HCCL_SUCCESS);
    EXPECT(aclrtSynchronizeStream(stream) == 507018);
    EXPECT(Rank(second, stream).RunAll() == 0);
    split(&third);
    EXPECT(Rank(third, stream).RunAll() == 0);
    for (HcclComm each : {first, second, third}) EXPECT(HcclCommDestroy(each) == HCCL_SUCCESS);
  }

  // Two lists for one group, and a group with a rank that has gone.
  void Lists() {
    uint32_t there[] = {0, 1, 2}, back[] = {1, 0, 2};
    HcclComm sub = nullptr;
    const uint32_t place = rank == 0 ? 0 : rank == 1 ? 0 : 2;
    EXPECT(HcclCreateSubCommConfig(&comm, 2, rank == 0 ? there : back, 3, rank < 2 ? place : ~0u,
                                   nullptr, &sub) == (rank < 2 ? HCCL_E_PARA : HCCL_SUCCESS));
    if (rank < 2) ExpectPart(aclGetRecentErrMsg(), "do not agree on which of them make the group");
    // They may try again.
    if (rank < 2) {
      EXPECT(HcclCreateSubCommConfig(&comm, 2, there, 3, rank, nullptr, &sub) == HCCL_SUCCESS);
      EXPECT(HcclCommDestroy(sub) == HCCL_SUCCESS);
    }
    AllHaveCalled();
    if (rank == 2) raise(SIGKILL);
    EXPECT(HcclCreateSubCommConfig(&comm, 3, there, 4, rank, nullptr, &sub) == HCCL_E_REMOTE);
    ExpectPart(aclGetRecentErrMsg(), "rank 2 has gone");
    // The ranks meet in the process of rank 0: its end would be what rank 1 is told of.
    Meet(file + ".told", rank, 2);
  }

  // Rank 0 destroys while it waits for the others, who make no call.
  void DestroyWaiting() {
    if (rank == 0) {
      EXPECT(AllReduce(4) == HCCL_SUCCESS);
      EXPECT(HcclCommDestroy(comm) == HCCL_SUCCESS);
      EXPECT(aclrtSynchronizeStream(stream) == 507018);
      ExpectPart(aclGetRecentErrMsg(), "HcclCommDestroy found call 1: HcclAllReduce");
      return;
    }
    EXPECT(AwaitError() == HCCL_E_TIMEOUT);
    EXPECT(HcclCommDestroy(comm) == HCCL_SUCCESS);
  }

  // The last rank's stream drops its call.
  void Abort() {
    if (rank != size - 1) {
      EXPECT(AllReduce(4) == HCCL_SUCCESS);
      ExpectFailure(HCCL_E_REMOTE, {"was dropped", "HcclAllReduce"});
      std::ofstream(file + ".heard" + std::to_string(rank)).put('1');
      return;
    }
    static std::atomic<bool> aborted{false};
    EXPECT(aclrtLaunchHostFunc(
               stream,
               [](void*) {
                 while (!aborted) usleep(100);
               },
               nullptr) == 0);
    EXPECT(AllReduce(4) == HCCL_SUCCESS);
    EXPECT(aclrtStreamAbort(stream) == 0);
    aborted = true;
    EXPECT(AwaitError() == HCCL_E_SUSPENDING);
    // The others hear of it, but not by this process's end.
    for (uint32_t other = 0; other < rank; ++other) {
      while (access((file + ".heard" + std::to_string(other)).c_str(), R_OK) != 0) usleep(1000);
    }
  }

  // The last rank destroys its communicator while the others go on.
  void Leave() {
    AllHaveCalled();
    if (rank == size - 1) return;
    EXPECT(AllReduce(50000) == HCCL_SUCCESS);
    EXPECT(aclrtSynchronizeStream(stream) == 507018);
    const std::string text = aclGetRecentErrMsg();
    const std::string left = "rank " + std::to_string(size - 1) + " has destroyed its communicator";
    ExpectPart(text, left.c_str());
    ExpectPart(text, "call 2: HcclAllReduce(count = 50000");
  }

  // The last rank makes another call than the others.
  void Mismatch() {
    EXPECT(aclrtMemset(memory, 1 << 20, 0, 1 << 20) == 0);
    if (rank == size - 1) {
      EXPECT(HcclBroadcast(memory, 8, HCCL_DATA_TYPE_FP32, 0, comm, stream) == HCCL_SUCCESS);
    } else {
      EXPECT(AllReduce(4) == HCCL_SUCCESS);
    }
    EXPECT(aclrtSynchronizeStream(stream) == 507018);
    const std::string text = aclGetRecentErrMsg();
    ExpectPart(text, "the ranks do not make the same calls");
    ExpectPart(text, "HcclAllReduce(count = 4, dataType = FP32, op = SUM)");
    ExpectPart(text, "HcclBroadcast(count = 8, dataType = FP32, root = 0)");
    std::printf("%s\n", text.c_str());
  }

  // The stream is aborted while its operation waits for the other ranks, and while another thread
  // waits for the stream.
  void AbortRunning() {
    AllHaveCalled();
    if (rank != 0) {
      EXPECT(AwaitError() == HCCL_E_REMOTE);
      return;
    }
    EXPECT(AllReduce(4) == HCCL_SUCCESS);
    aclimb::testing::Sleeper in_wait;
    std::thread waiter([&] {
      EXPECT(aclrtSetDevice(0) == 0);
      in_wait.Begins();
      EXPECT(aclrtSynchronizeStream(stream) != 0);
    });
    EXPECT(in_wait.Sleeps());
    EXPECT(aclrtStreamAbort(stream) == 0);
    waiter.join();
    EXPECT(AwaitError() == HCCL_E_SUSPENDING);
  }

  int Run() {
    EXPECT(aclrtSetDevice(0) == 0);
    EXPECT(aclrtCreateStream(&stream) == 0);
    EXPECT(aclrtMalloc(&memory, 1 << 20, ACL_MEM_MALLOC_HUGE_FIRST) == 0);
    if (what == "all") All();
    if (what == "digest") Digest();
    if (what == "free-early") FreeEarly();
    if (what == "fork") Fork();
    if (what == "cut-off") CutOff();
    if (what == "leave") Leave();
    if (what == "die") Die();
    if (what == "root-dies") RootDies();
    if (what == "late") Late();
    if (what == "mismatch") Mismatch();
    if (what == "die-inside") DieInside();
    if (what == "end-early") EndEarly();
    if (what == "counts") Counts();
    if (what == "send-counts") SendCounts();
    if (what == "send-collective") SendAgainstCollective();
    if (what == "names") Names();
    if (what == "lists") Lists();
    if (what == "abort") Abort();
    if (what == "abort-running") AbortRunning();
    if (what == "destroy-waiting") {
      DestroyWaiting();
      return failures == 0 ? 0 : 1;
    }
    EXPECT(HcclCommDestroy(comm) == HCCL_SUCCESS);
    EXPECT(aclrtFree(memory) == 0);
    return failures == 0 ? 0 : 1;
  }
};

}  // namespace

int main(int count, char** arguments) {
  if (count != 5) return 2;
  Program program;
  program.what = arguments[1];
  program.rank = static_cast<uint32_t>(std::atoi(arguments[2]));
  program.size = static_cast<uint32_t>(std::atoi(arguments[3]));
  program.file = arguments[4];
  EXPECT(aclrtSetDevice(0) == 0);
  if (program.what == "digest-set") {
    HcclConfigValue on = {1};
    EXPECT(HcclSetConfig(HCCL_DETERMINISTIC, on) == HCCL_SUCCESS);
    program.what = "digest";
  }
  HcclResult code = HCCL_SUCCESS;
  if (program.what == "table") {
    code = HcclCommInitClusterInfo(arguments[4], program.rank, &program.comm);
    program.what = "all";
  } else {
    const HcclRootInfo info = ShareRootInfo(static_cast<int>(program.rank), arguments[4]);
    // One rank that stays away, and one that counts others.
    if (program.what == "missing") {
      if (program.rank == program.size - 1) return 0;
      // Their time is short.
      Meet(program.file + ".started", program.rank, program.size - 1);
    }
    const bool counts_wrong = program.what == "wrong-size" && program.rank == program.size - 1;
    code = HcclCommInitRootInfo(program.size + (counts_wrong ? 1 : 0), &info, program.rank,
                                &program.comm);
  }
  if (program.what == "missing" || program.what == "wrong-size" || program.what == "join") {
    std::printf("%d\n%s\n", code, aclGetRecentErrMsg());
    return 0;
  }
  EXPECT(code == HCCL_SUCCESS);
  return code == HCCL_SUCCESS ? program.Run() : 1;
}
