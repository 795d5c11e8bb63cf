#include "aclimb/runtime/thread_state.h"

#include <pthread.h>

namespace aclimb {
namespace {

// Cheaper than a call; eight bytes of what the C library reserves for libraries opened later.
[[gnu::tls_model("initial-exec")]] thread_local ThreadState* state = nullptr;

// A key's destructor runs when a thread ends, but not for the main thread at exit.
pthread_key_t MakeKey() {
  pthread_key_t key;
  pthread_key_create(&key, [](void* old) {
    state = nullptr;
    delete static_cast<ThreadState*>(old);
  });
  return key;
}
const pthread_key_t state_key = MakeKey();

}  // namespace

ThreadState* ThisThreadOrNull() noexcept { return state; }

ThreadState& ThisThread() {
  if (state == nullptr) {
    state = new ThreadState;
    pthread_setspecific(state_key, state);
  }
  return *state;
}

}  // namespace aclimb
