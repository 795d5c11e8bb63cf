#pragma once

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include <cstddef>
#include <memory>
#include <system_error>
#include <type_traits>
#include <utility>

#include "aclimb/core/float_state.h"

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

// A thread of ours: it takes no signals, computes in the default floating-point state, may use the
// cores of the process's first thread, whatever the thread that starts it is bound to, and its
// stack is large enough for every kernel, whatever the process's limit of stacks is (RLIMIT_STACK
// decides the size of a std::thread's). It runs on when the object ends; only Join waits for it.
class QuietThread {
 public:
  static constexpr size_t kStackBytes = size_t{8} << 20;

  // Throws std::system_error, with the system's reason, when there is no thread to be had.
  template <typename Body, typename = std::enable_if_t<std::is_invocable_v<std::decay_t<Body>&>>>
  explicit QuietThread(Body&& body, size_t stack_bytes = kStackBytes) {
    using Kept = std::decay_t<Body>;
    auto kept = std::make_unique<Kept>(std::forward<Body>(body));
    const int error = Start(
        [](void* given) -> void* {
          const DefaultFloatState state;  // not the one of the thread that started it
          (*std::unique_ptr<Kept>(static_cast<Kept*>(given)))();
          return nullptr;
        },
        kept.get(), stack_bytes);
    if (error != 0) throw std::system_error(error, std::generic_category(), "pthread_create");
    (void)kept.release();
  }
  ~QuietThread() {
    if (!joined_) pthread_detach(thread_);
  }
  QuietThread(const QuietThread&) = delete;
  QuietThread& operator=(const QuietThread&) = delete;

  void Join() {
    pthread_join(thread_, nullptr);
    joined_ = true;
  }
  // As `top` shows it; 15 characters at most.
  void Name(const char* name) { pthread_setname_np(thread_, name); }

 private:
  int Start(void* (*run)(void*), void* given, size_t stack_bytes) {
    const SignalsBlocked blocked;
    pthread_attr_t attributes;
    if (const int error = pthread_attr_init(&attributes); error != 0) return error;
    int error = pthread_attr_setstacksize(&attributes, stack_bytes);
    // A mask of more than 1024 cores does not fit, and the thread inherits its starter's.
    cpu_set_t cores;
    if (error == 0 && sched_getaffinity(getpid(), sizeof(cores), &cores) == 0) {
      error = pthread_attr_setaffinity_np(&attributes, sizeof(cores), &cores);
    }
    if (error == 0) error = pthread_create(&thread_, &attributes, run, given);
    pthread_attr_destroy(&attributes);
    return error;
  }

  pthread_t thread_;
  bool joined_ = false;
};

}  // namespace aclimb
