#include "tools/schedule/director.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <new>
#include <thread>

#include "aclimb/core/cancel_guard.h"
#include "aclimb/core/codes.h"
#include "aclimb/core/quiet_thread.h"
#include "tools/output_path.h"

namespace aclimb::tools {
namespace {

using Clock = std::chrono::steady_clock;

// A gate or a marker that the queue has come to shows up as soon as a thread has woken up. If not,
// something holds the queue that the director does not follow.
constexpr auto kSoon = std::chrono::milliseconds(2000);
constexpr auto kLong = std::chrono::seconds(10);
// Of a program that asks in a loop, every so many questions make something run.
constexpr int kPatientQuestions = 4;

// Counts a thread of the program that waits, until the wait ends or the thread is cancelled in it.
class Waiting {
 public:
  explicit Waiting(std::atomic<int>* count) : count_(*count) {
    count_.fetch_add(1, std::memory_order_relaxed);
  }
  ~Waiting() { count_.fetch_sub(1, std::memory_order_relaxed); }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

 private:
  std::atomic<int>& count_;
};

// Whether a thread of the process runs, besides the calling one, or would run if the system let it:
// one that waits for a core or for a page does not sleep.
bool AnyOtherThreadRuns() {
  const ForkHold hold;  // or a child had the descriptors too
  DIR* const threads = opendir("/proc/self/task");
  if (threads == nullptr) return false;
  bool runs = false;
  while (const dirent* const thread = runs ? nullptr : readdir(threads)) {
    char name[sizeof(thread->d_name) + 8];
    std::snprintf(name, sizeof(name), "%s/stat", thread->d_name);
    if (std::atoi(thread->d_name) == gettid()) continue;
    const int file = openat(dirfd(threads), name, O_RDONLY | O_CLOEXEC);
    if (file < 0) continue;
    char text[128] = "";
    [[maybe_unused]] const ssize_t bytes = read(file, text, sizeof(text) - 1);
    close(file);
    // As proc(5) has it: the state follows the name, which is in parentheses.
    const char* const name_end = std::strrchr(text, ')');
    runs = name_end != nullptr && (name_end[2] == 'R' || name_end[2] == 'D');
  }
  closedir(threads);
  return runs;
}

}  // namespace

Director::Director(const AclimbBackend& next, std::unique_ptr<Order> order, const char* lines)
    : next_(next), order_(std::move(order)), lines_(lines) {
  lines_.Write(kOrderHeader);
}

// ---- Following the queues ----

Director::Lane* Director::LaneOf(AclimbQueue* queue) {
  for (const auto& lane : lanes_) {
    if (lane->queue == queue) return lane.get();
  }
  return nullptr;
}

int Director::Made(AclimbQueue* queue) noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  try {
    lanes_.push_back(std::make_unique<Lane>(Lane{.queue = queue, .number = last_number_ + 1}));
  } catch (...) {
    return kRtMemoryAllocation;
  }
  ++last_number_;
  return 0;
}

void Director::Push(Lane& lane, Item item) {
  lane.items.push_back(std::move(item));
  ++lane.pushed;
}

// The queue reaches the marker, or waits for it.
void Director::Follow(Lane& lane, AclimbMarker* marker, bool waits) noexcept {
  try {
    Push(lane, Item{nullptr, marker, waits});
    next_.marker_retain(marker);
  } catch (...) {
    // Out of memory: what comes behind it in the queue tells (Skips).
  }
}

void Director::Pop(Lane& lane) {
  const Item item = std::move(lane.items.front());
  lane.items.pop_front();
  ++lane.popped;
  if (item.marker != nullptr) next_.marker_release(item.marker);
  if (item.piece != nullptr && item.piece->after != nullptr) {
    next_.marker_release(item.piece->after);
  }
}

// Of the first item of a queue.
bool Director::IsOver(const Item& item) {
  if (item.piece == nullptr) {
    // A marker that the queue has come to is settled in a moment; one of another queue not.
    if (!item.waits && next_.marker_state(item.marker) == ACLIMB_MARKER_PENDING) {
      next_.marker_wait(item.marker, kSoon.count(), /*take_error=*/0);
    }
    const int state = next_.marker_state(item.marker);
    return item.waits ? state == ACLIMB_MARKER_DONE : state != ACLIMB_MARKER_PENDING;
  }
  const Piece& piece = *item.piece;
  {
    const std::lock_guard<std::mutex> lock(gates_mutex_);
    if (piece.dropped) return true;
  }
  return piece.opened &&
         (piece.after == nullptr || next_.marker_state(piece.after) != ACLIMB_MARKER_PENDING);
}

