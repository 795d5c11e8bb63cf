// check/race/streams
#include "program.h"

// So many pieces of one memory are written that the checker no longer looks at each of them.
static void Mistake(Session& session) {
  constexpr size_t kPieces = 400, kBytes = 64;
  aclrtStream other = nullptr;
  aclrtEvent event = nullptr;
  MUST(aclrtCreateStream(&other));
  MUST(aclrtCreateEvent(&event));
  char* memory = static_cast<char*>(Allocate(kPieces * kBytes));
  for (size_t i = 0; i < kPieces; ++i) {
    MUST(aclrtMemsetAsync(memory + i * kBytes, kBytes, 0, kBytes, session.stream));
    if (i == kPieces / 2) MUST(aclrtRecordEvent(event, session.stream));
  }
  MUST(aclrtStreamWaitEvent(other, event));
  char* piece = memory + (WRONG ? kPieces - 1 : kPieces / 2) * kBytes;
  MUST(aclrtMemsetAsync(piece, kBytes, 1, kBytes, other));  // here
  MUST(aclrtSynchronizeDevice());
  MUST(aclrtDestroyEvent(event));
  MUST(aclrtDestroyStream(other));
  MUST(aclrtFree(memory));
}

PROGRAM(race_pieces)
