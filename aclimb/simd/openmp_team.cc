#include "aclimb/simd/openmp_team.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <deque>
#include <limits>
#include <optional>
#include <string_view>
#include <system_error>

#include "aclimb/core/fork.h"
#include "aclimb/core/futex.h"
#include "aclimb/core/parse.h"
#include "aclimb/core/quiet_thread.h"
#include "aclimb/core/stack.h"
#include "aclimb/simd/parallel.h"

// libgomp's stable binary interface, whatever compiler builds us: clang's -fopenmp would bring a
// second runtime beside the one that oneDNN uses, and the header is gcc's alone.
extern "C" {
void GOMP_parallel(void (*body)(void*), void* data, unsigned num_threads, unsigned flags);
int omp_get_dynamic();
int omp_get_max_active_levels();
int omp_get_max_threads();
int omp_get_num_procs();
int omp_get_num_threads();
int omp_get_thread_limit();
int omp_get_thread_num();
void omp_set_dynamic(int on);
void omp_set_max_active_levels(int levels);
void omp_set_num_threads(int threads);
}

namespace aclimb {
namespace {

// Bytes of OMP_STACKSIZE, in KiB unless a letter says otherwise; 0 where nobody set it.
size_t ChosenStackBytes() {
  for (const char* name : {"OMP_STACKSIZE", "GOMP_STACKSIZE"}) {
    const char* const text = std::getenv(name);
    if (text == nullptr) continue;
    std::string_view value(text);
    while (!value.empty() && value.front() == ' ') value.remove_prefix(1);
    while (!value.empty() && value.back() == ' ') value.remove_suffix(1);
    int shift = 10;
    if (!value.empty()) {
      constexpr std::string_view kUnits = "bkmg";
      const size_t unit = kUnits.find(static_cast<char>(value.back() | 0x20));
      if (unit != std::string_view::npos) {
        shift = static_cast<int>(unit) * 10;
        value.remove_suffix(1);
      }
    }
    while (!value.empty() && value.back() == ' ') value.remove_suffix(1);
    uint64_t count;
    // The runtime ignores what it cannot read.
    if (ParseWhole(value, &count) && count << shift >> shift == count) return count << shift;
  }
  return 0;
}

// Read while the library is loaded, as the runtime does: what the program writes to its environment
// later does not change the runtime, and reading would race with the writing.
const size_t chosen_stack_bytes = ChosenStackBytes();
const bool waits_are_chosen =
    std::getenv("OMP_WAIT_POLICY") != nullptr || std::getenv("GOMP_SPINCOUNT") != nullptr;

// The stack of the runtime's threads; without a choice the default of the process, which its limit
// of stacks decides.
size_t StackBytes() {
  if (chosen_stack_bytes != 0) return chosen_stack_bytes;
  pthread_attr_t attributes;
  if (pthread_getattr_default_np(&attributes) != 0) return QuietThread::kStackBytes;
  size_t bytes = 0;
  pthread_attr_getstacksize(&attributes, &bytes);
  pthread_attr_destroy(&attributes);
  return bytes;
}

// Threads that do nothing. They have ended when the object has, for the system's counts too.
class IdleThreads {
 public:
  IdleThreads() = default;
  ~IdleThreads() {
    ended_.store(1, std::memory_order_release);
    FutexWake(ended_, std::numeric_limits<int>::max());
    for (Idle& idle : threads_) {
      if (!idle.thread.has_value()) continue;
      idle.thread->Join();
      // A thread is counted for a moment after its end.
      while (tgkill(getpid(), idle.id, 0) == 0) sched_yield();
    }
  }
  IdleThreads(const IdleThreads&) = delete;
  IdleThreads& operator=(const IdleThreads&) = delete;

  void Start() {
    Idle& idle = threads_.emplace_back();
    idle.thread.emplace(
        [this, &idle] {
          idle.id = gettid();
          while (ended_.load(std::memory_order_acquire) == 0) FutexWait(ended_, 0);
        },
        StackBytes());
  }

