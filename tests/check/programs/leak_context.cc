// check/leak/context
#include "program.h"

static void Mistake(Session&) {
  aclrtContext own = nullptr;
  aclrtContext context = nullptr;
  MUST(aclrtSetDevice(0));  // the program's last reset does not end the device
  MUST(aclrtGetCurrentContext(&own));
  MUST(aclrtCreateContext(&context, 0));  // here
  MUST(aclrtSetCurrentContext(own));
  if (!WRONG) MUST(aclrtDestroyContext(context));
}

PROGRAM(leak_context)
