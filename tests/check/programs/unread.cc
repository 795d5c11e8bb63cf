// check/call/unread
#include <atomic>

#include "program.h"

// For calls that are refused in either form, with codes from which right programs go on.
#define MUST_GIVE(code, call)              \
  do {                                     \
    if ((call) != (code)) {                \
      std::fprintf(stderr, "%s\n", #call); \
      std::exit(3);                        \
    }                                      \
  } while (false)

static void GoOn(aclrtStream stream) {
  MUST_GIVE(ACL_ERROR_REPEAT_INITIALIZE, aclInit(nullptr));
  void* memory = nullptr;
  MUST_GIVE(ACL_ERROR_RT_MEMORY_ALLOCATION,
            aclrtMalloc(&memory, uint64_t{1} << 62, ACL_MEM_MALLOC_HUGE_FIRST));
  aclrtEvent event = nullptr;
  MUST_GIVE(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, aclrtCreateEventExWithFlag(&event, ACL_EVENT_IPC));
  MUST(aclrtCreateEvent(&event));
  std::atomic<bool> open{false};
  const auto wait = [](void* flag) {
    while (!*static_cast<std::atomic<bool>*>(flag)) {
    }
  };
  MUST(aclrtLaunchHostFunc(stream, wait, &open));
  MUST(aclrtRecordEvent(event, stream));
  float ms = 0;
  MUST_GIVE(ACL_ERROR_RT_EVENT_NOT_COMPLETE, aclrtEventElapsedTime(&ms, event, event));
  open = true;
  MUST(aclrtSynchronizeStream(stream));
  MUST(aclrtDestroyEvent(event));
}

static void Mistake(Session& session) {
  GoOn(session.stream);
  void* memory = nullptr;
  const aclError code = aclrtMalloc(&memory, WRONG ? 0 : 64, ACL_MEM_MALLOC_HUGE_FIRST);  // here
  if (code == 0) MUST(aclrtFree(memory));
}

PROGRAM(unread)
