// A program whose streams wait for each other as its mode says. Prints what it finds at the end.

#include <acl/acl.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <thread>
#include <vector>

namespace {

void Must(aclError code, const char* what) {
  if (code == ACL_SUCCESS) return;
  std::fprintf(stderr, "%s gives %d: %s\n", what, code, aclGetRecentErrMsg());
  std::exit(3);
}
#define MUST(call) Must(call, #call)

constexpr size_t kBytes = 64;

struct Stream {
  Stream() { MUST(aclrtCreateStream(&handle)); }
  ~Stream() { MUST(aclrtDestroyStream(handle)); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  void Synchronize() const { MUST(aclrtSynchronizeStream(handle)); }
  aclrtStream handle = nullptr;
};

struct Memory {
  Memory() {
    MUST(aclrtMalloc(&address, kBytes, ACL_MEM_MALLOC_HUGE_FIRST));
    MUST(aclrtMemset(address, kBytes, 0, kBytes));
  }
  ~Memory() { MUST(aclrtFree(address)); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  void Fill(int value, const Stream& stream) const {
    MUST(aclrtMemsetAsync(address, kBytes, value, kBytes, stream.handle));
  }
  void CopyFrom(const Memory& other, const Stream& stream) const {
    MUST(aclrtMemcpyAsync(address, kBytes, other.address, kBytes, ACL_MEMCPY_DEVICE_TO_DEVICE,
                          stream.handle));
  }
  int First() const {
    unsigned char value = 0;
    MUST(aclrtMemcpy(&value, 1, address, 1, ACL_MEMCPY_DEVICE_TO_HOST));
    return value;
  }
  void* address = nullptr;
};

// One stream fills, another copies what it filled, a third does something else.
void Chain(bool waits) {
  const Stream fills;
  const Stream copies;
  const Stream other;
  const Memory x;
  const Memory y;
  const Memory z;
  aclrtEvent filled = nullptr;
  MUST(aclrtCreateEvent(&filled));
  for (int i = 1; i <= 5; ++i) {
    z.Fill(10 * i, other);
    x.Fill(i, fills);
    MUST(aclrtRecordEvent(filled, fills.handle));
    if (waits) MUST(aclrtStreamWaitEvent(copies.handle, filled));
    y.CopyFrom(x, copies);
    copies.Synchronize();
    std::printf("%d\n", y.First());
  }
  fills.Synchronize();
  other.Synchronize();
  std::printf("%d %d\n", x.First(), z.First());
  MUST(aclrtDestroyEvent(filled));
}

// Waits by asking, never by a wait.
void Asks() {
  const Stream stream;
  const Memory x;
  aclrtEvent event = nullptr;
  MUST(aclrtCreateEvent(&event));
  for (int i = 1; i <= 3; ++i) {
    x.Fill(i, stream);
    MUST(aclrtRecordEvent(event, stream.handle));
    aclrtEventRecordedStatus status = ACL_EVENT_RECORDED_STATUS_NOT_READY;
    while (status != ACL_EVENT_RECORDED_STATUS_COMPLETE) {
      MUST(aclrtQueryEventStatus(event, &status));
    }
    std::printf("%d\n", x.First());
    x.Fill(i + 10, stream);
    aclrtStreamStatus done = ACL_STREAM_STATUS_NOT_READY;
    while (done != ACL_STREAM_STATUS_COMPLETE) MUST(aclrtStreamQuery(stream.handle, &done));
    std::printf("%d\n", x.First());
    x.Fill(i + 20, stream);
    MUST(aclrtRecordEvent(event, stream.handle));
    uint64_t microseconds = 0;
    aclError code = ACL_ERROR_RT_EVENT_NOT_COMPLETE;
    while (code == ACL_ERROR_RT_EVENT_NOT_COMPLETE) {
      code = aclrtEventGetTimestamp(event, &microseconds);
    }
    MUST(code);
    std::printf("%d\n", x.First());
  }
  MUST(aclrtDestroyEvent(event));
}

// Waits for what the stream does where the runtime cannot see it; nor does the thread sanitizer.
__attribute__((no_sanitize("thread"))) void Watches() {
  const Stream stream;
  const Memory x;
  void* host = nullptr;
  MUST(aclrtMallocHost(&host, kBytes));
  auto* flag = static_cast<volatile unsigned char*>(host);
  *flag = 0;
  x.Fill(7, stream);
  MUST(aclrtMemcpyAsync(host, kBytes, x.address, kBytes, ACL_MEMCPY_DEVICE_TO_HOST, stream.handle));
  while (*flag == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  std::printf("%d\n", *flag);
  stream.Synchronize();
  MUST(aclrtFreeHost(host));
}

void Callbacks() {
  const Stream stream;
  const Stream other;
  const Memory x;
  std::atomic<bool> over{false};
  std::thread reports([&] {
    while (!over) aclrtProcessReport(10);
  });
  static_assert(sizeof(std::thread::native_handle_type) == sizeof(uint64_t));
  MUST(aclrtSubscribeReport(static_cast<uint64_t>(reports.native_handle()), stream.handle));
  int calls = 0;
  for (int i = 1; i <= 4; ++i) {
    x.Fill(i, other);
    MUST(aclrtLaunchCallback([](void* count) { ++*static_cast<int*>(count); }, &calls,
                             ACL_CALLBACK_BLOCK, stream.handle));
  }
  stream.Synchronize();
  other.Synchronize();
  std::printf("%d %d\n", calls, x.First());
  MUST(aclrtUnSubscribeReport(static_cast<uint64_t>(reports.native_handle()), stream.handle));
  over = true;
  reports.join();
}

// A thread is cancelled while it does this over and over.
void CancelIn(const std::function<void()>& work) {
  const auto repeat = [](void* todo) -> void* {
    MUST(aclrtSetDevice(0));
    for (;; pthread_testcancel()) (*static_cast<const std::function<void()>*>(todo))();
    return nullptr;
  };
  const auto zero = [](int code) { return code == 0 ? ACL_SUCCESS : ACL_ERROR_FAILURE; };
  pthread_t thread;
  MUST(zero(pthread_create(&thread, nullptr, repeat, const_cast<std::function<void()>*>(&work))));
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  MUST(zero(pthread_cancel(thread)));
  MUST(zero(pthread_join(thread, nullptr)));
}

// Threads are cancelled while they wait for tasks, and for a callback that waits for the program.
void Cancels() {
  const Stream stream;
  constexpr size_t kLong = size_t{16} << 20;
  void* memory = nullptr;
  MUST(aclrtMalloc(&memory, kLong, ACL_MEM_MALLOC_HUGE_FIRST));
  CancelIn([&] {
    MUST(aclrtMemsetAsync(memory, kLong, 1, kLong, stream.handle));
    stream.Synchronize();
  });
  MUST(aclrtFree(memory));
  std::atomic<bool> serves{false}, over{false};
  std::thread reports([&] {
    while (!serves) std::this_thread::yield();
    while (!over) aclrtProcessReport(10);
  });
  const auto id = static_cast<uint64_t>(reports.native_handle());
  MUST(aclrtSubscribeReport(id, stream.handle));
  MUST(aclrtLaunchCallback([](void*) {}, nullptr, ACL_CALLBACK_BLOCK, stream.handle));
  CancelIn([&] { stream.Synchronize(); });
  serves = true;
  stream.Synchronize();
  MUST(aclrtUnSubscribeReport(id, stream.handle));
  over = true;
  reports.join();
  // Nobody waits in a call any more, which this needs.
  Watches();
}

void Threads() {
  const Memory x[3];
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&x, i] {
      MUST(aclrtSetDevice(0));
      const Stream stream;
      for (int turn = 1; turn <= 20; ++turn) {
        x[i].Fill(turn, stream);
        if (turn % 5 == 0) stream.Synchronize();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::printf("%d %d %d\n", x[0].First(), x[1].First(), x[2].First());
}

// Every thread waits for markers that any of the threads may make happen.
void Events() {
  std::vector<std::thread> threads;
  std::atomic<int> waits{0};
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&waits] {
      MUST(aclrtSetDevice(0));
      const Stream stream;
      const Memory x;
      aclrtEvent event = nullptr;
      MUST(aclrtCreateEvent(&event));
      for (int turn = 1; turn <= 200; ++turn) {
        x.Fill(turn, stream);
        MUST(aclrtRecordEvent(event, stream.handle));
        MUST(aclrtSynchronizeEvent(event));
        ++waits;
      }
      MUST(aclrtDestroyEvent(event));
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::printf("%d\n", waits.load());
}

// What fails is told with the number that the program got for it.
void Fails() {
  const Stream stream;
  const Memory x;
  x.Fill(1, stream);
  x.Fill(2, stream);
  const aclError code = aclrtSynchronizeStream(stream.handle);
  const char* said = aclGetRecentErrMsg();
  const char* task = said == nullptr ? nullptr : std::strstr(said, "task ");
  std::printf("%d %.6s %d\n", code, task == nullptr ? "" : task, x.First());
}

void Aborts() {
  const Stream stream;
  const Memory x;
  for (int i = 1; i <= 5; ++i) x.Fill(i, stream);
  MUST(aclrtStreamAbort(stream.handle));
  x.Fill(9, stream);
  stream.Synchronize();
  std::printf("%d\n", x.First());
  // Destroyed with work that has not started.
  aclrtStream left = nullptr;
  MUST(aclrtCreateStream(&left));
  MUST(aclrtMemsetAsync(x.address, kBytes, 11, kBytes, left));
  MUST(aclrtDestroyStream(left));
  std::printf("%d\n", x.First());
}

}  // namespace

int main(int argc, char** argv) {
  const char* mode = argc > 1 ? argv[1] : "";
  if (std::strcmp(mode, "nothing") == 0) return 0;
  if (std::strcmp(mode, "forks") == 0) {
    const pid_t child = fork();
    if (child == 0) std::exit(0);
    waitpid(child, nullptr, 0);
  }
  MUST(aclInit(nullptr));
  MUST(aclrtSetDevice(0));
  if (std::strcmp(mode, "chain") == 0) Chain(/*waits=*/true);
  if (std::strcmp(mode, "broken") == 0) Chain(/*waits=*/false);
  if (std::strcmp(mode, "asks") == 0) Asks();
  if (std::strcmp(mode, "watches") == 0) Watches();
  if (std::strcmp(mode, "callbacks") == 0) Callbacks();
  if (std::strcmp(mode, "cancels") == 0) Cancels();
  if (std::strcmp(mode, "threads") == 0) Threads();
  if (std::strcmp(mode, "events") == 0) Events();
  if (std::strcmp(mode, "fails") == 0) Fails();
  if (std::strcmp(mode, "aborts") == 0) Aborts();
  if (std::strcmp(mode, "crash") == 0) std::abort();
  if (std::strcmp(mode, "refused") == 0) {
    // The checker notes that nobody asks why.
    void* none = nullptr;
    if (aclrtMalloc(&none, 0, ACL_MEM_MALLOC_HUGE_FIRST) == ACL_SUCCESS) std::abort();
  }
  if (std::strcmp(mode, "leaks") == 0) {
    void* kept = nullptr;
    MUST(aclrtMalloc(&kept, kBytes, ACL_MEM_MALLOC_HUGE_FIRST));
  }
  MUST(aclrtResetDevice(0));
  MUST(aclFinalize());
  return 0;
}