// Whether the queue has come to a gate further back, so that what is in front is over: a wait whose
// time was up, say.
bool Director::Skips(const Lane& lane) {
  const auto next = std::find_if(lane.items.begin(), lane.items.end(),
                                 [](const Item& item) { return item.piece != nullptr; });
  if (next == lane.items.begin() || next == lane.items.end()) return false;
  const std::lock_guard<std::mutex> lock(gates_mutex_);
  return next->piece->gate != nullptr;
}

void Director::Advance() {
  for (bool again = true; again;) {
    again = false;
    for (const auto& lane : lanes_) {
      while (!lane->items.empty() && (IsOver(lane->items.front()) || Skips(*lane))) {
        Pop(*lane);
        again = true;
      }
    }
  }
}

// ---- Running ----

void Director::GateReached(void* payload, AclimbSuspension* gate) {
  const std::unique_ptr<PieceRef> held(static_cast<PieceRef*>(payload));
  Piece& piece = **held;
  Director& director = *piece.director;
  {
    const std::lock_guard<std::mutex> lock(director.gates_mutex_);
    if (gate == nullptr) {
      piece.dropped = true;
    } else if (!piece.free) {
      piece.gate = gate;
      gate = nullptr;
    }
    director.gates_changed_.notify_all();
  }
  if (gate != nullptr) director.next_.queue_resume(gate);
}

// Now, or when it is reached.
void Director::Open(Piece& piece) {
  AclimbSuspension* gate = nullptr;
  {
    const std::lock_guard<std::mutex> lock(gates_mutex_);
    piece.free = true;
    std::swap(gate, piece.gate);
  }
  piece.opened = true;
  if (gate != nullptr) next_.queue_resume(gate);
}

// From now on the work of the queue goes on by itself.
void Director::Free(Lane& lane) {
  for (const Item& item : lane.items) {
    if (item.piece != nullptr) Open(*item.piece);
  }
}

void Director::Run(Lock& lock, Lane& lane) {
  const PieceRef piece = lane.items.front().piece;
  Open(*piece);
  // A callback ends when the program lets it.
  if (!piece->returns || piece->after == nullptr) return;
  // What follows must not find it half done; what takes this long may wait for the program too.
  // Meanwhile other threads may queue, and abort it.
  AclimbMarker* const after = piece->after;
  next_.marker_retain(after);
  running_ = true;
  lock.unlock();
  next_.marker_wait(after, std::chrono::milliseconds(kLong).count(), /*take_error=*/0);
  next_.marker_release(after);
  lock.lock();
  running_ = false;
}

// Whether the queue stands at a gate that is shut.
bool Director::CanRun(const Lane& lane) {
  if (lane.items.empty() || lane.items.front().piece == nullptr) return false;
  Piece& piece = *lane.items.front().piece;
  if (piece.opened) return false;
  Lock gates(gates_mutex_);
  if (!piece.late) {
    gates_changed_.wait_for(gates, kSoon, [&] { return piece.gate != nullptr || piece.dropped; });
  }
  piece.late = piece.gate == nullptr;
  return piece.gate != nullptr;
}

// Runs one piece of work, if the order says so.
bool Director::Step(Lock& lock, bool must) noexcept try {
  const CancelGuard uncancelled;  // the program's thread may be about to wait
  if (running_) return false;
  Advance();
  std::vector<Front> fronts;
  std::vector<Lane*> lanes;
  for (const auto& lane : lanes_) {
    if (!CanRun(*lane)) continue;
    fronts.push_back(lane->items.front().piece->front);
    lanes.push_back(lane.get());
  }
  const std::optional<size_t> chosen = order_->Next(point_, fronts, must);
  if (!chosen) return false;
  if (lines_.is_open() && !InForkedChild()) {
    lines_.Write(LineOf({point_, fronts[*chosen]}, lanes[*chosen]->items.front().piece->name));
  }
  Run(lock, *lanes[*chosen]);
  Advance();
  return true;
} catch (...) {
  return false;  // Out of memory: nothing more runs in this call.
}

// A call of the program has come to the backend.
void Director::CountCall() {
  calls_.fetch_add(1, std::memory_order_relaxed);
  ++point_;
}

void Director::Point(bool asks) {
  Lock lock(mutex_);
  CountCall();
  questions_ = asks ? questions_ + 1 : 0;
  bool must = questions_ > 0 && questions_ % kPatientQuestions == 0;
  while (Step(lock, must)) must = false;
}

// ---- The program's calls ----

