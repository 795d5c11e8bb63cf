#include "aclimb/core/fork.h"

#include <pthread.h>

#include <chrono>
#include <cstdlib>
#include <mutex>
#include <new>
#include <utility>

#include "aclimb/core/spin_lock.h"

namespace aclimb {
namespace {

using Clock = std::chrono::steady_clock;

// Work that runs longer goes on over the fork.
constexpr auto kWorkWait = std::chrono::seconds(2);
// Beyond that only a thread that hangs has a lock.
constexpr auto kLockWait = std::chrono::seconds(5);

constinit std::mutex parts_mutex;
constinit ForkPart* parts = nullptr;
// Which part said no last: it is asked first, while nothing is locked.
constinit ForkPart* reluctant = nullptr;

// ---- Holds ----

constinit std::atomic<int> holds{0};
constinit std::atomic<bool> holds_closed{false};
// Of this thread.
[[gnu::tls_model("initial-exec")]] thread_local int hold_depth = 0;

class HoldsPart final : public ForkPart {
 public:
  bool TryLock(bool) override {
    // Stays closed while this part is waited for, or threads that take turns would keep it.
    holds_closed.store(true);
    return holds.load() == 0;
  }
  void Unlock() override { holds_closed.store(false); }
  void GiveUp() override { holds_closed.store(false); }
  void Renew(bool) override {
    holds.store(0);
    holds_closed.store(false);
  }
};
HoldsPart holds_part;

}  // namespace

// On the thread that forks. One fork at a time.
class ForkHandlers {
 public:
  static void Before() {
    mutex_.lock();
    locked_ = false;
    used_ = ForkParts::used_.load(std::memory_order_relaxed);
    if (!used_) return;
    const auto start = Clock::now();
    for (Backoff backoff;; backoff.Wait()) {
      const auto waited = Clock::now() - start;
      locked_ = ForkParts::TryLock(/*late=*/waited >= kWorkWait);
      if (locked_) return;
      if (waited >= kLockWait) return ForkParts::GiveUp();
    }
  }

  static void InParent() {
    if (locked_) ForkParts::Unlock();
    mutex_.unlock();
  }

  static void InChild() {
    // Another thread may have begun to use the library meanwhile.
    used_ = used_ || ForkParts::used_.load(std::memory_order_relaxed);
    if (used_) ForkParts::Renew(locked_);
    mutex_.unlock();
    if (used_) ForkParts::Resume();
  }

 private:
  static constinit inline std::mutex mutex_;
  static constinit inline bool used_ = false;
  static constinit inline bool locked_ = false;
};

ForkPart::ForkPart() {
  const std::lock_guard<std::mutex> lock(parts_mutex);
  next_ = parts;
  parts = this;
}

bool ForkParts::TryLock(bool late) {
  if (!parts_mutex.try_lock()) return false;
  ForkPart* refused = reluctant;
  if (refused == nullptr || refused->TryLock(late)) {
    ForkPart* const first = std::exchange(refused, nullptr);
    ForkPart* part = parts;
    for (; part != nullptr && refused == nullptr; part = part->next_) {
      if (part != first && !part->TryLock(late)) refused = part;
    }
    if (refused == nullptr) return true;
    for (part = parts; part != refused; part = part->next_) {
      if (part != first) part->Unlock();
    }
    if (first != nullptr) first->Unlock();
  }
  reluctant = refused;
  parts_mutex.unlock();
  return false;
}

void ForkParts::Unlock() {
  for (ForkPart* part = parts; part != nullptr; part = part->next_) part->Unlock();
  parts_mutex.unlock();
}

void ForkParts::GiveUp() {
  const std::lock_guard<std::mutex> lock(parts_mutex);
  for (ForkPart* part = parts; part != nullptr; part = part->next_) part->GiveUp();
}

void ForkParts::Renew(bool locked) {
  fork_internal::forks.fetch_add(1, std::memory_order_relaxed);
  if (!locked) fork_internal::caught.store(true, std::memory_order_relaxed);
  for (ForkPart* part = parts; part != nullptr; part = part->next_) part->Renew(locked);
  if (locked) parts_mutex.unlock();
  new (&parts_mutex) std::mutex;
}

void ForkParts::Resume() {
  for (ForkPart* part = parts; part != nullptr; part = part->next_) part->Resume();
}

void ForkParts::Watch() {
  pthread_atfork(&ForkHandlers::Before, &ForkHandlers::InParent, &ForkHandlers::InChild);
}

void EndForkedChild() { std::exit(0); }

Status UnusableAfterFork(int code) {
  return Refuse(code,
                "this process was forked off while another thread was inside a call that did not "
                "return, or made the library's first call; the library cannot be used here. "
                "Expected no such call at the fork.",
                "find the call that hangs; or fork before it, or call exec in the child",
                "runtime/fork/caught");
}

ForkHold::ForkHold() {
  if (hold_depth++ > 0) return;
  for (Backoff backoff;; backoff.Wait()) {
    holds.fetch_add(1);
    if (!holds_closed.load()) return;
    holds.fetch_sub(1);
  }
}

ForkHold::~ForkHold() {
  if (--hold_depth == 0) holds.fetch_sub(1);
}

}  // namespace aclimb
