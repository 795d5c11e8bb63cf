// check/memory/use-after-free
#include "collective.h"

static void Mistake(Session& session) {
  HcclComm communicator = Communicator();
  void* send = Zeroed(64);
  void* receive = Allocate(64);
  if (WRONG) MUST(aclrtFree(send));
  (void)HcclAllReduce(send, receive, 16, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, communicator,
                      session.stream);  // here
  MUST(aclrtSynchronizeStream(session.stream));
  if (!WRONG) MUST(aclrtFree(send));
  MUST(aclrtFree(receive));
  MUST(HcclCommDestroy(communicator));
}

PROGRAM(collective_freed)