int Director::Add(AclimbQueue* queue, const char* name, bool returns, uint32_t* task_id,
                  const std::function<int(uint32_t*)>& queue_work,
                  const std::function<void()>& drop) {
  Point(/*asks=*/false);
  const std::lock_guard<std::mutex> lock(mutex_);
  StartWatch();
  Lane* lane = LaneOf(queue);
  if (lane == nullptr) return queue_work(task_id);
  PieceRef piece;
  std::unique_ptr<PieceRef> held;
  try {
    piece = std::make_shared<Piece>();
    held = std::make_unique<PieceRef>(piece);
    if (lane->ids.size() == lane->ids.capacity()) lane->ids.reserve(2 * lane->ids.size() + 16);
    Push(*lane, Item{piece, nullptr, false});
  } catch (...) {
    drop();
    return kRtMemoryAllocation;
  }
  piece->front = {lane->number, lane->works + 1};
  piece->name = name;
  piece->returns = returns;
  piece->director = this;
  int code = next_.queue_suspend(queue, &GateReached, held.release(), /*uses_memory=*/0, nullptr);
  if (code != 0) {
    drop();
  } else {
    uint32_t id = 0;
    code = queue_work(&id);
    if (code == 0) {
      ++lane->works;
      if (id != 0) {
        lane->ids.push_back(id);
        if (task_id != nullptr) *task_id = ProgramsId(*lane, id);
      }
      // Without memory for it nobody can tell when the work is done; it runs all the same.
      if (next_.queue_record(queue, &piece->after) != 0) piece->after = nullptr;
      return 0;
    }
    Open(*piece);
  }
  lane->items.pop_back();
  --lane->pushed;
  return code;
}

int Director::Record(AclimbQueue* queue, AclimbMarker** marker) {
  const std::lock_guard<std::mutex> lock(mutex_);
  CountCall();
  Advance();
  const int code = next_.queue_record(queue, marker);
  Lane* lane = LaneOf(queue);
  if (code != 0 || lane == nullptr || lane->items.empty()) return code;
  Follow(*lane, *marker, /*waits=*/false);
  return code;
}

int Director::WaitMarker(AclimbQueue* queue, AclimbMarker* marker, int64_t timeout_ms) {
  const std::lock_guard<std::mutex> lock(mutex_);
  CountCall();
  Advance();
  const int code = next_.queue_wait_marker(queue, marker, timeout_ms);
  Lane* lane = LaneOf(queue);
  if (code != 0 || lane == nullptr || next_.marker_state(marker) == ACLIMB_MARKER_DONE) return code;
  Follow(*lane, marker, /*waits=*/true);
  return code;
}

// Runs work until `done`, and then what the backend's own wait says. `wait` waits for at most the
// given milliseconds, and `timed_out` tells whether its code means that these were too few, or
// corrects it.
template <typename Done, typename WaitFor, typename TimedOut>
int Director::Finish(Lock& lock, int64_t timeout_ms, const Done& done, const WaitFor& wait,
                     const TimedOut& timed_out) {
  CountCall();
  questions_ = 0;
  const auto deadline = Clock::now() + std::chrono::milliseconds(timeout_ms);
  for (;;) {
    bool reached = done();
    while (!reached && (timeout_ms < 0 || Clock::now() < deadline) && Step(lock, /*must=*/true)) {
      reached = done();
    }
    // Where nothing can run, a callback of the program or another thread has to go on first.
    int64_t slice = reached ? 50 : 1;
    if (timeout_ms >= 0) {
      const auto left =
          std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
      slice = std::clamp<int64_t>(left.count(), 0, slice);
    }
    lock.unlock();
    int code = wait(slice);
    lock.lock();
    if (!timed_out(code) || (timeout_ms >= 0 && Clock::now() >= deadline)) return code;
    // What other threads have queued meanwhile may be in the way.
    if (reached) Step(lock, /*must=*/true);
  }
}

int Director::Wait(AclimbQueue* queue, int64_t timeout_ms) {
  const Waiting waits(&waiting_);
  Lock lock(mutex_);
  Lane* const lane = LaneOf(queue);
  const uint64_t target = lane == nullptr ? 0 : lane->pushed;
  const uint32_t aborts = lane == nullptr ? 0 : lane->aborts;
  const auto aborted = [&] {
    const Lane* now = LaneOf(queue);
    return now != nullptr && now->aborts != aborts;
  };
  return Finish(
      lock, timeout_ms,
      [&] {
        const Lane* now = LaneOf(queue);
        return now == nullptr || now->popped >= target;
      },
      [&](int64_t slice) { return next_.queue_wait(queue, slice); },
      [&](int& result) {
        if (aborted()) result = kRtStreamAbort;
        return result == kRtStreamSyncTimeout;
      });
}

int Director::Wait(AclimbMarker* marker, int64_t timeout_ms, int take_error) {
  const Waiting waits(&waiting_);
  Lock lock(mutex_);
  const auto pending = [&] { return next_.marker_state(marker) == ACLIMB_MARKER_PENDING; };
  return Finish(
      lock, timeout_ms, [&] { return !pending(); },
      [&](int64_t slice) { return next_.marker_wait(marker, slice, /*take_error=*/0); },
      [&](int& result) {
        if (pending()) return result == kRtEventSyncTimeout;
        // Another thread may have finished it since; the error of the work may be this code too.
        result = next_.marker_wait(marker, 0, take_error);
        return false;
      });
}

