// check/leak/event
#include "program.h"

static void Mistake(Session&) {
  aclrtEvent event = nullptr;
  MUST(aclrtCreateEvent(&event));  // here
  if (!WRONG) MUST(aclrtDestroyEvent(event));
}

PROGRAM(leak_event)
