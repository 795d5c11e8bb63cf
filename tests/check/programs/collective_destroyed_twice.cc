// check/object/double-destroy
#include "collective.h"

static void Mistake(Session&) {
  HcclComm communicator = Communicator();
  MUST(HcclCommDestroy(communicator));
  if (WRONG) (void)HcclCommDestroy(communicator);  // here
}

PROGRAM(collective_destroyed_twice)
