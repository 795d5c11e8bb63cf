// check/callback/unprocessed
#include <pthread.h>

#include <atomic>
#include <thread>

#include "program.h"

static void Mistake(Session& session) {
  std::atomic<bool> end{false};
  std::thread reports([&end] {
    while (!end) {
      if (WRONG) {
        std::this_thread::yield();
      } else {
        (void)aclrtProcessReport(10);
      }
    }
  });
  const uint64_t thread = reports.native_handle();
  MUST(aclrtSubscribeReport(thread, session.stream));
  const auto nothing = [](void*) {};
  MUST(aclrtLaunchCallback(nothing, nullptr, ACL_CALLBACK_BLOCK, session.stream));  // here
  (void)aclrtSynchronizeStreamWithTimeout(session.stream, WRONG ? 100 : 60000);
  if (WRONG) MUST(aclrtStreamAbort(session.stream));
  MUST(aclrtUnSubscribeReport(thread, session.stream));
  end = true;
  reports.join();
}

PROGRAM(unprocessed)
