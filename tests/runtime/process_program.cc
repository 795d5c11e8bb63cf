// A program that behaves as its argument says and leaves as it likes; process_test.cc runs it.
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <thread>

#include "acl/acl.h"
#include "aclimb/bridge/bridge.h"
#include "tests/support/sleeper.h"

namespace {

constexpr int kStatus = 7;

#define CHECK(condition)                                                                     \
  do {                                                                                       \
    if (!(condition)) {                                                                      \
      std::fprintf(stderr, "line %d: %s\n%s\n", __LINE__, #condition, aclGetRecentErrMsg()); \
      _exit(99);                                                                             \
    }                                                                                        \
  } while (false)

aclrtStream stream = nullptr;
uint8_t* memory = nullptr;

void Start() {
  CHECK(aclInit(nullptr) == 0);
  CHECK(aclrtSetDevice(0) == 0);
  CHECK(aclrtCreateStream(&stream) == 0);
  void* address = nullptr;
  CHECK(aclrtMalloc(&address, 1000, ACL_MEM_MALLOC_HUGE_FIRST) == 0);
  memory = static_cast<uint8_t*>(address);
}

void Launch(int (*run)(void*), uint64_t cost = 1 << 20) {
  AclimbTask task = {};
  task.name = "program task";
  task.run = run;
  task.cost_bytes = cost;
  CHECK(aclimb_launch(stream, &task, nullptr) == 0);
}

int LeaveEverything() {
  Start();
  aclrtEvent event;
  CHECK(aclrtCreateEvent(&event) == 0);
  for (int i = 0; i < 100; ++i) CHECK(aclrtMemsetAsync(memory, 1000, i, 1000, stream) == 0);
  CHECK(aclrtRecordEvent(event, stream) == 0);
  return kStatus;
}

// A kernel runs, and more are queued, while the process exits.
int LeaveRunning() {
  Start();
  static std::atomic<bool> running{false};
  for (int i = 0; i < 50; ++i) {
    Launch([](void*) {
      running = true;
      std::this_thread::sleep_for(std::chrono::milliseconds(30));
      return 0;
    });
  }
  while (!running) std::this_thread::yield();
  return kStatus;
}

int LeaveCallback() {
  Start();
  static std::atomic<bool> running{false};
  CHECK(aclrtLaunchHostFunc(
            stream,
            [](void*) {
              running = true;
              for (;;) pause();
            },
            nullptr) == 0);
  while (!running) std::this_thread::yield();
  CHECK(aclrtMemsetAsync(memory, 10, 1, 10, stream) == 0);
  return kStatus;
}

int Dereference() {
  Start();
  volatile uint8_t* bad = memory + 600;
  return *bad;
}

int DereferenceFreed() {
  Start();
  CHECK(aclrtFree(memory) == 0);
  *const_cast<volatile uint8_t*>(memory) = 1;
  return 0;
}

int OwnHandler() {
  struct sigaction action;
  std::memset(&action, 0, sizeof(action));
  action.sa_handler = [](int) {
    static const char text[] = "own handler\n";
    if (write(STDERR_FILENO, text, sizeof(text) - 1) > 0) _exit(5);
  };
  sigaction(SIGSEGV, &action, nullptr);
  return Dereference();
}

int NullDereference() {
  Start();
  volatile int* null = nullptr;
  return *null;
}

int HostAccess() {
  Start();
  CHECK(aclrtMemset(memory, 1000, 0x42, 1000) == 0);
  CHECK(memory[999] == 0x42);
  memory[0] = 1;
  uint8_t copy = 0;
  CHECK(aclrtMemcpy(&copy, 1, memory, 1, ACL_MEMCPY_DEVICE_TO_HOST) == 0);
  CHECK(copy == 1);
  return kStatus;
}

// Objects that outlive main use the runtime once more.
struct LateUser {
  bool active = false;
  ~LateUser() {
    if (!active) return;
    uint8_t copy = 0;
    const bool good = aclrtMemsetAsync(memory, 1000, 0x21, 1000, stream) == 0 &&
                      aclrtSynchronizeStream(stream) == 0 &&
                      aclrtMemcpy(&copy, 1, memory, 1, ACL_MEMCPY_DEVICE_TO_HOST) == 0 &&
                      copy == 0x21 && aclrtFree(nullptr) != 0 && aclGetRecentErrMsg()[0] != '\0' &&
                      aclrtFree(memory) == 0 && aclrtDestroyStream(stream) == 0 &&
                      aclrtResetDevice(0) == 0 && aclFinalize() == 0;
    if (!good) _exit(98);
  }
};
LateUser late_user;

int LateUse() {
  Start();
  Launch([](void*) { return 0; });
  CHECK(aclrtSynchronizeStream(stream) == 0);
  late_user.active = true;
  return kStatus;
}

int ExitInCallback() {
  Start();
  CHECK(aclrtLaunchHostFunc(
            stream, [](void*) { std::exit(kStatus); }, nullptr) == 0);
  aclrtSynchronizeStream(stream);
  return 1;
}

int ExitInTask() {
  Start();
  Launch([](void*) -> int { std::exit(kStatus); });
  aclrtSynchronizeStreamWithTimeout(stream, 20000);
  return 1;
}

int OpenAndClose() {
  // Programs look the functions up by name; closing the library must not pull it from under its
  // threads.
  void* library = dlopen("libascendcl.so", RTLD_NOW | RTLD_LOCAL);
  CHECK(library != nullptr);
  auto* init = reinterpret_cast<decltype(&aclInit)>(dlsym(library, "aclInit"));
  CHECK(init != nullptr && init(nullptr) == 0);
  dlclose(library);
  return kStatus;
}

int UnknownSoc() {
  const int code = aclInit(nullptr);
  std::fprintf(stderr, "%d %s\n", code, aclGetRecentErrMsg());
  CHECK(aclrtGetSocName() == nullptr);
  CHECK(aclimb_settings()->product == -1);
  CHECK(aclrtSetDevice(0) == ACL_ERROR_INVALID_PARAM);
  return kStatus;
}

int Strict() {
  const int code = aclrtSetDevice(0);
  std::fprintf(stderr, "%d %s\n", code, aclGetRecentErrMsg());
  CHECK(code == ACL_ERROR_UNINITIALIZE);
  uint32_t count = 0;
  CHECK(aclrtGetDeviceCount(&count) == 0);
  Start();
  return kStatus;
}

// With ASCEND_LAUNCH_BLOCKING a stream's wait for an event returns that its time is up.
void CheckBlockingWait() {
  static std::atomic<bool> reached{false};
  static std::atomic<bool> open{false};
  aclrtStream busy = nullptr;
  aclrtEvent event = nullptr;
  CHECK(aclrtCreateStream(&busy) == 0 && aclrtCreateEvent(&event) == 0);
  std::thread holder([&] {
    CHECK(aclrtSetDevice(0) == 0);
    const auto hold = [](void*) {
      reached = true;
      while (!open) std::this_thread::yield();
    };
    CHECK(aclrtLaunchHostFunc(busy, hold, nullptr) == 0);
  });
  while (!reached) std::this_thread::yield();
  std::thread recorder([&] {
    CHECK(aclrtSetDevice(0) == 0);
    CHECK(aclrtRecordEvent(event, busy) == 0);
  });
  aclrtEventRecordedStatus status = ACL_EVENT_RECORDED_STATUS_COMPLETE;
  while (status == ACL_EVENT_RECORDED_STATUS_COMPLETE) {
    CHECK(aclrtQueryEventStatus(event, &status) == 0);
  }
  CHECK(aclrtStreamWaitEventWithTimeout(stream, event, 1) == ACL_ERROR_RT_EVENT_SYNC_TIMEOUT);
  CHECK(aclrtSynchronizeStream(stream) == 0);
  open = true;
  holder.join();
  recorder.join();
}

int LaunchBlocking() {
  Start();
  AclimbTask task = {};
  task.name = "failing";
  task.run = [](void*) { return static_cast<int>(ACL_ERROR_RT_AICORE_EXCEPTION); };
  AclimbReason reason = {"", ""};
  CHECK(aclimb_launch(stream, &task, &reason) == ACL_ERROR_RT_AICORE_EXCEPTION);
  const std::string what = reason.what;
  CHECK(what.find("(failing)") != std::string::npos && what.ends_with("expected it to succeed."));
  const std::string fix = reason.fix;
  CHECK(fix.find("look at the arguments of task ") != std::string::npos);
  CHECK(fix.find("ASCEND_LAUNCH_BLOCKING") == std::string::npos);
  CHECK(aclrtSynchronizeStream(stream) == 0);
  CHECK(aclrtMemsetAsync(memory, 1000, 9, 1000, stream) == 0);
  uint8_t copy = 0;
  CHECK(aclrtMemcpy(&copy, 1, memory, 1, ACL_MEMCPY_DEVICE_TO_HOST) == 0);
  CHECK(copy == 9);
  static bool called = false;
  CHECK(aclrtLaunchHostFunc(
            stream, [](void*) { called = true; }, nullptr) == 0);
  CHECK(called);
  CheckBlockingWait();
  return kStatus;
}

// Threads are cancelled while they wait for a callback and for a stream; the stream goes on.
int CancelWaits() {
  Start();
  static aclimb::testing::Sleeper in_report, in_wait;
  const auto cancel = [](pthread_t thread, const aclimb::testing::Sleeper& sleeper) {
    CHECK(sleeper.Sleeps());
    CHECK(pthread_cancel(thread) == 0);
    void* result = nullptr;
    CHECK(pthread_join(thread, &result) == 0 && result == PTHREAD_CANCELED);
  };
  pthread_t thread;
  const auto serve = [](void*) -> void* {
    CHECK(aclrtSetDevice(0) == 0);
    const auto self = static_cast<uint64_t>(pthread_self());
    CHECK(aclrtSubscribeReport(self, stream) == 0);
    in_report.Begins();
    aclrtProcessReport(-1);
    return nullptr;
  };
  CHECK(pthread_create(&thread, nullptr, serve, nullptr) == 0);
  cancel(thread, in_report);
  CHECK(aclrtUnSubscribeReport(static_cast<uint64_t>(thread), stream) == 0);

  static std::atomic<bool> open{false};
  const auto hold = [](void*) {
    while (!open) std::this_thread::yield();
  };
  CHECK(aclrtLaunchHostFunc(stream, hold, nullptr) == 0);
  const auto wait = [](void*) -> void* {
    CHECK(aclrtSetDevice(0) == 0);
    in_wait.Begins();
    aclrtSynchronizeStream(stream);
    return nullptr;
  };
  CHECK(pthread_create(&thread, nullptr, wait, nullptr) == 0);
  cancel(thread, in_wait);
  CHECK(aclrtMemsetAsync(memory, 1000, 9, 1000, stream) == 0);
  open = true;
  CHECK(aclrtSynchronizeStream(stream) == 0);
  return kStatus;
}

// Makes the calls on a thread of its own, which is cancelled at their beginning or within them:
// they come to their end all the same, and then the thread's end comes.
void CallCancelled(void (*calls)()) {
  static void (*made)() = nullptr;
  static bool finished = false;
  made = calls;
  finished = false;
  const auto body = [](void*) -> void* {
    CHECK(aclrtSetDevice(0) == 0);
    made();
    finished = true;
    pthread_testcancel();
    return nullptr;
  };
  pthread_t thread;
  CHECK(pthread_create(&thread, nullptr, body, nullptr) == 0);
  void* result = nullptr;
  CHECK(pthread_join(thread, &result) == 0);
  CHECK(finished && result == PTHREAD_CANCELED);
}

void CancelThisThread() { CHECK(pthread_cancel(pthread_self()) == 0); }
// What a function of the program does that writes or sleeps.
void CancelThisThreadAndCall() {
  CancelThisThread();
  pthread_testcancel();
}

int CancelCalls() {
  Start();
  static aclrtStream other = nullptr;
  static std::atomic<bool> reached{false};
  const auto hold = [](void*) { std::this_thread::sleep_for(std::chrono::milliseconds(10)); };

  // The stream is as good as new after its abort.
  Launch([](void*) {
    reached = true;
    while (aclimb_cancelled() == 0) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return 0;
  });
  while (!reached) std::this_thread::yield();
  CallCancelled([] {
    CancelThisThread();
    CHECK(aclrtStreamAbort(stream) == 0);
  });
  CHECK(aclrtSynchronizeStream(stream) == 0);
  Launch([](void*) { return aclimb_cancelled() == 0 ? 0 : -1; });
  CHECK(aclrtMemsetAsync(memory, 1000, 9, 1000, stream) == 0);
  CHECK(aclrtSynchronizeStream(stream) == 0);

  // Nothing is copied into the memory later.
  CHECK(aclrtLaunchHostFunc(stream, hold, nullptr) == 0);
  CallCancelled([] {
    CancelThisThread();
    char host[1000] = {};
    CHECK(aclrtMemcpyAsync(host, 1000, memory, 1000, ACL_MEMCPY_DEVICE_TO_HOST, stream) == 0);
    CHECK(host[999] == 9);
  });

  CHECK(aclrtCreateStream(&other) == 0);
  CHECK(aclrtLaunchHostFunc(other, hold, nullptr) == 0);
  CallCancelled([] {
    CancelThisThread();
    CHECK(aclrtDestroyStream(other) == 0);
  });

  CallCancelled([] {
    const auto self = static_cast<uint64_t>(pthread_self());
    CHECK(aclrtSubscribeReport(self, stream) == 0);
    CHECK(aclrtLaunchCallback([](void*) { CancelThisThreadAndCall(); }, nullptr, ACL_CALLBACK_BLOCK,
                              stream) == 0);
    CHECK(aclrtProcessReport(-1) == 0);
    CHECK(aclrtUnSubscribeReport(self, stream) == 0);
  });
  CHECK(aclrtSynchronizeStream(stream) == 0);

  CHECK(aclrtSetExceptionInfoCallback([](aclrtExceptionInfo*) { CancelThisThreadAndCall(); }) == 0);
  Launch([](void*) { return -1; });
  CallCancelled([] { CHECK(aclrtSynchronizeStream(stream) != 0); });

  // Messages, logs and tools write.
  CallCancelled([] {
    CancelThisThread();
    CHECK(aclrtFree(nullptr) != 0);
    ACL_APP_LOG(ACL_ERROR, "a line");
    CHECK(aclGetRecentErrMsg() != nullptr);
  });

  CHECK(aclrtLaunchHostFunc(stream, hold, nullptr) == 0);
  CallCancelled([] {
    CancelThisThread();
    CHECK(aclrtResetDevice(0) == 0);
  });
  return kStatus;
}

int NoAddressSpace() {
  rlimit limit = {size_t{400} << 20, size_t{400} << 20};
  CHECK(setrlimit(RLIMIT_AS, &limit) == 0);
  Start();
  CHECK(aclrtMemset(memory, 1000, 0x42, 1000) == 0);
  uint8_t copy[1000];
  CHECK(aclrtMemcpy(copy, 1000, memory, 1000, ACL_MEMCPY_DEVICE_TO_HOST) == 0);
  CHECK(copy[999] == 0x42);
  CHECK(aclrtFree(memory) == 0);
  CHECK(aclrtFree(memory) == ACL_ERROR_RT_PARAM_INVALID);
  return kStatus;
}

// What the process has of the memory that RLIMIT_DATA counts.
uint64_t DataBytes() {
  FILE* const file = std::fopen("/proc/self/statm", "r");
  CHECK(file != nullptr);
  unsigned long long pages[6] = {};
  CHECK(std::fscanf(file, "%llu %llu %llu %llu %llu %llu", &pages[0], &pages[1], &pages[2],
                    &pages[3], &pages[4], &pages[5]) == 6);
  std::fclose(file);
  return pages[5] * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

void SetSoftLimit(decltype(RLIMIT_AS) resource, uint64_t bytes) {
  rlimit limit;
  CHECK(getrlimit(resource, &limit) == 0);
  limit.rlim_cur = bytes;
  CHECK(setrlimit(resource, &limit) == 0);
}

// The device has the memory, but the process may not have it.
int NoData() {
  Start();
  SetSoftLimit(RLIMIT_DATA, DataBytes() + (uint64_t{32} << 20));
  void* address = nullptr;
  // The system is asked for less where it refuses a step that is larger than what is needed.
  CHECK(aclrtMalloc(&address, uint64_t{8} << 20, ACL_MEM_MALLOC_HUGE_FIRST) == 0);
  const int code = aclrtMalloc(&address, uint64_t{256} << 20, ACL_MEM_MALLOC_HUGE_FIRST);
  std::fprintf(stderr, "%d %s\n", code, aclGetRecentErrMsg());
  const int host = aclrtMallocHost(&address, uint64_t{256} << 20);
  std::fprintf(stderr, "%d %s\n", host, aclGetRecentErrMsg());
  // This the device has not.
  const int full = aclrtMalloc(&address, uint64_t{2} << 30, ACL_MEM_MALLOC_HUGE_FIRST);
  std::fprintf(stderr, "%d %s\n", full, aclGetRecentErrMsg());
  SetSoftLimit(RLIMIT_DATA, RLIM_INFINITY);
  CHECK(aclrtMalloc(&address, uint64_t{256} << 20, ACL_MEM_MALLOC_HUGE_FIRST) == 0);
  return kStatus;
}

int Devices() {
  uint32_t count = 0;
  CHECK(aclrtGetDeviceCount(&count) == 0);
  std::fprintf(stderr, "%u devices\n", count);
  return kStatus;
}

int Log() {
  ACL_APP_LOG(ACL_INFO, "an info line %d", 1);
  ACL_APP_LOG(ACL_ERROR, "an error line %d", 2);
  ACL_APP_LOG(ACL_ERROR, "%s", std::string(5000, 'y').c_str());
  return kStatus;
}

}  // namespace

int main(int argc, char** argv) {
  const std::map<std::string, int (*)()> modes = {
      {"leave", LeaveEverything},
      {"running", LeaveRunning},
      {"callback", LeaveCallback},
      {"dereference", Dereference},
      {"freed", DereferenceFreed},
      {"own-handler", OwnHandler},
      {"null", NullDereference},
      {"host-access", HostAccess},
      {"late", LateUse},
      {"exit-callback", ExitInCallback},
      {"exit-task", ExitInTask},
      {"dlopen", OpenAndClose},
      {"soc", UnknownSoc},
      {"strict", Strict},
      {"blocking", LaunchBlocking},
      {"cancelled", CancelWaits},
      {"cancelled-calls", CancelCalls},
      {"no-address-space", NoAddressSpace},
      {"no-data", NoData},
      {"devices", Devices},
      {"log", Log},
  };
  const auto mode = modes.find(argc > 1 ? argv[1] : "");
  return mode == modes.end() ? 97 : mode->second();
}
