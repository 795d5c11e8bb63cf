#pragma once

#include <pthread.h>

namespace aclimb {

// While it lives, the calling thread is not cancelled (pthread_cancel); it then is at its next
// cancellation point. For what runs on a thread of the program and catches every exception: glibc
// ends the process when the unwinding of a cancelled thread is caught.
class CancelGuard {
 public:
  CancelGuard() { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
  ~CancelGuard() { pthread_setcancelstate(before_, nullptr); }
  CancelGuard(const CancelGuard&) = delete;
  CancelGuard& operator=(const CancelGuard&) = delete;

 private:
  int before_ = PTHREAD_CANCEL_ENABLE;
};

}  // namespace aclimb