 private:
  struct Idle {
    std::optional<QuietThread> thread;
    pid_t id = 0;
  };
  std::atomic<uint32_t> ended_{0};
  std::deque<Idle> threads_;
};

// How many of `count` threads the system starts, all of them alive at once; `error` is the reason
// of the first refusal.
int Startable(int count, int* error) {
  *error = 0;
  IdleThreads threads;
  for (int started = 0; started < count; ++started) {
    try {
      threads.Start();
    } catch (const std::system_error& refused) {
      *error = refused.code().value();
      return started;
    }
  }
  return count;
}

// The largest team whose threads the system has started once.
constinit std::atomic<int> proven_threads{1};
// When the system last refused a larger one. Asking in vain at each call would cost more than most
// calls.
constinit std::atomic<std::chrono::steady_clock::time_point> refused_at{};
constexpr auto kThreadsRetry = std::chrono::milliseconds(100);

// A child of fork may have other limits.
class ProvenForkPart final : public ForkPart {
 public:
  bool TryLock(bool) override { return true; }
  void Unlock() override {}
  void Renew(bool) override {
    proven_threads.store(1, std::memory_order_relaxed);
    refused_at.store({}, std::memory_order_relaxed);
  }
};
ProvenForkPart proven_fork_part;

// Of this thread, with itself.
thread_local int pool_threads = 1;

// Throws where the system does not start `count` threads now.
void AskForThreads(int count) {
  int error;
  if (Startable(count, &error) < count) {
    throw std::system_error(error, std::generic_category(), "pthread_create");
  }
}

// Has the runtime start its threads, which then stay with this thread.
void StartPool(int threads) {
  AskForThreads(threads - 1);
  std::atomic<int> members{0};
  GOMP_parallel(
      [](void* data) {
        static_cast<std::atomic<int>*>(data)->store(omp_get_num_threads(),
                                                    std::memory_order_relaxed);
      },
      &members, static_cast<unsigned>(threads), 0);
  pool_threads = members.load(std::memory_order_relaxed);
  if (pool_threads != threads) {
    throw std::system_error(EAGAIN, std::generic_category(), "an OpenMP region of fewer threads");
  }
  ShortenOpenMpWaits();
}

// As many as the runtime's settings allow.
int MostOpenMpThreads() {
#if defined(ACLIMB_ONE_OPENMP_THREAD)
  return 1;
#else
  return StackBytes() < kKernelStackBytes ? 1 : omp_get_thread_limit();
#endif
}

}  // namespace

int OpenMpThreads(int wanted) {
  const int threads = std::min(wanted, MostOpenMpThreads());
  if (threads <= 1) return 1;
  int proven = proven_threads.load(std::memory_order_relaxed);
  if (threads <= proven) return threads;
  const auto now = std::chrono::steady_clock::now();
  if (now < refused_at.load(std::memory_order_relaxed) + kThreadsRetry) return proven;
  // One more than the team takes beside this thread: it may be the engine's thread that is still to
  // start.
  int error;
  const int started = std::max(1, Startable(threads, &error));
  if (started < threads) refused_at.store(now, std::memory_order_relaxed);
  while (proven < started && !proven_threads.compare_exchange_weak(proven, started)) {
  }
  return std::max(proven, started);
}

// libgomp's manual (GOMP_SPINCOUNT) has one way to a shorter wait that a library can take: while
// the process has more OpenMP threads than processors, they spin a hundred times and then sleep. A
// team of all processors and a second one of two threads, both of which sleep for ever, are that
// many.
void ShortenOpenMpWaits() noexcept {
  static std::atomic<bool> asked{false};
  if (asked.load(std::memory_order_relaxed) || asked.exchange(true)) return;
  if (waits_are_chosen || MostOpenMpThreads() < 2) return;
  try {
    // Beside these two the engine, the team and oneDNN's threads must still find room. Large teams
    // make do with fewer.
    AskForThreads(2 + 2 * std::min(TeamSize(), 8));
    const QuietThread sleeper([] {
      // Its team has the name too.
      (void)pthread_setname_np(pthread_self(), "aclimb-openmp");
      omp_set_dynamic(0);
      omp_set_max_active_levels(1);
      GOMP_parallel([](void*) {}, nullptr, 2, 0);
      static const std::atomic<uint32_t> for_ever{0};
      for (;;) FutexWait(for_ever, 0);
    });
  } catch (...) {  // The system has no thread or no memory now: the waits stay long.
  }
}

OpenMpSettings::OpenMpSettings(int threads)
    : threads_(omp_get_max_threads()),
      dynamic_(omp_get_dynamic()),
      levels_(omp_get_max_active_levels()) {
  if (threads_ != threads) omp_set_num_threads(threads);
  if (dynamic_ != 0) omp_set_dynamic(0);
  if (levels_ < 1) omp_set_max_active_levels(1);
}

OpenMpSettings::~OpenMpSettings() {
  if (omp_get_max_threads() != threads_) omp_set_num_threads(threads_);
  if (dynamic_ != 0) omp_set_dynamic(dynamic_);
  if (levels_ < 1) omp_set_max_active_levels(levels_);
}

OpenMpScope::OpenMpScope(int threads) : settings_(threads) {
  if (threads > 1 && pool_threads != threads) StartPool(threads);
}

bool RunOnOpenMpTeam(int wanted, void (*body)(void* context, int member), void* context) {
  struct Region {
    void (*body)(void* context, int member);
    void* context;
  } region = {body, context};
  // The threads that stay with this one will do: another number would end some or start more.
  const int threads = pool_threads > 1 ? pool_threads : OpenMpThreads(wanted);
  if (threads == 1) return false;
  try {
    const OpenMpScope scope(threads);
    GOMP_parallel(
        [](void* data) {
          const auto& mine = *static_cast<const Region*>(data);
          mine.body(mine.context, omp_get_thread_num());
        },
        &region, static_cast<unsigned>(threads), 0);
  } catch (const std::system_error&) {
    return false;
  }
  return true;
}

}  // namespace aclimb