int Director::Abort(AclimbQueue* queue) {
  const int code = next_.queue_abort(queue);
  const std::lock_guard<std::mutex> lock(mutex_);
  Lane* lane = LaneOf(queue);
  if (lane == nullptr) return code;
  ++lane->aborts;
  Free(*lane);
  while (!lane->items.empty()) Pop(*lane);
  return code;
}

int Director::Destroy(AclimbQueue* queue, int drain) {
  Lock lock(mutex_);
  if (drain != 0) {
    while (LaneOf(queue) != nullptr && !LaneOf(queue)->items.empty() && Step(lock, /*must=*/true)) {
    }
  }
  Lane* lane = LaneOf(queue);
  if (lane == nullptr) return next_.queue_destroy(queue, drain);
  std::vector<PieceRef> left;
  for (const Item& item : lane->items) {
    if (item.piece != nullptr) left.push_back(item.piece);
  }
  if (drain != 0) Free(*lane);
  while (!lane->items.empty()) Pop(*lane);
  std::erase_if(lanes_, [&](const auto& other) { return other->queue == queue; });
  lock.unlock();
  const int code = next_.queue_destroy(queue, drain);
  for (const PieceRef& piece : left) Open(*piece);
  return code;
}

// Gates and the markers behind the pieces have numbers too, which the program must not see.
uint32_t Director::ProgramsId(const Lane& lane, uint32_t id) const {
  const auto after = std::upper_bound(lane.ids.begin(), lane.ids.end(), id);
  const auto until = static_cast<uint32_t>(after - lane.ids.begin());
  const bool work = until > 0 && lane.ids[until - 1] == id;
  // A gate before each of them, and a marker behind each but the work itself.
  return id - 2 * until + (work ? 1 : 0);
}

int Director::TakeFailure(AclimbQueue* queue, AclimbTaskFailure* failure) {
  const int taken = next_.queue_take_failure(queue, failure);
  if (taken == 0) return 0;
  const std::lock_guard<std::mutex> lock(mutex_);
  if (const Lane* lane = LaneOf(queue)) failure->task_id = ProgramsId(*lane, failure->task_id);
  return taken;
}

// ---- Forks ----

bool Director::TryLock(bool) {
  if (!mutex_.try_lock()) return false;
  if (gates_mutex_.try_lock()) return true;
  mutex_.unlock();
  return false;
}

void Director::Unlock() {
  gates_mutex_.unlock();
  mutex_.unlock();
}

void Director::Renew(bool locked) {
  if (locked) Unlock();
  new (&mutex_) std::mutex;
  new (&gates_mutex_) std::mutex;
  new (&gates_changed_) std::condition_variable;
  running_ = false;
  watched_ = false;
  waiting_.store(0, std::memory_order_relaxed);
}

// The backend has dropped the work that is left, and with it what the queues waited for.
void Director::Resume() {
  order_->EndRecorded();
  for (const auto& lane : lanes_) {
    while (!lane->items.empty()) Pop(*lane);
  }
}

// ---- The watch ----

void Director::StartWatch() {
  if (watched_) return;
  watched_ = true;
  try {
    QuietThread thread([this] { Watch(); });
  } catch (...) {
    // Only programs that wait where nobody sees it need it.
  }
}

void Director::Watch() {
  constexpr auto kTick = std::chrono::milliseconds(20);
  constexpr int kAsleep = 3;    // ticks without a call, computing, or a thread that could compute
  constexpr int kSilent = 100;  // ticks without a call
  constexpr std::clock_t kResting = CLOCKS_PER_SEC / 500;
  int asleep = 0;
  int silent = 0;
  uint64_t calls_before = 0;
  std::clock_t computed = std::clock();
  for (;;) {
    std::this_thread::sleep_for(kTick);
    const uint64_t calls_now = calls_.load(std::memory_order_relaxed);
    const std::clock_t computed_now = std::clock();
    const bool called = calls_now != calls_before || waiting_.load(std::memory_order_relaxed) != 0;
    silent = called ? 0 : silent + 1;
    const bool busy = called || computed_now - computed > kResting || AnyOtherThreadRuns();
    asleep = busy ? 0 : asleep + 1;
    calls_before = calls_now;
    computed = computed_now;
    if (asleep < kAsleep && silent < kSilent) continue;
    Lock lock(mutex_, std::try_to_lock);
    if (lock.owns_lock()) {
      while (Step(lock, /*must=*/true)) {
      }
    }
    asleep = 0;
    silent = 0;
  }
}

}  // namespace aclimb::tools
