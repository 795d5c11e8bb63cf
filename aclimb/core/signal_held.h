#pragma once

#include <signal.h>
#include <time.h>

namespace aclimb {

// While it lives, a system call of the calling thread that comes with a signal fails with its errno
// alone: a write to a connection that the other side has closed (SIGPIPE, EPIPE), a file larger
// than the process may have (SIGXFSZ, EFBIG). On a thread of the program the signal would end the
// process, or run a handler that is not meant for us. A signal that was pending before stays so.
class SignalHeld {
 public:
  explicit SignalHeld(int signal) : signal_(signal) {
    sigemptyset(&set_);
    sigaddset(&set_, signal);
    pthread_sigmask(SIG_BLOCK, &set_, &before_);
    pending_before_ = IsPending();
  }
  ~SignalHeld() {
    if (!pending_before_ && IsPending()) {
      const timespec none = {0, 0};
      sigtimedwait(&set_, nullptr, &none);
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  SignalHeld(const SignalHeld&) = delete;
  SignalHeld& operator=(const SignalHeld&) = delete;

 private:
  bool IsPending() const {
    sigset_t pending;
    sigpending(&pending);
    return sigismember(&pending, signal_) == 1;
  }

  const int signal_;
  sigset_t set_;
  sigset_t before_;
  bool pending_before_ = false;
};

}  // namespace aclimb
