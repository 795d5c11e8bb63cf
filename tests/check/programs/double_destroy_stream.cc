// check/object/double-destroy
#include "program.h"

static void Mistake(Session&) {
  aclrtStream stream = nullptr;
  MUST(aclrtCreateStream(&stream));
  MUST(aclrtDestroyStream(stream));
  if (WRONG) (void)aclrtDestroyStream(stream);  // here
}

PROGRAM(double_destroy_stream)
