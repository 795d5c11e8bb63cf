#pragma once

#include <atomic>
#include <new>

#include "aclimb/core/status.h"

// The child of a fork has one thread and a copy of everything as it was at that instant: a lock
// that another thread had then stays taken there, and what a thread was doing stays half done. So
// all locks of a library are taken before a fork; then nothing is caught half way. The parent gives
// them back and has noticed nothing; the child gives them back too, and forgets the threads that it
// has not.
//
// Every file that owns a lock or starts a thread has a ForkPart, or a reason why a child never
// meets it (tests/rules).
namespace aclimb {

// What one part of the library does around a fork. Lives as long as the process.
//
// No order of the locks has to be known: where one is taken, all are given back and tried again.
class ForkPart {
 public:
  ForkPart(const ForkPart&) = delete;
  ForkPart& operator=(const ForkPart&) = delete;

  // Takes the part's locks without waiting. False, and none is taken, when it cannot have them, or
  // when work runs that had better end first; `late` says that the fork does not wait for such work
  // any longer. Asked again, nothing else being locked, until it can.
  virtual bool TryLock(bool late) = 0;
  // In the parent.
  virtual void Unlock() = 0;
  // After TryLock said no for the last time: the fork does without.
  virtual void GiveUp() {}

  // In the child, which has no other thread: puts right what threads left behind, makes the
  // condition variables anew, which remember who waited, and has the locks free. Touches no other
  // part's locks. `locked` is false after a fork that did without.
  virtual void Renew(bool locked) = 0;
  // In the child, when all parts are renewed.
  virtual void Resume() {}

 protected:
  ForkPart();

 private:
  friend class ForkParts;
  ForkPart* next_;
};

// The part that is a lock alone.
template <typename Lock>
class ForkLock : public ForkPart {
 public:
  explicit ForkLock(Lock& lock) : lock_(lock) {}

  bool TryLock(bool) override { return lock_.try_lock(); }
  void Unlock() override { lock_.unlock(); }
  // A lock counts its waiters too.
  void Renew(bool locked) override {
    if (locked) lock_.unlock();
    new (&lock_) Lock;
  }

 private:
  Lock& lock_;
};

// Keeps the process from being forked while it lives: around long sections, and calls of libraries
// that have locks of their own. Not around what waits for the device's work or calls the program.
class ForkHold {
 public:
  ForkHold();
  ~ForkHold();
  ForkHold(const ForkHold&) = delete;
  ForkHold& operator=(const ForkHold&) = delete;
};

// All parts of this library; each library has its own.
class ForkParts {
 public:
  static bool TryLock(bool late);  // all or none
  static void Unlock();
  static void GiveUp();
  static void Renew(bool locked);
  static void Resume();

  // From now on every fork of the process goes through the parts. For the library that holds the
  // state; the others hand theirs to it.
  static void Watch();
  // Before the process takes the first lock of any of the libraries: until then there is nothing to
  // do around a fork.
  static void NoteUse() { used_.store(true, std::memory_order_relaxed); }

 private:
  friend class ForkHandlers;
  static constinit inline std::atomic<bool> used_{false};
};

namespace fork_internal {
inline constinit std::atomic<int> forks{0};
inline constinit std::atomic<bool> caught{false};
}  // namespace fork_internal

// Number of forks between the process that loaded this library and this one.
inline int ForkCount() { return fork_internal::forks.load(std::memory_order_relaxed); }

// Ends a child whose first thread is one of ours, because a call of the program forked on it and
// has returned there. That thread has nothing to go on with; without the threads that we started
// since, the C library would end the process here in the same way.
[[noreturn]] void EndForkedChild();

// The process was forked off while a thread stayed in the library for too long: nothing is known of
// the library's state, and nothing can be done with it.
inline bool CaughtByFork() { return fork_internal::caught.load(std::memory_order_relaxed); }
// What a call of such a process answers.
Status UnusableAfterFork(int code);

}  // namespace aclimb
