#pragma once

#include <pthread.h>

namespace aclimb {

// While it lives, the calling thread is not cancelled (pthread_cancel); it then is at its next
// cancellation point. Every call of the program has one but where it waits, since glibc ends the
// process where the unwinding of a cancelled thread is caught or meets noexcept, and state would
// stay half changed where it is not (docs/architecture.md, Threads).
class CancelGuard {
 public:
  CancelGuard() { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
  ~CancelGuard() { pthread_setcancelstate(before_, nullptr); }
  CancelGuard(const CancelGuard&) = delete;
  CancelGuard& operator=(const CancelGuard&) = delete;

 private:
  friend class CancelPoint;
  int before_ = PTHREAD_CANCEL_ENABLE;
};

// A wait inside a guard, in which the thread may be cancelled if it could be outside of the guard.
class CancelPoint {
 public:
  explicit CancelPoint(const CancelGuard& guard) {
    pthread_setcancelstate(guard.before_, &before_);
  }
  ~CancelPoint() { pthread_setcancelstate(before_, nullptr); }
  CancelPoint(const CancelPoint&) = delete;
  CancelPoint& operator=(const CancelPoint&) = delete;

 private:
  int before_ = PTHREAD_CANCEL_DISABLE;
};

}  // namespace aclimb
