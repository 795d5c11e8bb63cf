#pragma once

#include <signal.h>
#include <time.h>

namespace aclimb {

// While it lives, a write of the calling thread to a connection that the other side has closed
// fails with EPIPE alone. On a thread of the program the signal that comes with it would end the
// process, or run a handler that is not meant for us. A signal that was pending before stays so.
class PipeSignalHeld {
 public:
  PipeSignalHeld() {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
    pending_before_ = IsPending();
  }
  ~PipeSignalHeld() {
    if (!pending_before_ && IsPending()) {
      const timespec none = {0, 0};
      sigtimedwait(&pipe_, nullptr, &none);
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  PipeSignalHeld(const PipeSignalHeld&) = delete;
  PipeSignalHeld& operator=(const PipeSignalHeld&) = delete;

 private:
  static bool IsPending() {
    sigset_t pending;
    sigpending(&pending);
    return sigismember(&pending, SIGPIPE) == 1;
  }

  sigset_t pipe_;
  sigset_t before_;
  bool pending_before_ = false;
};

}  // namespace aclimb
