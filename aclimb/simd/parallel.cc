#include "aclimb/simd/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>

#include "aclimb/core/cores.h"
#include "aclimb/core/divide.h"

#if defined(ACLIMB_STD_THREAD_TEAM)
#include <condition_variable>
#include <mutex>
#include <vector>
#else
// The team is libgomp's, whatever compiler builds us: clang's -fopenmp would bring a second runtime
// beside the one that oneDNN uses. These two are libgomp's stable binary interface.
extern "C" void GOMP_parallel(void (*body)(void*), void* data, unsigned num_threads,
                              unsigned flags);
extern "C" int omp_get_thread_num();
extern "C" int omp_get_num_threads();
#endif

namespace aclimb {
namespace {

std::atomic<int> team_size{0};
std::atomic<int (*)()> cancel_query{nullptr};
std::atomic<SharedRun> shared_run{nullptr};
// Found without a call, as every thread-local variable that each run reads.
[[gnu::tls_model("initial-exec")]] thread_local bool stays_serial = false;

struct Job {
  int64_t count;
  int64_t grain;
  parallel_internal::Body body;
  void* context;
  std::atomic<int64_t> claimed{0};  // pieces, when ends meet
  std::atomic<bool> stop{false};
  std::atomic<bool> failed{false};
  std::exception_ptr error = nullptr;  // the first one
  const std::thread::id caller = std::this_thread::get_id();

  int64_t Pieces() const { return CeilDivide(count, grain); }

  // Each thread takes one contiguous share of the pieces, so that it streams through its own
  // memory.
  void RunShare(int index, int team) noexcept {
    Guarded([&] {
      const int64_t pieces = Pieces();
      const int64_t last = pieces * (index + 1) / team;
      for (int64_t piece = pieces * index / team; piece < last; ++piece) {
        if (!RunPiece(piece, index == 0)) return;
      }
    });
  }

  // Two threads at most, from the first piece up and from the last one down, until they meet.
  void RunFromEnd(int end) noexcept {
    Guarded([&] {
      const bool asks = std::this_thread::get_id() == caller;
      const int64_t pieces = Pieces();
      for (int64_t mine = 0; claimed.fetch_add(1, std::memory_order_relaxed) < pieces; ++mine) {
        if (!RunPiece(end == 0 ? mine : pieces - 1 - mine, asks)) return;
      }
    });
  }

 private:
  // An exception must not leave the team's region.
  template <typename F>
  void Guarded(F&& run) noexcept {
    try {
      run();
    } catch (...) {
      if (!failed.exchange(true)) error = std::current_exception();
      stop.store(true, std::memory_order_relaxed);
    }
  }

  // False when the loop stops.
  bool RunPiece(int64_t piece, bool asks) {
    if (stop.load(std::memory_order_relaxed)) return false;
    if (asks && IsCancelled()) {
      stop.store(true, std::memory_order_relaxed);
      return false;
    }
    const int64_t begin = piece * grain;
    body(context, begin, std::min(count, begin + grain));
    return true;
  }
};

#if defined(ACLIMB_STD_THREAD_TEAM)

// A team the thread sanitizer can see through: persistent std::threads, one job at a time.
class ThreadTeam {
 public:
  void Run(Job& job, int team) {
    std::lock_guard<std::mutex> one_job(job_mutex_);
    {
      std::lock_guard<std::mutex> lock(mutex_);
      while (static_cast<int>(workers_.size()) < team - 1) {
        const int index = static_cast<int>(workers_.size()) + 1;
        workers_.emplace_back([this, index] { Loop(index); });
      }
      job_ = &job;
      team_ = team;
      pending_ = team - 1;
      ++round_;
    }
    wake_.notify_all();
    job.RunShare(0, team);
    std::unique_lock<std::mutex> lock(mutex_);
    done_.wait(lock, [this] { return pending_ == 0; });
    job_ = nullptr;
  }

 private:
  void Loop(int index) {
    uint64_t seen = 0;
    std::unique_lock<std::mutex> lock(mutex_);
    for (;;) {
      wake_.wait(lock, [&] { return round_ != seen && job_ != nullptr; });
      seen = round_;
      if (index >= team_) continue;
      Job* job = job_;
      const int team = team_;
      lock.unlock();
      job->RunShare(index, team);
      lock.lock();
      if (--pending_ == 0) done_.notify_all();
    }
  }

  std::mutex job_mutex_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable done_;
  std::vector<std::thread> workers_;
  Job* job_ = nullptr;
  int team_ = 0;
  int pending_ = 0;
  uint64_t round_ = 0;
};

void RunTeam(Job& job, int team) {
  static ThreadTeam* const threads = new ThreadTeam;  // leaked: its threads outlive main
  threads->Run(job, team);
}

#else

void RunTeam(Job& job, int team) {
  // The runtime may grant fewer threads than asked for; the shares follow what it granted.
  GOMP_parallel(
      [](void* data) {
        static_cast<Job*>(data)->RunShare(omp_get_thread_num(), omp_get_num_threads());
      },
      &job, static_cast<unsigned>(team), 0);
}

#endif

}  // namespace

int TeamSize() {
  int size = team_size.load(std::memory_order_relaxed);
  if (size == 0) {
    size = CoreCount();
    team_size.store(size, std::memory_order_relaxed);
  }
  return size;
}

void SetTeamSize(int threads) {
  team_size.store(threads < 1 ? CoreCount() : threads, std::memory_order_relaxed);
}

void SetSharedRun(SharedRun run) { shared_run.store(run, std::memory_order_release); }

void SetCancelQuery(int (*query)()) { cancel_query.store(query, std::memory_order_release); }

bool IsCancelled() {
  const auto query = cancel_query.load(std::memory_order_acquire);
  return query != nullptr && query() != 0;
}

SerialScope::SerialScope(bool serial) : before_(stays_serial) {
  stays_serial = stays_serial || serial;
}

SerialScope::~SerialScope() { stays_serial = before_; }

namespace parallel_internal {

bool Run(int64_t count, int64_t grain, Body body, void* context) {
  if (count <= 0) return true;
  if (count <= grain) {
    if (IsCancelled()) return false;
    body(context, 0, count);
    return true;
  }
  Job job{count, std::max<int64_t>(1, grain), body, context};
  const int team = static_cast<int>(std::min<int64_t>(TeamSize(), job.Pieces()));
  const SharedRun share = shared_run.load(std::memory_order_acquire);
  if (team > 1 && !stays_serial) {
    RunTeam(job, team);
  } else if (team > 1 && share != nullptr) {
    share(
        [](void* data, int part) {
          const SerialScope serial(true);
          static_cast<Job*>(data)->RunFromEnd(part);
        },
        &job);
  } else {
    job.RunShare(0, 1);
  }
  if (job.error != nullptr) std::rethrow_exception(job.error);
  return !job.stop.load(std::memory_order_relaxed);
}

}  // namespace parallel_internal
}  // namespace aclimb
