// Forks in one of many situations; both processes go on with the library.
//
//   fork_program MODE    0 when everything is as it should be; what is not is told on stderr

#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <thread>

#include "aclimb/bridge/bridge.h"
#include "aclimb/core/sanitized.h"
#include "tests/fork/operators.h"
#include "tests/support/in_time.h"

namespace {

using std::chrono::milliseconds;

// Small ones run inside a synchronise, large ones on the engine and its team, which a traffic of
// more than 3 MiB wakes.
constexpr int64_t kSmall = 1000;
constexpr int64_t kLarge = 300000;
// A child that takes longer hangs, on the slowest machine and under a sanitizer too.
constexpr auto kPatience = std::chrono::seconds(60);

aclrtStream stream = nullptr;

void Start() {
  EXPECT(aclInit(nullptr) == 0);
  EXPECT(aclrtSetDevice(0) == 0);
  EXPECT(aclrtCreateStream(&stream) == 0);
}

void Stop() {
  EXPECT(aclrtDestroyStream(stream) == 0);
  EXPECT(aclrtResetDevice(0) == 0 && aclFinalize() == 0);
}

aclrtStream NewStream() {
  aclrtStream made = nullptr;
  EXPECT(aclrtCreateStream(&made) == 0);
  return made;
}

// Its exit status; -1 when a signal ended it or it hangs.
int Await(pid_t child) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  int status = 0;
  while (waitpid(child, &status, WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() > end) {
      std::fprintf(stderr, "the child hangs\n");
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      return -1;
    }
    std::this_thread::sleep_for(milliseconds(1));
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

enum class End { kExit, kQuickly };

// Runs `body` in a child, and waits for it.
void InChild(const std::function<void()>& body, End end = End::kExit) {
  const pid_t child = fork();
  if (child == 0) {
    failures = 0;
    body();
    const int status = failures == 0 ? 7 : 8;
    end == End::kExit ? std::exit(status) : _exit(status);
  }
  EXPECT(Await(child) == 7);
}

// The last refusal names the fork, and says what to do.
bool TellsOfFork() {
  const std::string text = aclGetRecentErrMsg();
  return text.find("fork") != std::string::npos && text.find("fix: ") != std::string::npos &&
         text.find("runtime/fork/") != std::string::npos;
}
// The same through phase 2, whose rule is its own.
bool Phase2TellsOfFork() {
  const std::string text = aclGetRecentErrMsg();
  return text.find("107023") != std::string::npos && text.find("forked off") != std::string::npos &&
         text.find("create a new stream") != std::string::npos;
}

// A stream that stands still at a callback until Go().
class Gate {
 public:
  explicit Gate(aclrtStream of) {
    EXPECT(aclrtLaunchHostFunc(
               of,
               [](void* gate) {
                 auto& self = *static_cast<Gate*>(gate);
                 self.reached_ = true;
                 while (!self.open_) std::this_thread::sleep_for(milliseconds(1));
               },
               this) == 0);
  }
  void AwaitReached() const {
    while (!reached_) {
      // Orders of the schedule fall when the program calls.
      aclrtStreamStatus status;
      aclrtStreamQuery(stream, &status);
      std::this_thread::sleep_for(milliseconds(1));
    }
  }
  void Go() { open_ = true; }

 private:
  std::atomic<bool> reached_{false};
  std::atomic<bool> open_{false};
};

// ---- What is idle works in the child ----

void Idle() {
  Start();
  Elu small(kSmall), large(kLarge);
  const Floats shared({kSmall}, 3);
  aclrtEvent event = nullptr;
  EXPECT(aclrtCreateEvent(&event) == 0);
  EXPECT(small.Works(stream) && large.Works(stream) && ConvolutionWorks(stream, 16, 8));
  EXPECT(aclrtRecordEvent(event, stream) == 0 && aclrtSynchronizeEvent(event) == 0);
  aclrtContext context = nullptr;
  EXPECT(aclrtGetCurrentContext(&context) == 0);
  EXPECT(aclrtFree(nullptr) != 0);  // leaves a message, which goes to both
  InChild([&] {
    EXPECT(std::strstr(aclGetRecentErrMsg(), "aclrtFree") != nullptr);
    aclrtContext current = nullptr;
    EXPECT(aclrtGetCurrentContext(&current) == 0 && current == context);
    EXPECT(small.Done() && large.Done() && shared.AllAre(3));
    aclrtEventRecordedStatus recorded = ACL_EVENT_RECORDED_STATUS_NOT_READY;
    EXPECT(aclrtQueryEventStatus(event, &recorded) == 0);
    EXPECT(recorded == ACL_EVENT_RECORDED_STATUS_COMPLETE);
    EXPECT(aclrtSynchronizeEvent(event) == 0 && aclrtStreamWaitEvent(stream, event) == 0);
    EXPECT(large.Works(stream) && small.Works(stream));
    EXPECT(ConvolutionWorks(stream, 16, 8) && ConvolutionWorks(stream, 24, 9));
    EXPECT(EluWorks(nullptr, kLarge));
    EXPECT(aclrtRecordEvent(event, stream) == 0 && aclrtSynchronizeEvent(event) == 0);
    EXPECT(aclrtSynchronizeDevice() == 0);
    EXPECT(aclrtMemset(shared.address(), shared.Bytes(), 0, shared.Bytes()) == 0);
    EXPECT(shared.AllAre(0));
  });
  EXPECT(std::strstr(aclGetRecentErrMsg(), "aclrtFree") != nullptr);
  EXPECT(shared.AllAre(3));
  EXPECT(large.Works(stream) && small.Works(stream));
  EXPECT(aclrtDestroyEvent(event) == 0);
}

void Fresh() {
  Start();
  EXPECT(EluWorks(stream, kLarge));
  InChild([] {
    EXPECT(aclInit(nullptr) == 100002);
    EXPECT(aclrtSetDevice(0) == 0);
    const aclrtStream mine = NewStream();
    EXPECT(EluWorks(mine, kSmall) && EluWorks(mine, kLarge));
    EXPECT(aclrtDestroyStream(mine) == 0);
  });
  EXPECT(EluWorks(stream, kLarge));
}

void Ends() {
  Start();
  EXPECT(EluWorks(stream, kLarge));
  InChild([] {});
  InChild([] {}, End::kQuickly);
  InChild([] {
    EXPECT(aclrtDestroyStream(stream) == 0);
    EXPECT(aclrtResetDevice(0) == 0 && aclFinalize() == 0);
  });
  InChild([] {
    EXPECT(aclrtResetDevice(0) == 0 && aclFinalize() == 0);
    Start();
    EXPECT(EluWorks(stream, kSmall) && EluWorks(stream, kLarge));
  });
  const pid_t child = fork();
  if (child == 0) {
    execl("/bin/sh", "sh", "-c", "exit 7", nullptr);
    _exit(1);
  }
  EXPECT(Await(child) == 7);
  // Some programs think that this helps.
  EXPECT(aclFinalize() == 0);
  InChild([] {
    EXPECT(aclInit(nullptr) == 0);
    EXPECT(EluWorks(stream, kSmall) && EluWorks(stream, kLarge));
  });
  EXPECT(aclInit(nullptr) == 0);
  EXPECT(EluWorks(stream, kLarge));
}

// A child of a child, and of that.
void Nested() {
  Start();
  EXPECT(EluWorks(stream, kLarge));
  InChild([] {
    InChild([] {
      EXPECT(EluWorks(stream, kLarge));
      InChild([] { EXPECT(EluWorks(stream, kLarge) && EluWorks(stream, kSmall)); });
    });
    EXPECT(EluWorks(stream, kLarge));
  });
  EXPECT(EluWorks(stream, kLarge));
}

int ThreadCount() {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) {
    count += entry.exists() ? 1 : 0;
  }
  return count;
}

// The library is loaded, and nothing more.
void Unused() {
  const int threads = ThreadCount();
  InChild([] {
    Start();
    EXPECT(EluWorks(stream, kSmall) && EluWorks(stream, kLarge));
    Stop();
  });
  EXPECT(ThreadCount() == threads);
  Start();
  EXPECT(EluWorks(stream, kLarge));
}

// ---- What is not idle is lost in the child, and tells ----

void Busy() {
  Start();
  const aclrtStream busy = NewStream(), other = NewStream(), behind = NewStream();
  Elu before(kSmall), large(kLarge), small(kSmall);
  EXPECT(before.Works(busy));
  aclrtEvent event = nullptr, done = nullptr;
  EXPECT(aclrtCreateEvent(&event) == 0 && aclrtCreateEvent(&done) == 0);
  EXPECT(aclrtRecordEvent(done, other) == 0 && aclrtSynchronizeEvent(done) == 0);
  Gate gate(busy);
  EXPECT(large.Queue(busy) == 0 && small.Queue(busy) == 0);
  EXPECT(aclrtRecordEvent(event, busy) == 0);
  EXPECT(aclrtStreamWaitEvent(behind, event) == 0);
  gate.AwaitReached();
  // Waits in the parent through all of the fork.
  std::thread waits([&] {
    EXPECT(aclrtSetDevice(0) == 0);
    EXPECT(aclrtSynchronizeStream(busy) == 0);
    EXPECT(aclrtSynchronizeEvent(event) == 0);
  });
  std::this_thread::sleep_for(milliseconds(20));
  InChild([&] {
    for (const aclrtStream lost : {busy, behind}) {
      EXPECT(small.Queue(lost) == 361001 && Phase2TellsOfFork());
      EXPECT(aclrtSynchronizeStream(lost) == 107023 && TellsOfFork());
      EXPECT(aclrtSynchronizeStreamWithTimeout(lost, 1000) == 107023 && TellsOfFork());
      aclrtStreamStatus status;
      EXPECT(aclrtStreamQuery(lost, &status) == 107023 && TellsOfFork());
      EXPECT(aclrtRecordEvent(done, lost) == 107023 && TellsOfFork());
      EXPECT(aclrtStreamWaitEvent(lost, done) == 107023 && TellsOfFork());
      EXPECT(aclrtLaunchHostFunc(
                 lost, [](void*) {}, nullptr) == 107023 &&
             TellsOfFork());
      int32_t id = 0;
      EXPECT(aclrtStreamGetId(lost, &id) == 0);
    }
    aclrtEventRecordedStatus recorded;
    float elapsed = 0;
    EXPECT(aclrtSynchronizeEvent(event) == 107023 && TellsOfFork());
    EXPECT(aclrtSynchronizeEventWithTimeout(event, 1000) == 107023 && TellsOfFork());
    EXPECT(aclrtQueryEventStatus(event, &recorded) == 107023 && TellsOfFork());
    EXPECT(aclrtEventElapsedTime(&elapsed, done, event) == 107023 && TellsOfFork());
    EXPECT(aclrtStreamWaitEvent(other, event) == 107023 && TellsOfFork());
    // The device tells once; what else there is works.
    EXPECT(aclrtSynchronizeDevice() == 107023 && TellsOfFork());
    EXPECT(aclrtSynchronizeDevice() == 107023 && TellsOfFork());
    EXPECT(aclrtSynchronizeDevice() == 0);
    EXPECT(EluWorks(other, kSmall) && EluWorks(other, kLarge) && EluWorks(nullptr, kLarge));
    // What the event's work wrote, it writes in the parent.
    EXPECT(before.Done() && !large.Done() && !small.Done());
    EXPECT(aclrtRecordEvent(event, other) == 0 && aclrtSynchronizeEvent(event) == 0);
    EXPECT(aclrtStreamAbort(behind) == 0 && EluWorks(behind, kLarge));
    EXPECT(aclrtDestroyStream(busy) == 0);
    const aclrtStream fresh = NewStream();
    EXPECT(EluWorks(fresh, kLarge));
    EXPECT(aclrtSynchronizeDevice() == 0);
    InChild([&] { EXPECT(EluWorks(fresh, kLarge) && EluWorks(behind, kLarge)); });
    EXPECT(aclrtResetDevice(0) == 0 && aclFinalize() == 0);
  });
  InChild([] { EXPECT(aclrtResetDevice(0) == 0 && aclFinalize() == 0); });
  InChild([] {});
  InChild([&] { EXPECT(aclrtDestroyStreamForce(busy) == 0 && EluWorks(other, kLarge)); });
  gate.Go();
  waits.join();
  EXPECT(aclrtSynchronizeDevice() == 0);
  EXPECT(large.Done() && small.Done() && EluWorks(behind, kLarge));
  for (const aclrtEvent made : {event, done}) EXPECT(aclrtDestroyEvent(made) == 0);
  for (const aclrtStream made : {busy, other, behind}) EXPECT(aclrtDestroyStream(made) == 0);
}

// The default stream cannot be made anew.
void DefaultStream() {
  Start();
  Elu elu(kSmall);
  Gate gate(nullptr);
  EXPECT(elu.Queue(nullptr) == 0);
  gate.AwaitReached();
  InChild([&] {
    EXPECT(elu.Queue(nullptr) == 361001 && Phase2TellsOfFork());
    EXPECT(aclrtSynchronizeStream(nullptr) == 107023 && TellsOfFork());
    EXPECT(aclrtStreamAbort(nullptr) == 0);
    EXPECT(EluWorks(nullptr, kSmall) && EluWorks(nullptr, kLarge));
  });
  gate.Go();
  EXPECT(aclrtSynchronizeStream(nullptr) == 0 && elu.Done());
}

std::atomic<int> phase{0};

// A task that is longer than a fork waits for.
void Running() {
  Start();
  const aclrtStream other = NewStream();
  AclimbTask task = {};
  task.name = "long";
  task.run = [](void*) {
    phase = 1;
    while (phase != 2) std::this_thread::sleep_for(milliseconds(1));
    return 0;
  };
  EXPECT(aclimb_launch(stream, &task, nullptr) == 0);
  Elu behind(kSmall);
  EXPECT(behind.Queue(stream) == 0);
  for (aclrtStreamStatus status; phase != 1;) aclrtStreamQuery(stream, &status);
  InChild([&] {
    EXPECT(behind.Queue(stream) == 361001 && Phase2TellsOfFork());
    EXPECT(aclrtSynchronizeStream(stream) == 107023 && TellsOfFork());
    EXPECT(EluWorks(other, kSmall) && EluWorks(other, kLarge));
    EXPECT(aclrtDestroyStream(stream) == 0 && aclrtResetDevice(0) == 0);
  });
  phase = 2;
  EXPECT(aclrtSynchronizeStream(stream) == 0 && behind.Done());
  EXPECT(aclrtDestroyStream(other) == 0);
}

// A task that ends soon is waited for: the child has its result, and the stream.
void EndsSoon() {
  Start();
  AclimbTask task = {};
  task.name = "short";
  task.run = [](void*) {
    phase = 1;
    std::this_thread::sleep_for(milliseconds(100));
    phase = 3;
    return 0;
  };
  // A fork waits for two seconds at most.
  constexpr int kLate = 9;
  EXPECT(aclimb::testing::HoldsInTime(milliseconds(1500), [&] {
    phase = 0;
    EXPECT(aclimb_launch(stream, &task, nullptr) == 0);
    for (aclrtStreamStatus status; phase == 0;) aclrtStreamQuery(stream, &status);
    const pid_t child = fork();
    if (child == 0) {
      failures = 0;
      if (phase != 3) std::exit(kLate);
      EXPECT(aclrtSynchronizeStream(stream) == 0 && EluWorks(stream, kLarge));
      std::exit(failures == 0 ? 7 : 8);
    }
    const int status = Await(child);
    EXPECT(status == 7 || status == kLate);
    EXPECT(aclrtSynchronizeStream(stream) == 0);
    return status != kLate;
  }));
}

// ---- Callbacks ----

// The program forks in a callback. What returns from it in the child is the child's only thread.
void InCallback() {
  Start();
  static aclrtStream idle = NewStream();
  static std::atomic<pid_t> child{0};
  EXPECT(EluWorks(stream, kLarge));
  EXPECT(aclrtLaunchHostFunc(
             stream,
             [](void*) {
               const pid_t made = fork();
               if (made != 0) {
                 child = made;
                 return;
               }
               failures = 0;
               EXPECT(aclrtSetDevice(0) == 0);
               EXPECT(EluWorks(idle, kSmall) && EluWorks(idle, kLarge));
               EXPECT(aclrtSynchronizeStream(stream) == 107023 && TellsOfFork());
               EXPECT(aclrtDestroyStream(stream) == 0);
               if (failures != 0) _exit(8);
             },
             nullptr) == 0);
  Elu behind(kLarge);
  EXPECT(behind.Queue(stream) == 0);
  EXPECT(aclrtSynchronizeStream(stream) == 0 && behind.Done());
  // As when a thread of the program forks and returns.
  EXPECT(Await(child) == 0);
  EXPECT(aclrtDestroyStream(idle) == 0);
}

// A thread that serves callbacks forks while some are due, inside one of them, and with none.
void ReportThread() {
  Start();
  const uint64_t self = static_cast<uint64_t>(pthread_self());
  static std::atomic<int> made{0};
  const aclrtCallback count = [](void*) { ++made; };
  EXPECT(aclrtSubscribeReport(self, stream) == 0);
  EXPECT(aclrtLaunchCallback(count, nullptr, ACL_CALLBACK_BLOCK, stream) == 0);
  EXPECT(aclrtLaunchCallback(count, nullptr, ACL_CALLBACK_NO_BLOCK, stream) == 0);
  std::this_thread::sleep_for(milliseconds(20));  // the first one is due
  InChild([&] {
    EXPECT(aclrtProcessReport(-1) == 107023 && TellsOfFork());
    EXPECT(aclrtProcessReport(10) == 507012);
    EXPECT(made == 0);
    EXPECT(aclrtSynchronizeStream(stream) == 107023 && TellsOfFork());
    EXPECT(aclrtStreamAbort(stream) == 0);
    EXPECT(aclrtLaunchCallback(count, nullptr, ACL_CALLBACK_BLOCK, stream) == 0);
    while (made == 0) EXPECT(aclrtProcessReport(10000) == 0);
    EXPECT(aclrtSynchronizeStream(stream) == 0);
  });
  while (made < 2) EXPECT(aclrtProcessReport(10000) == 0);
  EXPECT(aclrtSynchronizeStream(stream) == 0);
  // Inside one of two that are due.
  static pid_t child = -1;
  const aclrtCallback forks = [](void*) { child = fork(); };
  EXPECT(aclrtLaunchCallback(forks, nullptr, ACL_CALLBACK_NO_BLOCK, stream) == 0);
  EXPECT(aclrtLaunchCallback(count, nullptr, ACL_CALLBACK_NO_BLOCK, stream) == 0);
  EXPECT(aclrtSynchronizeStream(stream) == 0);
  while (child < 0) EXPECT(aclrtProcessReport(10000) == 0);
  if (child == 0) _exit(made == 2 ? 7 : 8);
  EXPECT(Await(child) == 7);
  while (made < 3) EXPECT(aclrtProcessReport(10000) == 0);
  // Another thread's subscription is the parent's.
  EXPECT(aclrtUnSubscribeReport(self, stream) == 0);
  std::atomic<bool> stop{false};
  std::thread serves([&] {
    while (!stop) aclrtProcessReport(10);
  });
  std::thread::id gone = serves.get_id();
  uint64_t other;
  static_assert(sizeof(gone) == sizeof(other));
  std::memcpy(&other, &gone, sizeof(other));
  EXPECT(aclrtSubscribeReport(other, stream) == 0);
  InChild([&] {
    if (std::getenv("ACLIMB_CHECK") == nullptr) {
      EXPECT(aclrtLaunchCallback(count, nullptr, ACL_CALLBACK_BLOCK, stream) == 107015);
    }
    EXPECT(aclrtSubscribeReport(self, stream) == 0);
    EXPECT(aclrtLaunchCallback(count, nullptr, ACL_CALLBACK_BLOCK, stream) == 0);
    while (made < 4) EXPECT(aclrtProcessReport(10000) == 0);
    EXPECT(aclrtSynchronizeStream(stream) == 0);
  });
  EXPECT(aclrtLaunchCallback(count, nullptr, ACL_CALLBACK_BLOCK, stream) == 0);
  EXPECT(aclrtSynchronizeStream(stream) == 0 && made == 4);
  EXPECT(aclrtUnSubscribeReport(other, stream) == 0);
  stop = true;
  serves.join();
  (void)aclGetRecentErrMsg();
}

// ---- Other threads are anywhere in the library ----

// Uses what has a lock, again and again.
void UseEverything(int number, const std::atomic<bool>& stop) {
  EXPECT(aclrtSetDevice(0) == 0);
  const aclrtStream mine = NewStream();
  for (int64_t turn = 0; !stop; ++turn) {
    // Shapes that phase 1 has not seen, and some that it has.
    EXPECT(EluWorks(mine, 100 + (turn % 7) * 10 + number));
    if (turn % 8 == 0) EXPECT(EluWorks(mine, 200000 + turn));
    // oneDNN synchronises in ways that the thread sanitizer does not see.
    if (!aclimb::kThreadSanitized) {
      EXPECT(ConvolutionWorks(mine, 3 + (turn * 2 + number) % 40, 6 + turn % 5));
    }
    aclrtEvent event = nullptr;
    EXPECT(aclrtCreateEvent(&event) == 0 && aclrtRecordEvent(event, mine) == 0);
    EXPECT(aclrtStreamWaitEvent(nullptr, event) == 0);
    EXPECT(aclrtSynchronizeEvent(event) == 0 && aclrtDestroyEvent(event) == 0);
    void* host = nullptr;
    EXPECT(aclrtMallocHost(&host, 1000) == 0 && aclrtFreeHost(host) == 0);
    EXPECT(aclrtLaunchHostFunc(
               mine, [](void*) {}, nullptr) == 0);
    EXPECT(aclrtSynchronizeStream(mine) == 0);
    EXPECT(aclrtFree(nullptr) != 0 && aclGetRecentErrMsg()[0] != '\0');
    const aclrtStream short_lived = NewStream();
    EXPECT(aclrtDestroyStream(short_lived) == 0);
  }
  EXPECT(aclrtDestroyStream(mine) == 0);
}

// Forks again and again while threads use everything.
void ForkAmongThreads(const std::function<void(int)>& in_child, End end) {
  constexpr int kForks = 15;
  Start();
  EXPECT(EluWorks(stream, kSmall));
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) threads.emplace_back([&, i] { UseEverything(i, stop); });
  for (int i = 0; i < kForks && failures == 0; ++i) {
    InChild([&] { in_child(i); }, end);
    std::this_thread::sleep_for(milliseconds(i % 4));
  }
  stop = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT(EluWorks(stream, kLarge));
}

