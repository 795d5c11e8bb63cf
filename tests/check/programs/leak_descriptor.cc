// check/leak/descriptor
#include "program.h"

static void Mistake(Session&) {
  const int64_t values[] = {1, 2};
  aclIntArray* array = aclCreateIntArray(values, 2);  // here
  if (!WRONG) MUST(aclDestroyIntArray(array));
}

PROGRAM(leak_descriptor)
