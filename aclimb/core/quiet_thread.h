#pragma once

#include <pthread.h>
#include <signal.h>

#include <thread>
#include <utility>

namespace aclimb {

// While it lives, the calling thread takes no signals, and threads that it starts never will.
// Signals belong to the program's own threads; only faults of the running code reach the others.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t signals;
    sigfillset(&signals);
    for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP}) {
      sigdelset(&signals, fault);
    }
    pthread_sigmask(SIG_BLOCK, &signals, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_;
};

// A thread of ours, which takes no signals. Throws what std::thread throws.
template <typename Body>
std::thread QuietThread(Body&& body) {
  const SignalsBlocked blocked;
  return std::thread(std::forward<Body>(body));
}

}  // namespace aclimb