void Everywhere() {
  const auto use = [](int i) {
    EXPECT(EluWorks(stream, kSmall) && EluWorks(stream, 300000 + i));
    EXPECT(ConvolutionWorks(stream, 3 + i, 7));
    void* host = nullptr;
    EXPECT(aclrtMallocHost(&host, 1000) == 0 && aclrtFreeHost(host) == 0);
    EXPECT(aclrtLaunchHostFunc(
               stream, [](void*) {}, nullptr) == 0);
    EXPECT(aclrtSynchronizeStream(stream) == 0);
    const aclrtStream mine = NewStream();
    EXPECT(EluWorks(mine, kSmall) && aclrtDestroyStream(mine) == 0);
    if (i % 3 == 0) EXPECT(aclrtResetDevice(0) == 0 && aclFinalize() == 0);
  };
  ForkAmongThreads(use, End::kExit);
}

// What the parent does is all there is to it: the children end at once.
void Parent() {
  ForkAmongThreads([](int) {}, End::kQuickly);
}

// Several threads fork at once, each with a child of its own.
void ManyFork() {
  Start();
  EXPECT(EluWorks(stream, kLarge));
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([] {
      EXPECT(aclrtSetDevice(0) == 0);
      for (int turn = 0; turn < 5; ++turn) {
        InChild([] { EXPECT(EluWorks(stream, kSmall) && EluWorks(stream, 300000)); });
        const aclrtStream mine = NewStream();
        EXPECT(EluWorks(mine, kSmall) && aclrtDestroyStream(mine) == 0);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT(EluWorks(stream, kLarge));
}

constexpr size_t kPiece = size_t{2} << 20;

// Memory that the program maps itself.
struct Piece {
  Piece() {
    aclrtPhysicalMemProp properties = {};
    properties.allocationType = ACL_MEM_ALLOCATION_TYPE_PINNED;
    properties.memAttr = ACL_HBM_MEM_HUGE;
    properties.location.type = ACL_MEM_LOCATION_TYPE_DEVICE;
    EXPECT(aclrtReserveMemAddress(&address, kPiece, 0, nullptr, 0) == 0);
    EXPECT(aclrtMallocPhysical(&memory, kPiece, &properties, 0) == 0);
    EXPECT(aclrtMapMem(address, kPiece, 0, memory, 0) == 0);
  }
  void Fill(int value) const {
    EXPECT(aclrtMemsetAsync(address, kPiece, value, kPiece, stream) == 0);
    EXPECT(aclrtSynchronizeStream(stream) == 0);
  }
  bool Has(char value) const {
    char first = 0;
    EXPECT(aclrtMemcpy(&first, 1, address, 1, ACL_MEMCPY_DEVICE_TO_HOST) == 0);
    return first == value;
  }
  void End() const {
    EXPECT(aclrtUnmapMem(address) == 0 && aclrtFreePhysical(memory) == 0);
    EXPECT(aclrtReleaseMemAddress(address) == 0);
  }

  void* address = nullptr;
  aclrtDrvMemHandle memory = nullptr;
};

// It is shared, and each process frees and allocates its own.
void MappedMemory() {
  Start();
  const Piece shared;
  shared.Fill(7);
  InChild([&] {
    EXPECT(shared.Has(7));
    const Piece mine;
    EXPECT(mine.Has(0));
    mine.Fill(1);
    InChild([&] {
      const Piece more;
      more.Fill(2);
      mine.End();
    });
    EXPECT(mine.Has(1) && shared.Has(7));
    shared.End();
    mine.End();
  });
  EXPECT(shared.Has(7));
  InChild([] { EXPECT(aclrtResetDevice(0) == 0 && aclFinalize() == 0); });
  EXPECT(shared.Has(7));
  const pid_t child = fork();
  if (child == 0) {
    failures = 0;
    const Piece mine;
    mine.Fill(3);
    std::this_thread::sleep_for(milliseconds(20));
    _exit(failures == 0 && mine.Has(3) ? 7 : 8);
  }
  const Piece mine;
  EXPECT(mine.Has(0));
  mine.Fill(4);
  EXPECT(Await(child) == 7);
  EXPECT(mine.Has(4) && shared.Has(7));
  mine.End();
  shared.End();
}

// These run no handlers, and share the memory with the child for a moment.
void Spawn() {
  Start();
  EXPECT(EluWorks(stream, kLarge));
  Elu elu(kLarge);
  // As many that the team is at work when the child begins.
  for (int i = 0; i < 10; ++i) EXPECT(elu.Queue(stream) == 0);
  char shell[] = "sh", option[] = "-c", command[] = "exit 7";
  char* const words[] = {shell, option, command, nullptr};
  pid_t child = 0;
  EXPECT(posix_spawn(&child, "/bin/sh", nullptr, nullptr, words, environ) == 0);
  EXPECT(Await(child) == 7);
  EXPECT(aclrtSynchronizeStream(stream) == 0 && elu.Done() && EluWorks(stream, kLarge));
}

const std::map<std::string, void (*)()> kModes = {
    {"idle", &Idle},
    {"fresh", &Fresh},
    {"ends", &Ends},
    {"nested", &Nested},
    {"unused", &Unused},
    {"busy", &Busy},
    {"default", &DefaultStream},
    {"running", &Running},
    {"ends_soon", &EndsSoon},
    {"callback", &InCallback},
    {"report", &ReportThread},
    {"everywhere", &Everywhere},
    {"many", &ManyFork},
    {"mapped", &MappedMemory},
    {"parent", &Parent},
    {"spawn", &Spawn},
};

}  // namespace

int main(int argc, char** argv) {
  const auto mode = kModes.find(argc == 2 ? argv[1] : "");
  if (mode == kModes.end()) {
    for (const auto& [name, run] : kModes) std::printf("%s\n", name.c_str());
    return argc == 1 ? 0 : 2;
  }
  mode->second();
  Stop();
  return failures == 0 ? 0 : 1;
}
