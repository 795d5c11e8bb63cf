// check/race/streams
#include "program.h"

// One piece is written over and over, among so many others of its memory that the checker does not
// drop at once what a later write covers: the race is one finding all the same.
static void Mistake(Session& session) {
  constexpr size_t kPieces = 64, kRepeats = 40, kBytes = 64;
  aclrtStream other = nullptr;
  aclrtEvent event = nullptr;
  MUST(aclrtCreateStream(&other));
  MUST(aclrtCreateEvent(&event));
  char* memory = static_cast<char*>(Allocate(kPieces * kBytes));
  for (size_t i = 0; i < kPieces; ++i) {
    MUST(aclrtMemsetAsync(memory + i * kBytes, kBytes, 0, kBytes, session.stream));
  }
  for (size_t i = 0; i < kRepeats; ++i) {
    MUST(aclrtMemsetAsync(memory, kBytes, 0, kBytes, session.stream));
  }
  MUST(aclrtRecordEvent(event, session.stream));
  if (!WRONG) MUST(aclrtStreamWaitEvent(other, event));
  MUST(aclrtMemsetAsync(memory, kBytes, 1, kBytes, other));  // here
  MUST(aclrtSynchronizeDevice());
  MUST(aclrtDestroyEvent(event));
  MUST(aclrtDestroyStream(other));
  MUST(aclrtFree(memory));
}

PROGRAM(race_repeated)
